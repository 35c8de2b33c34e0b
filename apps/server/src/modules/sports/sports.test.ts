import { refusal } from "@perya/contract/refusal";
import { channelEvents } from "@perya/contract/socket";
import { seedHash } from "@perya/games/fairness";
import { mostStakeMinor, playMatch, potentialMinor, TICK_MS } from "@perya/games/sports";
import { present } from "@perya/kernel/assert";
import { mintId } from "@perya/kernel/ids";
import { CLOCKS_APART_MS, HOUR_MS, MINUTE_MS } from "@perya/kernel/instant";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { codeOf, taken } from "../../../../../tests/server/answers.ts";
import { makeBrand, makeMember } from "../../../../../tests/server/fixtures.ts";
import { openSportsWorld } from "../../../../../tests/server/sports-world.ts";
import { runDueJobs } from "../../../../../tests/setup/run-due-jobs.ts";
import { CLOCK_SETTLES_MS } from "../../platform/clock.ts";
import { createLogger } from "../../platform/log.ts";
import { VendorWallet } from "../vendors/vendors.ts";
import { worthOf } from "./bet-worth.ts";
import { fixtureReply, matchOf, oddsNow } from "./match-now.ts";
import { END_MATCH, type GivenBet } from "./sports.ts";
import { SportsBoard } from "./sports-board.ts";

const world = await openSportsWorld("sports");
const { clock, entropy, db, ledger, otherLedger, merchant, player, available, lockAwaited } = world;
const { process, coming, next, nextTwo, goalful, found, end, endAll, leg, bet } = world;
const log = createLogger({ level: "silent" });
let { here, other } = await world.opened();

beforeEach(async () => {
  ({ here, other } = await world.opened());
});
afterEach(world.expectOver);

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
    world.now.refusal = refusal("maintenance");
    expect(codeOf(await here.bet(merchant, session, bet([a], 500n)))).toBe("maintenance");
    world.now.refusal = null;
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
