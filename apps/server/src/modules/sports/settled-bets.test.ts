import { refusal } from "@perya/contract/refusal";
import { comesTrue, potentialMinor, TICK_MS } from "@perya/games/sports";
import { present } from "@perya/kernel/assert";
import { CLOCKS_APART_MS, MINUTE_MS } from "@perya/kernel/instant";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { codeOf, taken } from "../../../../../tests/server/answers.ts";
import { openSportsWorld } from "../../../../../tests/server/sports-world.ts";
import type { Session } from "../identity/identity.ts";
import { accountOf, type Effect, EffectMissed, Ledger } from "../ledger/ledger.ts";
import { LATEST_MS } from "../rounds/rounds.ts";
import { VendorWallet } from "../vendors/vendors.ts";
import { worthOf } from "./bet-worth.ts";
import { fixtureReply, matchOf } from "./match-now.ts";
import type { FixtureRow, Leg } from "./sports.store.ts";
import type { Sports } from "./sports.ts";

const world = await openSportsWorld("settled bets on matches");
const { clock, db, ledger, merchant, betId, player, available, holdWallet } = world;
const { process, coming, next, nextTwo, goalful, found, end, endAll, leg, winning, losing } = world;
const { bet, stateOf } = world;
let { here, other } = await world.opened();

beforeEach(async () => {
  ({ here, other } = await world.opened());
});
afterEach(world.expectOver);

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
    const key = betId();
    const taking = { account, key, amount, counterAccount: "house:test", effects: [effect] };
    return busy.debit({ ...taking, kind: "bet", ref: null, at: clock.now() });
  }
});

describe("while a winner's wallet is held", () => {
  it("all other bets of a match are settled, also behind it, and a later try pays the winner once", async () => {
    const fixture = await next("football");
    // In the order in which bets are settled: the held one's fill the first page.
    const [held, free] = await world.twoInOrder();
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
