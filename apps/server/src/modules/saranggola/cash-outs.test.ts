import { setTimeout as realSleep } from "node:timers/promises";
import { cashOutMinor, elapsedAtMs, flightEndsAtMs, multiplierAt } from "@perya/games/saranggola";
import { present } from "@perya/kernel/assert";
import { CLOCKS_APART_MS, type Clock, SECOND_MS } from "@perya/kernel/instant";
import type pg from "pg";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { codeOf, taken } from "../../../../../tests/server/answers.ts";
import { stillKept } from "../../../../../tests/server/fixtures.ts";
import { openSaranggolaWorld } from "../../../../../tests/server/saranggola-world.ts";
import { localBus } from "../../platform/bus.ts";
import { CLOCK_SETTLES_MS } from "../../platform/clock.ts";
import { createLogger } from "../../platform/log.ts";
import { createPool } from "../../platform/postgres/pool.ts";
import { WAITING_MS } from "./flights.ts";
import { askOnce, betsOfRound, findFlight } from "./saranggola.store.ts";
import { type Saranggola, WRITTEN_WITHIN_MS } from "./saranggola.ts";
import { SaranggolaView } from "./saranggola-view.ts";

const world = await openSaranggolaWorld("cash-outs of Saranggola");
const { clock, db, ledger, otherLedger, merchant, told, player, available, entriesOf } = world;
const { holdWallet, lockAwaited, process, prepared, flown, crashed, flyingWith, bet } = world;
const log = createLogger({ level: "silent" });
let { game, other, view, otherView } = world.opened();

beforeEach(() => {
  ({ game, other, view, otherView } = world.opened());
});
afterEach(world.expectOver);

describe("a cash-out", () => {
  it("pays the multiplier of the moment at which it was received", async () => {
    const { flight, session, given } = await flyingWith(300, 1_000n, null);
    clock.set(flight.starts_at.getTime() + 7_000);
    const held = await holdWallet(session);
    const asked = game.cashOut(session, given.id);
    await lockAwaited();
    // The flight is long over by the time the ledger answers.
    clock.advance(60_000);
    await held();
    const paid = taken(await asked);
    const expected = multiplierAt(7_000);
    expect(paid).toMatchObject({ state: "cashed", cashedOutAt: expected });
    expect(paid.payout.minor).toBe(cashOutMinor(1_000n, expected));
    expect(await available(session)).toBe(9_000n + paid.payout.minor);
    for (const process of [game, other]) {
      expect(taken(await process.cashOut(session, given.id))).toEqual(paid);
    }
    expect(await available(session)).toBe(9_000n + paid.payout.minor);
    expect(view.snapshot(merchant.id)?.data.bets[0]).toMatchObject({ cashedOutAt: expected });
  });

  it("counts in the last millisecond before the crash, and not in the next", async () => {
    const end = flightEndsAtMs(150);
    const inTime = await flyingWith(150, 1_000n, null);
    clock.set(inTime.flight.starts_at.getTime() + end - 1);
    expect(taken(await game.cashOut(inTime.session, inTime.given.id)).cashedOutAt).toBe(150);
    await flown(inTime.flight);

    const late = await flyingWith(150, 1_000n, null);
    clock.set(late.flight.starts_at.getTime() + end);
    expect(codeOf(await game.cashOut(late.session, late.given.id))).toBe("round_over");
    await flown(late.flight);
    expect(await available(late.session)).toBe(9_000n);
  });

  it("that is too late is answered no sooner than the crash", async () => {
    const waits: number[] = [];
    const patient = process(ledger, view, clock, db.pool, async (ms) => {
      waits.push(ms);
      clock.advance(ms);
    });
    for (const late of [0, CLOCKS_APART_MS - 1, CLOCKS_APART_MS]) {
      const { flight, session, given } = await flyingWith(150, 1_000n, null);
      clock.set(flight.starts_at.getTime() + flightEndsAtMs(150) + late);
      expect(codeOf(await patient.cashOut(session, given.id))).toBe("round_over");
      const waited = [...waits];
      // By then it is in the books.
      expect(codeOf(await patient.cashOut(session, given.id))).toBe("round_over");
      expect(waits).toEqual(waited);
      await flown(flight);
    }
    expect(waits).toEqual([CLOCKS_APART_MS, 1]);
  });

  it("that is too late is one write per process, however many riders are late at once", async () => {
    const flight = await prepared(150);
    const riders = await Promise.all(Array.from({ length: 5 }, () => player(10_000n)));
    const bets = await Promise.all(
      riders.map(async (session) => {
        const given = bet(flight, 1_000n);
        taken(await game.bet(merchant, session, given));
        return { session, given };
      }),
    );
    clock.set(flight.starts_at.getTime());
    await game.flights.takeOff(flight);
    clock.advance(flightEndsAtMs(150) + CLOCKS_APART_MS);
    const query = vi.spyOn(db.pool, "query");
    const answers = await Promise.all(
      bets.map(({ session, given }) => game.cashOut(session, given.id)),
    );
    const written = query.mock.calls.filter(([text]) => `${text}`.includes("SET phase"));
    query.mockRestore();
    expect(answers.map(codeOf)).toEqual(riders.map(() => "round_over"));
    expect(written).toHaveLength(1);
    await flown(flight);
  });

  it("in time is answered, and its money seen, no sooner than a crash at that moment would be announced", async () => {
    const seen: string[] = [];
    const patient = process(ledger, view, clock, db.pool, async (ms) => {
      const { state } = present((await game.betsOf(rider.session))[0], "the bet");
      seen.push(`${ms} ms, ${state}, ${await available(rider.session)}`);
      clock.advance(ms);
    });
    const rider = await flyingWith(300, 1_000n, null);
    clock.set(rider.flight.starts_at.getTime() + elapsedAtMs(200));
    expect(taken(await patient.cashOut(rider.session, rider.given.id)).cashedOutAt).toBe(200);
    expect(seen).toEqual([`${CLOCKS_APART_MS} ms, placed, 9000`]);
    expect(await available(rider.session)).toBe(11_000n);
    await flown(rider.flight);
  });

  it("past a target that its flight has reached is answered as one before the crash is, and after it", async () => {
    const waits: number[] = [];
    const patient = process(ledger, view, clock, db.pool, async (ms) => {
      waits.push(ms);
      clock.advance(ms);
    });
    for (const at of [elapsedAtMs(200), flightEndsAtMs(250)]) {
      const { flight, session, given } = await flyingWith(250, 1_000n, 150);
      clock.set(flight.starts_at.getTime() + at);
      expect(taken(await patient.cashOut(session, given.id)).cashedOutAt).toBe(150);
      await flown(flight);
    }
    expect(waits).toEqual([CLOCKS_APART_MS, CLOCKS_APART_MS]);
  });

  it("after the crash is refused, and pays nobody, also if the clock is set back into the flight", async () => {
    const { flight, session, given } = await flyingWith(300, 1_000n, null);
    clock.set(flight.starts_at.getTime() + flightEndsAtMs(300) + CLOCKS_APART_MS);
    const ended = await game.flights.crash({ ...flight, crash_at: 300 });
    clock.set(flight.starts_at.getTime() + elapsedAtMs(200));
    expect(codeOf(await game.cashOut(session, given.id))).toBe("round_over");
    await game.flights.settle(ended);
    expect(await available(session)).toBe(9_000n);
  });

  it("is refused before the flight has left the ground", async () => {
    const flight = await prepared(300);
    const session = await player(10_000n);
    const given = bet(flight, 1_000n);
    await game.bet(merchant, session, given);
    expect(codeOf(await game.cashOut(session, given.id))).toBe("not_flying");
    // Past its time with no keeper to fly it: it will wait anew.
    clock.set(flight.starts_at.getTime() + 5_000);
    expect(codeOf(await game.cashOut(session, given.id))).toBe("not_flying");
    clock.set(flight.starts_at.getTime());
    await game.flights.takeOff(flight);
    expect(codeOf(await game.cashOut(session, given.id))).toBe("not_flying");
    await flown(flight);
  });

  it("by hand after the target pays the target", async () => {
    const { flight, session, given } = await flyingWith(300, 1_000n, 150);
    clock.set(flight.starts_at.getTime() + elapsedAtMs(200));
    const paid = taken(await game.cashOut(session, given.id));
    expect(paid).toMatchObject({ cashedOutAt: 150, payout: { minor: 1_500n } });
  });

  it("of another player's bet, or of none, finds nothing", async () => {
    const { flight, given } = await flyingWith(300, 1_000n, null);
    clock.set(flight.starts_at.getTime() + 5_000);
    const stranger = await player(1_000n);
    expect(codeOf(await game.cashOut(stranger, given.id))).toBe("not_found");
    await flown(flight);
  });

  it("races the keeper and another process, and the bet is settled once", async () => {
    const { flight, session, given } = await flyingWith(300, 1_000n, 150);
    clock.set(flight.starts_at.getTime() + elapsedAtMs(150));
    const [row] = await betsOfRound(db.pool, flight.id);
    const placed = present(row, "the bet");
    const results = await Promise.all([
      game.pay(placed, 150),
      other.cashOut(session, given.id),
      game.cashOut(session, given.id),
      other.pay(placed, 150),
    ]);
    for (const result of results) expect(taken(result).cashedOutAt).toBe(150);
    expect(await available(session)).toBe(10_500n);
    expect(await entriesOf(session, "win")).toBe(1);
  });

  it("races a voided flight: either the win or the refund, never both", async () => {
    for (let i = 0; i < 5; i++) {
      const { flight, session, given } = await flyingWith(300, 1_000n, null);
      clock.set(flight.starts_at.getTime() + elapsedAtMs(150));
      const [paid] = await Promise.all([
        game.cashOut(session, given.id),
        other.flights.voidInterrupted(stillKept).catch(() => undefined),
      ]);
      await other.flights.voidInterrupted(stillKept);
      const [bet] = await game.betsOf(session);
      expect(bet?.state).toBe(paid.ok ? "cashed" : "voided");
      expect(await available(session)).toBe(paid.ok ? 10_500n : 10_000n);
    }
  });
});

describe("when the database's clock is set while a flight is in the air", () => {
  it.each([
    ["ahead, past its crash too,", 200, 60 * SECOND_MS],
    ["ahead", 100_000, 30 * SECOND_MS],
    ["ahead by little", 100_000, 2 * SECOND_MS],
    ["back", 100_000, -2 * SECOND_MS],
  ])(
    "%s a process that follows it first pays nothing by it, and the flight goes back",
    async (_, crashAt, by) => {
      const flight = await prepared(crashAt);
      const [asker, presser, auto, rider] = [
        await player(10_000n),
        await player(10_000n),
        await player(10_000n),
        await player(10_000n),
      ];
      const [asked, pressed] = [bet(flight, 1_000n), bet(flight, 1_000n)];
      const automatic = bet(flight, 1_000n, 150);
      taken(await game.bet(merchant, asker, asked));
      taken(await game.bet(merchant, presser, pressed));
      taken(await game.bet(merchant, auto, automatic));
      taken(await game.bet(merchant, rider, bet(flight, 1_000n, 110)));
      clock.set(flight.starts_at.getTime());
      await game.flights.takeOff(flight);
      clock.advance(elapsedAtMs(130));
      taken(await game.cashOut(asker, asked.id));
      await game.flights.payReached(flight, 110);
      const [following, set] = setClock();
      const moved = process(otherLedger, otherView, following);
      set(by);
      for (const [session, given] of [
        [presser, pressed],
        [auto, automatic],
      ] as const) {
        expect(codeOf(await moved.cashOut(session, given.id))).toBe("round_over");
      }
      // Its keeper, whose clock follows later, neither pays a target nor crashes it.
      clock.advance(elapsedAtMs(151) - elapsedAtMs(130));
      await game.flights.payReached(flight, 150);
      await expect(game.flights.crash(flight)).rejects.toThrow(/not flying any more/);
      await game.flights.settleEnded();
      const balances = await Promise.all([asker, presser, auto, rider].map(available));
      expect(balances).toEqual([10_300n, 10_000n, 10_000n, 10_100n]);
      expect(otherView.snapshot(merchant.id)?.data.phase).toBe("voided");
    },
  );

  it("no flight is given back whose end was announced by a process that had not followed yet", async () => {
    const flight = await prepared(200);
    const [late, rider] = [await player(10_000n), await player(10_000n)];
    const [lateBet, ridden] = [bet(flight, 1_000n), bet(flight, 1_000n)];
    taken(await game.bet(merchant, late, lateBet));
    taken(await game.bet(merchant, rider, ridden));
    clock.set(flight.starts_at.getTime());
    await game.flights.takeOff(flight);
    clock.advance(flightEndsAtMs(200) + CLOCKS_APART_MS);
    const [following, set] = setClock();
    set(-900);
    const keeper = process(otherLedger, otherView, following);
    expect(codeOf(await game.cashOut(late, lateBet.id))).toBe("round_over");
    // By the keeper's clock it flies on.
    expect(codeOf(await keeper.cashOut(rider, ridden.id))).toBe("round_over");
    await keeper.flights.voidInterrupted(stillKept);
    await keeper.flights.settleEnded();
    expect(await Promise.all([late, rider].map(available))).toEqual([9_000n, 9_000n]);
    expect(otherView.snapshot(merchant.id)?.data.phase).toBe("crashed");
  });

  it.each([
    ["crashed", "brings it down"],
    ["crashed", "is asked by a late rider"],
    ["voided", "brings it down"],
    ["voided", "is asked by a late rider"],
  ])(
    "a keeper's players see a flight %s by a process that could not announce it as soon as the keeper %s",
    async (phase, what) => {
      const [following, set] = setClock();
      const unheard = new SaranggolaView(localBus(), () => undefined);
      const cut = process(otherLedger, unheard, following);
      const { flight, session, given } = await flyingWith(200, 1_000n, null);
      clock.set(flight.starts_at.getTime() + flightEndsAtMs(200) + CLOCKS_APART_MS);
      if (phase === "voided") set(-900);
      expect(codeOf(await cut.cashOut(session, given.id))).toBe("round_over");
      expect(view.snapshot(merchant.id)?.data.phase).toBe("flying");
      if (what === "brings it down") await game.flights.crash(flight).catch(() => undefined);
      else expect(codeOf(await game.cashOut(session, given.id))).toBe("round_over");
      expect(told.at(-1)?.event).toMatchObject({ type: "phase", state: { phase } });
      await game.flights.settleEnded();
      expect(await available(session)).toBe(phase === "voided" ? 10_000n : 9_000n);
    },
  );

  it("nobody hears of an end by a clock that was set while its message waited, and the stakes go back", async () => {
    const [following, set] = setClock();
    const waiting = process(ledger, view, following, db.pool, async () => set(-900));
    const { flight, session, given } = await flyingWith(200, 1_000n, null);
    clock.set(flight.starts_at.getTime() + flightEndsAtMs(200));
    expect(codeOf(await waiting.cashOut(session, given.id))).toBe("round_over");
    await game.flights.settleEnded();
    expect((await findFlight(db.pool, flight.id))?.phase).toBe("voided");
    expect(await available(session)).toBe(10_000n);
  });

  it("no keeper that follows it lets a flight take off before every process judges by the new clock", async () => {
    const [following, set] = setClock();
    const moved = process(otherLedger, otherView, following);
    const left = await prepared(200);
    const session = await player(10_000n);
    const given = bet(left, 1_000n);
    taken(await game.bet(merchant, session, given));
    set(30 * SECOND_MS);
    const flight = await moved.flights.prepare();
    expect(flight.id).toBe(left.id);
    expect(flight.starts_at.getTime() - following.now()).toBe(2 * CLOCK_SETTLES_MS);
    clock.advance(2 * CLOCK_SETTLES_MS);
    await moved.flights.takeOff(flight);
    clock.advance(elapsedAtMs(150));
    expect(taken(await moved.cashOut(session, given.id)).cashedOutAt).toBe(150);
    await crashed(moved, { ...flight, crash_at: 200 });
    expect((await moved.flights.prepare()).starts_at.getTime() - following.now()).toBe(WAITING_MS);
  });

  it("a flight whose take-off was once written with parts of a millisecond takes place", async () => {
    const flight = await game.flights.prepare();
    await db.pool.query(
      `UPDATE saranggola_rounds SET starts_at = starts_at + interval '665 microseconds'
       WHERE id = $1`,
      [flight.id],
    );
    const again = await game.flights.prepare();
    expect(again.id).toBe(flight.id);
    await db.pool.query(
      `UPDATE saranggola_rounds SET starts_at = starts_at + interval '665 microseconds'
       WHERE id = $1`,
      [flight.id],
    );
    clock.set(again.starts_at.getTime());
    await game.flights.takeOff(again);
    await crashed(game, { ...again, crash_at: 200 });
  });

  /** A process's clock that is set while it runs, as the database's was. */
  function setClock(): [Clock, (by: number) => void] {
    let [ahead, setAt] = [0, Number.NEGATIVE_INFINITY];
    const following = { now: () => clock.now() + ahead, sinceSetMs: () => clock.elapsed() - setAt };
    return [
      following,
      (by) => {
        [ahead, setAt] = [by, clock.elapsed()];
      },
    ];
  }
});

describe("a cash-out that waits for its wallet", () => {
  it("is paid as it was first requested, whatever another process is asked meanwhile", async () => {
    const { flight, session, given } = await flyingWith(300, 1_000n, null);
    clock.set(flight.starts_at.getTime() + elapsedAtMs(150));
    const held = await holdWallet(session);
    const first = game.cashOut(session, given.id);
    await lockAwaited();
    clock.set(flight.starts_at.getTime() + elapsedAtMs(200));
    const second = other.cashOut(session, given.id);
    await realSleep(50);
    await held();
    for (const paid of [await first, await second]) expect(taken(paid).cashedOutAt).toBe(150);
    expect(await available(session)).toBe(10_500n);
    await flown(flight);
  });

  it("is paid when the flight is over, if it was requested in time", async () => {
    const { flight, session, given } = await flyingWith(300, 1_000n, null);
    const [bet] = await betsOfRound(db.pool, flight.id);
    expect(await askOnce(db.pool, present(bet ?? null, "the bet"), () => 150)).toBe(150);
    clock.set(flight.starts_at.getTime() + flightEndsAtMs(300));
    await flown(flight);
    expect((await game.betsOf(session))[0]).toMatchObject({ state: "cashed", cashedOutAt: 150 });
    expect(taken(await game.cashOut(session, given.id)).cashedOutAt).toBe(150);
    expect(await available(session)).toBe(10_500n);
  });
});

describe("a cash-out at a process that is slow to write it down", () => {
  let slowPool: pg.Pool;
  let slow: Saranggola;

  beforeEach(() => {
    slowPool = createPool(db.url, { max: 1, log });
    slow = process(ledger, view, clock, slowPool);
  });

  afterEach(() => slowPool.end());

  it("is not taken if the flight comes down meanwhile", async () => {
    const { flight, session, given, write } = await askedAt(150, 200);
    clock.set(flight.starts_at.getTime() + flightEndsAtMs(200) + CLOCKS_APART_MS);
    const ended = await game.flights.crash(flight);
    expect(codeOf(await write())).toBe("round_over");
    await game.flights.settle(ended);
    expect((await game.betsOf(session))[0]).toMatchObject({ id: given.id, state: "lost" });
    expect(await available(session)).toBe(9_000n);
  });

  it("is not taken if the flight is past its end and nobody has announced that", async () => {
    const { flight, session, write } = await askedAt(150, 200);
    clock.set(flight.starts_at.getTime() + flightEndsAtMs(200));
    expect(codeOf(await write())).toBe("round_over");
    await crashed(game, flight);
    expect(await available(session)).toBe(9_000n);
  });

  it("pays the target that the flight has reached meanwhile", async () => {
    const { flight, session, write } = await askedAt(150, 200, 180);
    clock.set(flight.starts_at.getTime() + flightEndsAtMs(200));
    expect(taken(await write()).cashedOutAt).toBe(180);
    await crashed(game, flight);
    expect(await available(session)).toBe(10_800n);
  });

  it("is answered as the one at another process that was written down meanwhile", async () => {
    const { flight, session, given, write } = await askedAt(150, 300);
    clock.set(flight.starts_at.getTime() + elapsedAtMs(200));
    expect(taken(await other.cashOut(session, given.id)).cashedOutAt).toBe(200);
    expect(taken(await write()).cashedOutAt).toBe(200);
    expect(await entriesOf(session, "win")).toBe(1);
    await crashed(game, flight);
  });

  it("pays the multiplier at which it is written down, if the flight goes on", async () => {
    const { flight, session, write } = await askedAt(150, 300);
    clock.set(flight.starts_at.getTime() + elapsedAtMs(200));
    expect(taken(await write()).cashedOutAt).toBe(200);
    expect(await available(session)).toBe(11_000n);
    await crashed(game, flight);
  });

  it("pays as it was received if that takes no longer than allowed, past the crash too", async () => {
    const { flight, session, write } = await askedAt(200, 200);
    clock.advance(WRITTEN_WITHIN_MS);
    expect(clock.now()).toBeGreaterThan(flight.starts_at.getTime() + flightEndsAtMs(200));
    const ended = await game.flights.crash(flight);
    expect(taken(await write()).cashedOutAt).toBe(200);
    await game.flights.settle(ended);
    expect(await available(session)).toBe(11_000n);
  });

  it("brings the flight down if the clock is set meanwhile, and the stake goes back", async () => {
    let setAt = Number.NEGATIVE_INFINITY;
    const following = { now: clock.now, sinceSetMs: () => clock.elapsed() - setAt };
    slow = process(ledger, view, following, slowPool);
    const { session, write } = await askedAt(150, 100_000);
    setAt = clock.elapsed();
    clock.set(clock.now() + 30 * SECOND_MS);
    expect(codeOf(await write())).toBe("round_over");
    await game.flights.settleEnded();
    expect((await game.betsOf(session))[0]?.state).toBe("voided");
    expect(await available(session)).toBe(10_000n);
  });

  it("returns less than the stake to a player who asks another process as late as the first allows", () => {
    // Paid at the second wish if the flight has come so far, else at the first: P(crash >= m) is 0.99
    // / m, and the multiplier grows by e^(0.00006 t).
    const apartMs = WRITTEN_WITHIN_MS + CLOCKS_APART_MS;
    expect(0.99 * (2 - Math.exp(-0.00006 * apartMs))).toBeLessThan(1);
  });

  /** A cash-out that the slow process received at `hundredths` and has yet to write down. */
  async function askedAt(hundredths: number, crashAt: number, target: number | null = null) {
    const { flight, session, given } = await flyingWith(crashAt, 1_000n, target);
    clock.set(flight.starts_at.getTime() + elapsedAtMs(hundredths));
    let held = await slowPool.connect();
    const asked = slow.cashOut(session, given.id);
    // The bet and its flight are read; requests for the only connection get it in turn.
    for (let read = 0; read < 2; read++) {
      await expect.poll(() => slowPool.waitingCount).toBe(1);
      const next = slowPool.connect();
      held.release();
      held = await next;
    }
    await expect.poll(() => slowPool.waitingCount).toBe(1);
    const write = () => {
      held.release();
      return asked;
    };
    return { flight, session, given, write };
  }
});
