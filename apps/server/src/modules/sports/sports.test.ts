import { setTimeout as realSleep } from "node:timers/promises";
import type { Refusal } from "@perya/contract/refusal";
import { refusal } from "@perya/contract/refusal";
import { channelEvents } from "@perya/contract/socket";
import { seedHash } from "@perya/games/fairness";
import {
  comesTrue,
  type Market,
  mostStakeMinor,
  playMatch,
  potentialMinor,
  type Selection,
  type Sport,
  selectionsOf,
  TICK_MS,
} from "@perya/games/sports";
import { LOBBIES } from "@perya/games/sports-fixtures";
import { assert, present } from "@perya/kernel/assert";
import { mintId } from "@perya/kernel/ids";
import { CLOCKS_APART_MS, type Clock, HOUR_MS, MINUTE_MS } from "@perya/kernel/instant";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { codeOf, taken } from "../../../../../tests/server/answers.ts";
import {
  availableOf,
  freshSeed,
  makeBrand,
  makeLedger,
  makeMember,
  manualClock,
  seededEntropy,
} from "../../../../../tests/server/fixtures.ts";
import { runDueJobs } from "../../../../../tests/setup/run-due-jobs.ts";
import { createTestDatabase, type TestDatabase } from "../../../../../tests/setup/test-database.ts";
import { CLOCK_SETTLES_MS, type Pause } from "../../platform/clock.ts";
import { createLogger } from "../../platform/log.ts";
import type { Merchant } from "../brand/brand.ts";
import type { Session } from "../identity/identity.ts";
import { accountOf, type Effect, EffectMissed, Ledger } from "../ledger/ledger.ts";
import { LATEST_MS } from "../rounds/rounds.ts";
import { VendorWallet } from "../vendors/vendors.ts";
import { worthOf } from "./bet-worth.ts";
import { fixtureReply, matchNow, matchOf, oddsNow } from "./match-now.ts";
import { type FixtureRow, findFixtures, fixturesAround, type Leg } from "./sports.store.ts";
import { END_MATCH, type GivenBet, Sports } from "./sports.ts";
import { SportsBoard } from "./sports-board.ts";

const clock = manualClock();
const entropy = seededEntropy(freshSeed("sports"));
const log = createLogger({ level: "silent" });
let db: TestDatabase;
let ledger: Ledger;
let otherLedger: Ledger;
let merchant: Merchant;
let closed: Refusal | null = null;
let here: Sports;
/** The same matches in another process. */
let other: Sports;

beforeAll(async () => {
  db = await createTestDatabase();
  ledger = makeLedger(db);
  otherLedger = makeLedger(db);
  merchant = await makeBrand(db.pool, clock);
});

afterAll(async () => {
  await ledger.close();
  await otherLedger.close();
  await db.drop();
});

beforeEach(async () => {
  closed = null;
  here = process(ledger);
  other = process(otherLedger);
  await here.plan();
});

/** No bet waits for matches that are all over, and the vendor's record agrees with the bet. */
afterEach(async () => {
  expect(await ledger.verify()).toEqual([]);
  const { rows } = await db.pool.query(
    `SELECT b.id FROM sports_bets b
     LEFT JOIN vendor_rounds r ON r.lane = b.lane AND r.account_id = b.account_id
       AND r.round_id = b.id
     WHERE r.state IS NULL OR r.payout_minor <> b.payout_minor
       OR r.state <> CASE b.state WHEN 'placed' THEN 'open' WHEN 'voided' THEN 'voided'
         ELSE 'settled' END
       OR (b.state = 'placed' AND NOT EXISTS (SELECT 1 FROM sports_fixtures f
         WHERE f.id = ANY(b.fixture_ids) AND f.settled_at IS NULL))`,
  );
  expect(rows).toEqual([]);
});

describe("virtual matches", () => {
  it("are planned ahead once with their hash, however many processes plan, each with its job", async () => {
    await Promise.all([here.plan(), other.plan(), here.plan()]);
    const { rows } = await db.pool.query(
      `SELECT count(*)::int AS fixtures, count(DISTINCT (sport, starts_at))::int AS times,
         count(DISTINCT server_seed)::int AS seeds FROM sports_fixtures
       WHERE starts_at > to_timestamp($1 / 1000.0)`,
      [clock.now()],
    );
    const { fixtures, times, seeds } = rows[0];
    expect(fixtures).toBe(25);
    expect([times, seeds]).toEqual([fixtures, fixtures]);
    const { rows: without } = await db.pool.query(
      `SELECT f.id FROM sports_fixtures f LEFT JOIN graphile_worker.jobs j
         ON j.key = $1 || ':' || f.id AND j.run_at = f.ends_at
       WHERE f.state = 'open' AND j.id IS NULL`,
      [END_MATCH],
    );
    expect(without).toEqual([]);
  });

  it("end as their seed, whose hash was published before, plays them", async () => {
    for (const sport of ["football", "esports"] as const) {
      const before = await next(sport);
      expect(fixtureReply(before, clock.now()).serverSeed).toBeNull();
      const ended = await end(before);
      const shown = fixtureReply(ended, clock.now());
      const serverSeed = shown.serverSeed ?? "";
      expect(seedHash(serverSeed)).toBe(before.seed_hash);
      const match = playMatch(sport, shown.chances, { serverSeed, fixtureId: ended.id });
      expect([ended.home_score, ended.away_score]).toEqual([match.score.home, match.score.away]);
      expect(shown).toMatchObject({ phase: "over", score: match.score, markets: [] });
      const [listed] = await here.endedOf(sport, null, 1);
      expect(listed?.id).toBe(ended.id);
    }
  });

  it("are ended by their jobs when they are over, not before", async () => {
    const fixture = await next("football");
    await expect(here.end(fixture.id)).rejects.toThrow("not due");
    clock.set(fixture.ends_at.getTime());
    // The worker reads the database's clock, by which all that is planned here is long due.
    await db.pool.query("DELETE FROM graphile_worker._private_jobs");
    await db.pool.query(
      `SELECT graphile_worker.add_job($1, json_build_object('id', $2::text),
         job_key := $1 || ':' || $2, run_at := now())`,
      [END_MATCH, fixture.id],
    );
    const tasks = {
      [END_MATCH]: (payload: unknown) => here.end(Reflect.get(Object(payload), "id")),
    };
    await runDueJobs({ pool: db.pool, log, tasks });
    expect((await found(fixture)).state).toBe("played");
  });

  it("that were left are resumed by the plan", async () => {
    const fixture = await next("football");
    const key = `${END_MATCH}:${fixture.id}`;
    await db.pool.query("DELETE FROM graphile_worker._private_jobs WHERE key = $1", [key]);
    clock.set(fixture.ends_at.getTime() + 2 * MINUTE_MS);
    await here.plan();
    const { rows } = await db.pool.query("SELECT 1 FROM graphile_worker.jobs WHERE key = $1", [
      key,
    ]);
    expect(rows).toHaveLength(1);
  });
});

describe("a bet", () => {
  it("moves its stake once and answers the same if it is sent again, by any process", async () => {
    const session = await player(10_000n);
    const given = bet([await leg(await next("football"))], 500n);
    const sent = Array.from({ length: 20 }, (_, i) =>
      (i % 2 ? here : other).bet(merchant, session, given),
    );
    const [first, ...rest] = (await Promise.all(sent)).map((answer) => taken(answer).bet);
    for (const again of rest) expect(again).toEqual(first);
    expect(first).toMatchObject({ state: "placed", stake_minor: 500n });
    expect(await available(session)).toBe(9_500n);
    // Later, too, when its odds are gone.
    clock.advance(20 * MINUTE_MS);
    expect(taken(await here.bet(merchant, session, given)).bet).toEqual(first);
    await endAll();
  });

  it("with an id that another player's browser minted too is one of its own", async () => {
    const given = bet([await leg(await next("football"))], 500n);
    const players = [await player(10_000n), await player(10_000n)];
    for (const session of players) taken(await here.bet(merchant, session, given));
    await endAll();
    for (const session of players) {
      const [placed] = await here.betsOf(session, { before: null, limit: 5 });
      expect(placed?.bet).toMatchObject({ id: given.id, stake_minor: 500n });
    }
    expect(await ledger.verify()).toEqual([]);
  });

  it("with the id of another bet is refused", async () => {
    const fixture = await next("football");
    const session = await player(10_000n);
    const given = bet([await leg(fixture)], 500n);
    const others = [
      { ...given, stake: { minor: 600n, currency: "PHP" as const } },
      { ...given, legs: [await leg(fixture, "result", "away")] },
      { ...given, legs: [await leg(await next("esports"))] },
    ];
    taken(await here.bet(merchant, session, given));
    for (const one of others)
      expect(codeOf(await here.bet(merchant, session, one))).toBe("id_reused");
    expect(await available(session)).toBe(9_500n);
    await endAll();
  });

  it("at odds that fell is refused with the present ones, and nothing moves; better ones are taken", async () => {
    const fixture = await next("football");
    const session = await player(10_000n);
    const fair = await leg(fixture);
    const dearer = { ...fair, odds: fair.odds + 10 };
    const refused = await here.bet(merchant, session, bet([dearer], 500n));
    expect(refused).toMatchObject({ error: { code: "odds_changed", odds: [fair.odds] } });
    expect(await available(session)).toBe(10_000n);
    const any = taken(await here.bet(merchant, session, { ...bet([dearer], 500n), accept: "any" }));
    expect(any.bet.legs[0]?.odds).toBe(fair.odds);
    const cheaper = bet([{ ...fair, odds: fair.odds - 10 }], 500n);
    const better = taken(await here.bet(merchant, session, cheaper));
    expect(better.bet.legs[0]?.odds).toBe(fair.odds);
    expect(better.bet.potential_minor).toBe(potentialMinor(500n, [fair.odds]));
    await endAll();
  });

  it("is not taken right after a point, nor once the match is over", async () => {
    const fixture = await goalful();
    const session = await player(10_000n);
    const before = await leg(fixture);
    const [point] = matchOf(fixture).points;
    clock.set(fixture.starts_at.getTime() + present(point, "a point").tick * TICK_MS);
    const suspended = await here.bet(merchant, session, { ...bet([before], 500n), accept: "any" });
    expect(suspended).toMatchObject({ error: { code: "market_suspended", odds: [null] } });
    clock.set(fixture.ends_at.getTime());
    expect(codeOf(await here.bet(merchant, session, bet([before], 500n)))).toBe("bets_closed");
    expect(await available(session)).toBe(10_000n);
  });

  it("is neither taken nor sold on what a process whose clock is ahead may have told", async () => {
    const fixture = await goalful();
    const session = await player(10_000n);
    const one = await leg(fixture);
    const given = bet([one], 500n);
    taken(await here.bet(merchant, session, given));
    const [point] = matchOf(fixture).points;
    const fell = fixture.starts_at.getTime() + present(point, "a point").tick * TICK_MS;
    for (const at of [fell, fixture.ends_at.getTime()]) {
      // The latest clock shows it, and this one is as far behind as it may be.
      clock.set(at - CLOCKS_APART_MS);
      expect(fixtureReply(fixture, clock.now() + CLOCKS_APART_MS).markets).toEqual([]);
      const late = await here.bet(merchant, session, { ...bet([one], 500n), accept: "any" });
      expect(["market_suspended", "bets_closed"]).toContain(codeOf(late));
      const amount = { minor: 1n, currency: "PHP" as const };
      const sale = await here.cashOut(session, { betId: given.id, amount });
      expect(codeOf(sale)).toBe("market_suspended");
    }
    expect(await available(session)).toBe(9_500n);
    await end(fixture);
  });

  it("is answered, also if refused, no sooner than every clock has passed what it was judged by", async () => {
    const waits: { readonly ms: number; readonly from: number }[] = [];
    const pause = async (ms: number) => {
      waits.push({ ms, from: clock.now() });
      clock.advance(ms);
    };
    const wallet = new VendorWallet(db.pool, ledger, clock);
    const ahead = process(ledger, wallet, clock, pause);
    const fixture = await goalful();
    const session = await player(10_000n);
    const one = await leg(fixture);
    const given = bet([one], 500n);
    // More than any odds rise to while nobody scores.
    const probe = () => bet([{ ...one, odds: one.odds * 100 }], 500n);
    const sale = { betId: given.id, amount: { minor: 400_000n, currency: "PHP" as const } };
    taken(await ahead.bet(merchant, session, given));
    // No tick comes in the next moment: the request is answered at once.
    expect(codeOf(await ahead.bet(merchant, session, probe()))).toBe("odds_changed");
    expect(codeOf(await ahead.cashOut(session, sale))).toBe("odds_changed");
    expect(waits).toEqual([]);
    // A tick without a point delays an answer as one with it does: silence tells nothing either.
    const { points } = matchOf(fixture);
    const firstTick = present(points[0], "a point").tick;
    const tickAt = (tick: number) => fixture.starts_at.getTime() + tick * TICK_MS;
    expect(points.map(({ tick }) => tick)).not.toContain(firstTick - 1);
    clock.set(tickAt(firstTick - 1) - 1);
    expect(codeOf(await ahead.bet(merchant, session, probe()))).toBe("odds_changed");
    clock.set(tickAt(firstTick - 1) - 1);
    expect(codeOf(await ahead.cashOut(session, sale))).toBe("odds_changed");
    expect(waits.splice(0).map(({ ms }) => ms)).toEqual([CLOCKS_APART_MS, CLOCKS_APART_MS]);
    const fallsAt = tickAt(firstTick);
    for (const early of [CLOCKS_APART_MS, 1]) {
      clock.set(fallsAt - early);
      expect(codeOf(await ahead.bet(merchant, session, probe()))).toBe("market_suspended");
      clock.set(fallsAt - early);
      expect(codeOf(await ahead.cashOut(session, sale))).toBe("market_suspended");
    }
    expect(waits.map(({ from }) => fallsAt - from)).toEqual([
      ...[CLOCKS_APART_MS, CLOCKS_APART_MS, 1, 1],
    ]);
    expect(new Set(waits.map(({ ms }) => ms))).toEqual(new Set([CLOCKS_APART_MS]));
    clock.set(fallsAt);
    expect(codeOf(await ahead.bet(merchant, session, probe()))).toBe("market_suspended");
    expect(waits).toHaveLength(4);
    await end(fixture);
  });

  it("is neither taken nor sold as if known events were still to come, if the clock is set back", async () => {
    const fixture = await goalful();
    const point = present(matchOf(fixture).points[0], "a point");
    const session = await player(100_000n);
    const before = await leg(fixture);
    const sold = taken(await here.bet(merchant, session, bet([before], 1_000n)));
    const board = new SportsBoard({ sports: here, clock, log, tell: () => undefined });
    let seenAt = fixture.starts_at.getTime() + point.tick * TICK_MS;
    while (oddsNow(fixture, before, seenAt) === null) seenAt += TICK_MS;
    clock.set(seenAt);
    await board.beat();
    const shown = async () => {
      await board.beat();
      const { data } = await board.snapshot();
      return data.fixtures.find(({ id }) => id === fixture.id);
    };
    const told = await shown();
    const odds = (await leg(fixture)).odds;
    const worth = taken(worthOf(sold, clock.now()));
    clock.set(seenAt - HOUR_MS);
    expect(await shown()).toEqual(told);
    const any = { ...bet([before], 1_000n), accept: "any" as const };
    expect(taken(await here.bet(merchant, session, any)).bet.legs[0]?.odds).toBe(odds);
    const asked = { betId: sold.bet.id, amount: { minor: 0n, currency: "PHP" as const } };
    expect(taken(await here.cashOut(session, asked)).bet.payout_minor).toBe(worth);
    // One that is over stays over, until the clock has caught up.
    clock.set(fixture.ends_at.getTime());
    await board.beat();
    clock.set(fixture.ends_at.getTime() - HOUR_MS);
    expect(codeOf(await here.bet(merchant, session, bet([before], 1_000n)))).toBe("bets_closed");
    clock.set(fixture.ends_at.getTime());
    const another = bet([await leg(await next("football"))], 1_000n);
    expect(codeOf(await here.bet(merchant, session, another))).toBe("ok");
    await endAll();
  });

  it.each([
    ["ahead", MINUTE_MS],
    ["back", -MINUTE_MS],
  ])(
    "is neither taken nor sold, nor is news of a match sent, while not all clocks were set %s yet",
    async (_, by) => {
      let [ahead, setAt] = [0, Number.NEGATIVE_INFINITY];
      const following = {
        now: () => clock.now() + ahead,
        sinceSetMs: () => clock.elapsed() - setAt,
      };
      const moved = process(otherLedger, new VendorWallet(db.pool, otherLedger, clock), following);
      const session = await player(10_000n);
      const fixture = await goalful();
      clock.set(fixture.starts_at.getTime());
      const one = await leg(fixture);
      const before = moved.told.now();
      const sold = bet([one], 500n);
      taken(await moved.bet(merchant, session, sold));
      [ahead, setAt] = [by, clock.elapsed()];
      clock.advance(CLOCK_SETTLES_MS - 1);
      expect(moved.told.now()).toBe(before);
      const any = { ...bet([one], 500n), accept: "any" as const };
      expect(await moved.bet(merchant, session, any)).toEqual({
        ok: false,
        error: expect.not.objectContaining({ odds: expect.anything() }),
      });
      const sale = { betId: sold.id, amount: { minor: 0n, currency: "PHP" as const } };
      expect(codeOf(await moved.cashOut(session, sale))).toBe("market_suspended");
      expect(taken(await moved.bet(merchant, session, sold)).bet.id).toBe(sold.id);
      clock.advance(1);
      expect(moved.told.now()).toBe(Math.max(before, following.now()));
      const [later] = (await coming("esports")).slice(-1);
      const open = { ...bet([await leg(present(later, "a match"))], 500n), accept: "any" as const };
      expect(codeOf(await moved.bet(merchant, session, open))).toBe("ok");
      await endAll();
    },
  );

  it("that was received in time and reaches the ledger after the end is not taken", async () => {
    const fixture = await next("esports");
    const session = await player(10_000n);
    const given = bet([await leg(fixture)], 500n);
    // The end is decided and not yet committed while the bet is on its way.
    const client = await db.pool.connect();
    try {
      await client.query("BEGIN");
      await client.query(
        "UPDATE sports_fixtures SET state = 'played', home_score = 2, away_score = 0 WHERE id = $1",
        [fixture.id],
      );
      const late = here.bet(merchant, session, given);
      await lockAwaited();
      await client.query("COMMIT");
      expect(codeOf(await late)).toBe("bets_closed");
    } finally {
      client.release();
    }
    expect(await available(session)).toBe(10_000n);
  });

  it("against the rules names the field", async () => {
    const [one, two] = await nextTwo("football");
    const maps = await next("esports");
    const session = await player(10_000_000n);
    const [a, b] = [await leg(one), await leg(two)];
    const strange = { ...a, fixtureId: mintId("fixture", clock.now(), entropy.bytes(16)) };
    const cases: [string, GivenBet][] = [
      ["legs.0.fixtureId not_allowed", bet([strange], 500n)],
      ["legs.1.fixtureId not_allowed", bet([a, await leg(maps)], 500n)],
      ["legs.1.fixtureId taken", bet([a, await leg(one, "total:2.5", "over")], 500n)],
      ["legs.0.market not_allowed", bet([{ ...(await leg(maps)), market: "total:1.5" }], 500n)],
      ["legs.0.selection not_allowed", bet([{ ...a, selection: "over" }], 500n)],
      ["legs.0.selection not_allowed", bet([{ ...(await leg(maps)), selection: "draw" }], 500n)],
      ["stake.minor not_multiple", bet([a, b], 150n)],
      ["stake.minor too_big", bet([a], 500_100n)],
      [
        "stake.currency foreign_currency",
        { ...bet([a], 500n), stake: { minor: 500n, currency: "FUN" } },
      ],
    ];
    for (const [code, given] of cases) {
      expect(codeOf(await here.bet(merchant, session, given))).toBe(code);
    }
    closed = refusal("maintenance");
    expect(codeOf(await here.bet(merchant, session, bet([a], 500n)))).toBe("maintenance");
    closed = null;
    const blocked = { ...session, blocked: true };
    expect(codeOf(await here.bet(merchant, blocked, bet([a], 500n)))).toBe("member_blocked");
    const poor = await player(400n);
    expect(codeOf(await here.bet(merchant, poor, bet([a], 500n)))).toBe("insufficient_funds");
    expect(await available(session)).toBe(10_000_000n);
  });

  it("may not win more than the brand pays", async () => {
    const small = await makeBrand(db.pool, clock, {
      settings: { stakes: { maxMinor: "500000", maxPayoutMinor: "100000" } },
    });
    const session = await makeMember({ pool: db.pool, ledger, clock }, small, {
      balance: 900_000n,
    });
    const one = await leg(await next("football"));
    const most = mostStakeMinor(100_000n, [one.odds]);
    const given = bet([one], most + 100n);
    expect(await here.bet(small, session, given)).toMatchObject({
      error: { fields: [{ field: "stake.minor", code: "too_big", limit: `${most}`, unit: "PHP" }] },
    });
    expect(codeOf(await here.bet(small, session, bet([one], most)))).toBe("ok");
    await endAll();
  });
});

describe("the settlement of bets", () => {
  it("pays what came true and loses the rest, once, by as many processes as try", async () => {
    const fixture = await next("football");
    const shown = fixtureReply(fixture, clock.now());
    const placed: [Session, Leg][] = [];
    for (const { market, selections } of shown.markets) {
      for (const { selection, odds } of selections) {
        const session = await player(10_000n);
        const one = { fixtureId: fixture.id, market, selection, odds };
        taken(await here.bet(merchant, session, bet([one], 1_000n)));
        placed.push([session, one]);
      }
    }
    clock.set(fixture.ends_at.getTime());
    await Promise.all([here, other, here, other].map((by) => by.end(fixture.id)));
    const { score } = matchOf(fixture);
    for (const [session, one] of placed) {
      const won = comesTrue(one.market, one.selection, score);
      const payout = won ? potentialMinor(1_000n, [one.odds]) : 0n;
      expect(await available(session)).toBe(9_000n + payout);
      expect(await stateOf(session)).toBe(won ? "won" : "lost");
    }
  });

  it("of a multi waits for its last match, and ends at once with the first lost leg", async () => {
    const [one, two] = await nextTwo("football");
    const [first, second] = [await winning(one), await winning(two)];
    const [lucky, unlucky] = [await player(10_000n), await player(10_000n)];
    taken(await here.bet(merchant, lucky, bet([first, second], 1_000n)));
    taken(await here.bet(merchant, unlucky, bet([await losing(one), second], 1_000n)));
    await end(one);
    expect([await stateOf(lucky), await stateOf(unlucky)]).toEqual(["placed", "lost"]);
    clock.set(two.ends_at.getTime());
    await Promise.all([here.end(two.id), other.end(two.id)]);
    expect(await stateOf(lucky)).toBe("won");
    const payout = potentialMinor(1_000n, [first.odds, second.odds]);
    expect(await available(lucky)).toBe(9_000n + payout);
    expect(await available(unlucky)).toBe(9_000n);
  });

  it("of a multi whose matches end at the same moment in two processes leaves none waiting", async () => {
    const [one, two] = await nextTwo("football");
    const session = await player(10_000n);
    const legs = [await winning(one), await winning(two)];
    taken(await here.bet(merchant, session, bet(legs, 1_000n)));
    clock.set(two.ends_at.getTime());
    await Promise.all([here.end(one.id), other.end(two.id)]);
    expect(await stateOf(session)).toBe("won");
  });

  it("that dies in the middle is completed by another process, nothing twice", async () => {
    const fixture = await next("football");
    const one = await winning(fixture);
    const winners = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const session = await player(10_000n);
        taken(await here.bet(merchant, session, bet([one], 1_000n)));
        return session;
      }),
    );
    const dying = new VendorWallet(db.pool, ledger, clock);
    const pay = dying.win.bind(dying);
    let paid = 0;
    dying.win = async (win) => {
      paid += 1;
      return paid > 6 ? new Promise<never>((_, fail) => fail(new Error("died"))) : pay(win);
    };
    clock.set(fixture.ends_at.getTime());
    await expect(process(ledger, dying).end(fixture.id)).rejects.toThrow("died");
    expect((await found(fixture)).settled_at).toBeNull();
    await Promise.all([other.end(fixture.id), here.end(fixture.id)]);
    expect((await found(fixture)).settled_at).not.toBeNull();
    for (const session of winners) {
      expect(await available(session)).toBe(9_000n + potentialMinor(1_000n, [one.odds]));
    }
  });

  it.each([
    [
      "is more than an hour late",
      (fixture: FixtureRow) => clock.set(fixture.ends_at.getTime() + LATEST_MS + 1),
    ],
    [
      "has a seed of another hash",
      async (fixture: FixtureRow) => {
        await db.pool.query("UPDATE sports_fixtures SET server_seed = $2 WHERE id = $1", [
          fixture.id,
          "ab".repeat(32),
        ]);
        clock.set(fixture.ends_at.getTime());
      },
    ],
  ])("refunds a single and drops the leg of a multi whose match %s", async (_why, fail) => {
    const [one, two] = await nextTwo("football");
    const [single, multi] = [await player(10_000n), await player(10_000n)];
    const [void_, sure] = [await losing(one), await winning(two)];
    taken(await here.bet(merchant, single, bet([void_], 500n)));
    taken(await here.bet(merchant, multi, bet([void_, sure], 500n)));
    await end(two);
    expect(await stateOf(multi)).toBe("placed");
    await fail(one);
    await Promise.all([here.end(one.id), other.end(one.id)]);
    expect(await found(one)).toMatchObject({ state: "voided", home_score: null });
    expect(await stateOf(single)).toBe("voided");
    expect(await available(single)).toBe(10_000n);
    expect(await stateOf(multi)).toBe("won");
    expect(await available(multi)).toBe(9_500n + potentialMinor(500n, [sure.odds]));
  });
});

describe("a cash-out", () => {
  it("pays what the bet is worth now, once, however often it is requested", async () => {
    const session = await player(10_000n);
    const given = bet([await leg(await next("football"))], 1_000n);
    const placed = taken(await here.bet(merchant, session, given));
    const worth = taken(worthOf(placed, clock.now()));
    expect(worth).toBeGreaterThan(800n);
    expect(worth).toBeLessThan(1_000n);
    const wanted = { betId: given.id, amount: { minor: worth, currency: "PHP" as const } };
    const sent = Array.from({ length: 12 }, (_, i) =>
      (i % 2 ? here : other).cashOut(session, wanted),
    );
    for (const answer of await Promise.all(sent)) {
      expect(taken(answer).bet).toMatchObject({ state: "cashed", payout_minor: worth });
    }
    expect(await available(session)).toBe(9_000n + worth);
    await endAll();
    expect(await available(session)).toBe(9_000n + worth);
    expect(taken(await here.cashOut(session, wanted)).bet.state).toBe("cashed");
  });

  it("at less than was shown is refused; a price that rose meanwhile is paid", async () => {
    const session = await player(10_000n);
    const given = bet([await leg(await next("football"))], 1_000n);
    const placed = taken(await here.bet(merchant, session, given));
    const worth = taken(worthOf(placed, clock.now()));
    const ask = (minor: bigint) =>
      here.cashOut(session, { betId: given.id, amount: { minor: minor, currency: "PHP" } });
    expect(codeOf(await ask(worth + 1n))).toBe("odds_changed");
    expect(await available(session)).toBe(9_000n);
    expect(taken(await ask(worth - 1n)).bet.payout_minor).toBe(worth);
  });

  it("is refused right after a point, for a lost or won bet, and for another's bet", async () => {
    const fixture = await goalful();
    const session = await player(10_000n);
    const given = bet([await leg(fixture)], 1_000n);
    taken(await here.bet(merchant, session, given));
    const ask = (who: Session, currency: "PHP" | "FUN" = "PHP") =>
      here.cashOut(who, { betId: given.id, amount: { minor: 1n, currency } });
    expect(codeOf(await ask(await player(0n)))).toBe("not_found");
    expect(codeOf(await ask(session, "FUN"))).toBe("amount.currency foreign_currency");
    const [point] = matchOf(fixture).points;
    clock.set(fixture.starts_at.getTime() + present(point, "a point").tick * TICK_MS);
    expect(codeOf(await ask(session))).toBe("market_suspended");
    clock.set(fixture.ends_at.getTime());
    expect(codeOf(await ask(session))).toBe("market_suspended");
    await end(fixture);
    expect(codeOf(await ask(session))).toBe("wrong_state");
  });

  it("and the end of its match, at once, pay one of the two", async () => {
    for (let i = 0; i < 5; i++) {
      const fixture = await next("football");
      const session = await player(10_000n);
      const one = await winning(fixture);
      const given = bet([one], 1_000n);
      taken(await here.bet(merchant, session, given));
      const asked = here.cashOut(session, {
        betId: given.id,
        amount: { minor: 1n, currency: "PHP" },
      });
      clock.set(fixture.ends_at.getTime());
      await Promise.all([asked, other.end(fixture.id)]);
      const [latest] = await here.betsOf(session, { before: null, limit: 1 });
      const { payout_minor: payout } = present(latest, "the bet").bet;
      expect(payout).toBeGreaterThan(0n);
      expect(await available(session)).toBe(9_000n + payout);
    }
  });
});

/**
 * A wallet's owner can have its commands tried on the line aside, and keep that line busy: how long
 * they wait there is the owner's choice.
 */
describe("while the line is busy on which a wallet's commands are tried", () => {
  let busy: Ledger;
  let atBusy: Sports;
  let session: Session;
  let helper: Session;

  beforeAll(async () => {
    await db.pool.query(`
      CREATE TABLE busy_lines (id int PRIMARY KEY);
      CREATE FUNCTION busy_line() RETURNS void LANGUAGE plpgsql AS $$
      BEGIN
        FOR i IN 1..200 LOOP
          EXIT WHEN NOT EXISTS (SELECT FROM busy_lines);
          PERFORM pg_sleep(0.02);
        END LOOP;
      END $$`);
  });

  beforeEach(async () => {
    busy = new Ledger({
      ...{ databaseUrl: db.url, pool: db.pool, writers: 1 },
      onTrouble: () => undefined,
    });
    atBusy = process(busy);
    session = await player(10_000n);
    helper = await player(10_000n);
    const nothing = "UPDATE busy_lines SET id = id FROM jsonb_to_recordset($1) AS u(of int)";
    const miss = { name: "test_miss", sql: `${nothing} WHERE false`, mustAffectEach: true };
    for (const one of [session, helper]) {
      await expect(spend(one, 100n, { statement: miss, row: { of: 1 } })).rejects.toThrow(
        EffectMissed,
      );
    }
  });

  afterEach(() => busy.close());

  it.each([
    ["is spent in another process", true],
    ["is kept", false],
  ])(
    "a bet that is overtaken by a decision is not taken, if its stake %s meanwhile",
    async (_, spends) => {
      const { fixture, fallsAt } = await mapful();
      clock.set(fallsAt - CLOCKS_APART_MS - 1);
      const given = { ...bet([await leg(fixture)], 10_000n), accept: "any" as const };
      const [elsewhere] = await coming("football");
      const free = await keepBusy();
      const waiting = atBusy.bet(merchant, session, given);
      await free.behind("debit");
      clock.set(fallsAt + 20);
      if (spends) {
        const one = bet([await leg(present(elsewhere, "a match"))], 100n);
        taken(await other.bet(merchant, session, one));
      }
      await free.now();
      expect(await waiting).toEqual({
        ok: false,
        error: refusal("market_suspended", { odds: [null] }),
      });
      expect(await available(session)).toBe(spends ? 9_900n : 10_000n);
      await endAll();
    },
  );

  it("a bet of which nothing is decided meanwhile is taken at its odds", async () => {
    const { fixture, fallsAt } = await mapful();
    const one = await leg(fixture);
    const free = await keepBusy();
    const waiting = atBusy.bet(merchant, session, bet([one], 500n));
    await free.behind("debit");
    clock.set(fallsAt - CLOCKS_APART_MS - 1);
    await free.now();
    expect(taken(await waiting).bet.legs).toEqual([one]);
    await endAll();
  });

  it("a bet whose odds move meanwhile is taken at those of its booking, if they are accepted", async () => {
    const fixture = await quiet();
    const [rises, falls] = [await leg(fixture), await leg(fixture, "result", "draw")];
    const free = await keepBusy();
    const waiting = [];
    for (const given of [bet([rises], 500n), bet([falls], 500n)]) {
      waiting.push(atBusy.bet(merchant, session, given));
      await free.behind("debit");
    }
    clock.set(fixture.starts_at.getTime() + QUIET_TICKS * TICK_MS);
    await free.now();
    const [taking, refused] = await Promise.all(waiting);
    const [risen, fallen] = [await leg(fixture), await leg(fixture, "result", "draw")];
    expect([risen.odds > rises.odds, fallen.odds < falls.odds]).toEqual([true, true]);
    expect(taken(present(taking ?? null, "an answer")).bet.legs).toEqual([risen]);
    expect(refused).toMatchObject({ error: { code: "odds_changed", odds: [fallen.odds] } });
    expect(await available(session)).toBe(9_500n);
    await endAll();
  });

  it("a sale that is overtaken by a decision is not made, and the bet stays", async () => {
    const { fixture, fallsAt } = await mapful();
    const given = bet([await leg(fixture)], 1_000n);
    taken(await here.bet(merchant, session, given));
    clock.set(fallsAt - CLOCKS_APART_MS - 1);
    const free = await keepBusy();
    const sale = { betId: given.id, amount: { minor: 1n, currency: "PHP" as const } };
    const waiting = atBusy.cashOut(session, sale);
    await free.behind("credit");
    clock.set(fallsAt + 20);
    await free.now();
    expect(codeOf(await waiting)).toBe("market_suspended");
    expect([await stateOf(session), await available(session)]).toEqual(["placed", 9_000n]);
    await endAll();
  });

  it("a sale of which nothing is decided meanwhile is made", async () => {
    const { fixture, fallsAt } = await mapful();
    const placed = taken(await here.bet(merchant, session, bet([await leg(fixture)], 1_000n)));
    const worth = taken(worthOf(placed, clock.now()));
    const free = await keepBusy();
    const sale = { betId: placed.bet.id, amount: { minor: worth, currency: "PHP" as const } };
    const waiting = atBusy.cashOut(session, sale);
    await free.behind("credit");
    clock.set(fallsAt - CLOCKS_APART_MS - 1);
    await free.now();
    expect(taken(await waiting).bet).toMatchObject({ state: "cashed", payout_minor: worth });
  });

  /** The next match of maps whose first map somebody wins, and when that map ends. */
  async function mapful(): Promise<{ fixture: FixtureRow; fallsAt: number }> {
    for (;;) {
      for (const fixture of await coming("esports")) {
        const { tick } = present(matchOf(fixture).points[0], "a point");
        if (tick === 30) return { fixture, fallsAt: fixture.starts_at.getTime() + tick * TICK_MS };
      }
      clock.advance(20 * MINUTE_MS);
    }
  }

  const QUIET_TICKS = 20;

  /** The next football match without a point for so long: a draw is likelier then. */
  async function quiet(): Promise<FixtureRow> {
    for (;;) {
      const all = await coming("football");
      const found = all.find((one) => (matchOf(one).points[0]?.tick ?? 90) > QUIET_TICKS);
      if (found !== undefined) return found;
      clock.advance(20 * MINUTE_MS);
    }
  }

  /** The helper's command occupies the line until it is let go. */
  async function keepBusy() {
    await db.pool.query("INSERT INTO busy_lines VALUES (1)");
    const sql = "SELECT busy_line() FROM jsonb_to_recordset($1) AS u(of int)";
    const wait = { name: "test_wait", sql, mustAffectEach: false };
    const done = spend(helper, 100n, { statement: wait, row: { of: 1 } });
    await expect
      .poll(async () => {
        const { rowCount } = await db.pool.query(
          `SELECT FROM pg_stat_activity WHERE datname = current_database()
             AND wait_event = 'PgSleep'`,
        );
        return rowCount;
      })
      .toBe(1);
    const sent = { debit: vi.spyOn(busy, "debit"), credit: vi.spyOn(busy, "credit") };
    return {
      /** One more command waits behind it. */
      behind: async (kind: "debit" | "credit") => {
        await expect.poll(() => sent[kind].mock.calls.length).toBeGreaterThan(0);
        sent[kind].mockClear();
      },
      now: async () => {
        await db.pool.query("DELETE FROM busy_lines");
        expect((await done).ok).toBe(true);
      },
    };
  }

  function spend(who: Session, amount: bigint, effect: Effect) {
    const account = accountOf(who.memberId, who.currency);
    const key = mintId("bet", clock.now(), entropy.bytes(16));
    const taking = { account, key, amount, counterAccount: "house:test", effects: [effect] };
    return busy.debit({ ...taking, kind: "bet", ref: null, at: clock.now() });
  }
});

describe("the board", () => {
  it("sends what changed at each tick, and a snapshot is what its events build on", async () => {
    const told: { version: number; after: number; event: unknown }[] = [];
    const board = new SportsBoard({ sports: here, clock, log, tell: (one) => told.push(one) });
    const start = await board.snapshot();
    expect(start.version).toBe(1);
    const nexts = start.data.fixtures.filter(({ phase }) => phase === "next");
    expect(nexts.length).toBeGreaterThanOrEqual(8);
    expect(nexts.every(({ serverSeed }) => serverSeed === null)).toBe(true);
    told.length = 0;
    await board.beat();
    expect(told).toEqual([]);
    const fixture = await next("football");
    clock.set(fixture.starts_at.getTime() + TICK_MS);
    await board.beat();
    expect(told).toHaveLength(1);
    expect(told[0]).toMatchObject({ version: 2, after: 1 });
    const { changed } = channelEvents.sports.parse(told[0]?.event);
    const one = changed.find(({ id }) => id === fixture.id);
    expect(one).toMatchObject({ phase: "live", tick: 1 });
    expect(one).toEqual(fixtureReply(await found(fixture), clock.now()));
    const after = await board.snapshot();
    expect(after.version).toBe(2);
    expect(after.data.fixtures.find(({ id }) => id === fixture.id)).toEqual(one);
  });

  it("never shows a seed of a match that can still be bet on", async () => {
    const fixture = await next("esports");
    for (const tick of [0, 30, 59]) {
      clock.set(fixture.starts_at.getTime() + tick * TICK_MS);
      const shown = JSON.stringify(fixtureReply(await found(fixture), clock.now()));
      expect(shown).not.toContain(fixture.server_seed);
      expect(shown).not.toContain(String(fixture.ends_at.getTime()));
    }
  });
});

describe("a player's list of bets", () => {
  it("holds their own, newest first", async () => {
    const session = await player(10_000n);
    const one = await leg(await next("football"));
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) {
      clock.advance(1);
      const given = bet([one], 100n);
      taken(await here.bet(merchant, session, given));
      ids.unshift(given.id);
    }
    const page = async (before: string | null) =>
      (await here.betsOf(session, { before, limit: 2 })).map(({ bet: { id } }) => id);
    expect(await page(null)).toEqual(ids.slice(0, 2));
    expect(await page(ids[1] ?? null)).toEqual(ids.slice(2));
    expect(await here.betsOf(await player(0n), { before: null, limit: 2 })).toEqual([]);
    await endAll();
  });
});

describe("while a winner's wallet is held", () => {
  it("all other bets of a match are settled, also behind it, and a later try pays the winner once", async () => {
    const fixture = await next("football");
    const players = await Promise.all([player(100_000n), player(100_000n)]);
    // In the order in which bets are settled: the held one's fill the first page.
    const [held, free] = players.sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
    assert(held !== undefined && free !== undefined, "two players");
    const [wins, loses] = [await winning(fixture), await losing(fixture)];
    const lost = Array.from({ length: 600 }, () => bet([loses], 100n));
    await Promise.all(lost.map(async (one) => taken(await here.bet(merchant, held, one))));
    for (const session of [held, free]) {
      taken(await here.bet(merchant, session, bet([wins], 100n)));
    }
    const release = await holdWallet(held);
    await expect(end(fixture)).rejects.toThrow(/owes 1 bets/);
    expect(await available(free)).toBe(99_900n + potentialMinor(100n, [wins.odds]));
    const { rowCount } = await db.pool.query(
      "SELECT 1 FROM sports_bets WHERE fixture_ids @> ARRAY[$1] AND state = 'placed'",
      [fixture.id],
    );
    expect(rowCount).toBe(1);
    await release();
    await Promise.all([other.end(fixture.id), here.end(fixture.id)]);
    const left = 100_000n - 601n * 100n;
    expect(await available(held)).toBe(left + potentialMinor(100n, [wins.odds]));
    expect((await found(fixture)).settled_at).not.toBeNull();
  });
});

function process(
  books: Ledger,
  wallet = new VendorWallet(db.pool, books, clock),
  by: Clock = clock,
  pause: Pause = async () => undefined,
): Sports {
  return new Sports({
    ...{ pool: db.pool, wallet, clock: by, entropy, pause },
    playRefusal: async (_merchant, _session, { vendor }) => {
      expect([LOBBIES.football.vendor, LOBBIES.esports.vendor]).toContain(vendor);
      return closed;
    },
  });
}

async function coming(sport: Sport): Promise<FixtureRow[]> {
  await here.plan();
  const fixtures = await fixturesAround(db.pool, clock.now(), clock.now() + 30 * MINUTE_MS);
  return fixtures.filter(
    (one) =>
      one.sport === sport && one.state === "open" && matchNow(one, clock.now()).phase === "next",
  );
}

async function next(sport: Sport): Promise<FixtureRow> {
  return present((await coming(sport))[0], "the next match");
}

async function nextTwo(sport: Sport): Promise<[FixtureRow, FixtureRow]> {
  const [one, two] = await coming(sport);
  return [present(one, "the next match"), present(two, "the one after")];
}

/** The next match in which a point falls before its last minutes. */
async function goalful(): Promise<FixtureRow> {
  for (;;) {
    const all = await coming("football");
    const found = all.find((one) => (matchOf(one).points[0]?.tick ?? 90) < 80);
    if (found !== undefined) return found;
    clock.advance(20 * MINUTE_MS);
  }
}

async function found(fixture: FixtureRow): Promise<FixtureRow> {
  const row = (await findFixtures(db.pool, [fixture.id])).get(fixture.id);
  return present(row, "the fixture");
}

async function end(fixture: FixtureRow, by = here): Promise<FixtureRow> {
  clock.set(Math.max(clock.now(), fixture.ends_at.getTime()));
  await by.end(fixture.id);
  return found(fixture);
}

/** Ends all matches that a bet waits for. */
async function endAll(): Promise<void> {
  const { rows } = await db.pool.query<{ id: string }>(
    "SELECT DISTINCT unnest(fixture_ids) AS id FROM sports_bets WHERE state = 'placed'",
  );
  const waited = await findFixtures(
    db.pool,
    rows.map(({ id }) => id),
  );
  for (const fixture of waited.values()) await end(fixture);
}

async function leg(
  { id }: FixtureRow,
  market: Market = "result",
  selection: Selection = "home",
): Promise<Leg> {
  const one = { fixtureId: id, market, selection, odds: 0 };
  const fixture = (await findFixtures(db.pool, [id])).get(id);
  const odds = oddsNow(present(fixture, "the fixture"), one, clock.now());
  return { ...one, odds: present(odds, `odds of ${market} ${selection}`) };
}

/** The tests may look at the seed; players see its hash. */
function winning(fixture: FixtureRow): Promise<Leg> {
  return resulting(fixture, true);
}

function losing(fixture: FixtureRow): Promise<Leg> {
  return resulting(fixture, false);
}

function resulting(fixture: FixtureRow, won: boolean): Promise<Leg> {
  const { score } = matchOf(fixture);
  const selection = selectionsOf(fixture.sport, "result").find(
    (one) => comesTrue("result", one, score) === won,
  );
  return leg(fixture, "result", present(selection, "a selection"));
}

function bet(legs: readonly Leg[], stake: bigint): GivenBet {
  return {
    id: mintId("bet", clock.now(), entropy.bytes(16)),
    legs,
    stake: { minor: stake, currency: "PHP" },
    accept: "better",
  };
}

function player(balance: bigint): Promise<Session> {
  return makeMember({ pool: db.pool, ledger, clock }, merchant, { balance });
}

function available(session: Session): Promise<bigint> {
  return availableOf(ledger, accountOf(session.memberId, session.currency));
}

async function stateOf(session: Session): Promise<string | undefined> {
  const [latest] = await here.betsOf(session, { before: null, limit: 1 });
  return latest?.bet.state;
}

/** The order in which bets are settled. */
function orderOf(session: Session): string {
  const { lane, id } = accountOf(session.memberId, session.currency);
  return `${String(lane).padStart(3, "0")} ${id}`;
}

/** Holds it as a process does that was stopped in the middle of a batch; answers what frees it. */
async function holdWallet(session: Session): Promise<() => Promise<void>> {
  const { lane, id } = accountOf(session.memberId, session.currency);
  const client = await db.pool.connect();
  await client.query("BEGIN");
  await client.query("SELECT 1 FROM ledger_accounts WHERE lane = $1 AND id = $2 FOR UPDATE", [
    lane,
    id,
  ]);
  return async () => {
    await client.query("ROLLBACK");
    client.release();
  };
}

/** Resolves once some connection of the ledger waits for a row's lock. */
async function lockAwaited(): Promise<void> {
  for (;;) {
    const { rowCount } = await db.pool.query(
      `SELECT 1 FROM pg_stat_activity WHERE datname = current_database()
         AND application_name = 'perya-ledger' AND wait_event_type = 'Lock'`,
    );
    if (rowCount !== 0) return;
    await realSleep(5);
  }
}
