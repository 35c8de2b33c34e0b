import { setTimeout as realSleep } from "node:timers/promises";
import type { SaranggolaState } from "@perya/contract/socket";
import type { OnWire } from "@perya/contract/wire";
import { elapsedAtMs, flightEndsAtMs, multiplierAt } from "@perya/games/saranggola";
import { present } from "@perya/kernel/assert";
import { CLOCKS_APART_MS, HOUR_MS, SECOND_MS } from "@perya/kernel/instant";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { codeOf, taken } from "../../../../../tests/server/answers.ts";
import { isQuiet, stillKept } from "../../../../../tests/server/fixtures.ts";
import { openSaranggolaWorld } from "../../../../../tests/server/saranggola-world.ts";
import { KEEPER_LEASE_MS, Keeper } from "../../platform/keeper.ts";
import { createLease } from "../../platform/lease.ts";
import { createLogger } from "../../platform/log.ts";
import { keptFlights } from "./flight-keeper.ts";
import { CRASHED_MS, type Flights, WAITING_MS } from "./flights.ts";
import { type FlightRow, findFlight } from "./saranggola.store.ts";
import type { Saranggola } from "./saranggola.ts";

const world = await openSaranggolaWorld("the keeper of the flights");
const { clock, db, otherLedger, merchant, player, available, process, prepared, crashed } = world;
const { flyingWith, bet } = world;
const log = createLogger({ level: "silent" });
let { game, other, view, otherView } = world.opened();

beforeEach(() => {
  ({ game, other, view, otherView } = world.opened());
});
afterEach(world.expectOver);

describe("the keeper of the flights", () => {
  beforeEach(() => {
    // Only the keeper waits by timers here; the database's sockets go on in real time.
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  });

  it("keeps one flight after another, pays targets, and releases the lease when it stops", async () => {
    const keeper = keeperOf(game, "one");
    keeper.start();
    const waiting = await seen((state) => state.phase === "waiting");
    // The first flight of this test should rise far enough for the target.
    const session = await player(10_000n);
    const placed = taken(
      await game.bet(merchant, session, { ...bet({ id: waiting.roundId }, 1_000n, 101) }),
    );
    const ended = await seen((state) => state.phase === "crashed");
    const next = await seen((state) => state.phase === "waiting");
    expect(next.roundId).not.toBe(waiting.roundId);
    await until(async () => (await game.betsOf(session))[0]?.state !== "placed");
    const [settled] = await game.betsOf(session);
    const reached = present(ended.crashedAt, "the crash") >= 101;
    expect(settled).toMatchObject({
      id: placed.id,
      state: reached ? "cashed" : "lost",
      payout: { minor: reached ? 1_010n : 0n },
    });
    await keeper.stop();
    const { rows } = await db.pool.query("SELECT holder FROM leases WHERE name = 'saranggola'");
    expect(rows).toEqual([]);
  });

  it("announces a crash when every process's clock has passed it, so that none pays for the news", async () => {
    const slow = { now: () => clock.now() - CLOCKS_APART_MS };
    const behind = process(otherLedger, view, slow);
    const flight = await prepared(250);
    const session = await player(10_000n);
    const given = bet(flight, 1_000n);
    taken(await game.bet(merchant, session, given));
    let asked: string | null = null;
    const besides: Promise<unknown>[] = [];
    await keptFlights(game.flights, clock).round({
      during: (work) => work,
      beside: (work) => void besides.push(work),
      until: async (instant) => {
        clock.set(Math.max(clock.now(), instant));
        return true;
      },
      wait: async () => {
        expect(view.snapshot(merchant.id)?.data.phase).toBe("crashed");
        asked = codeOf(await behind.cashOut(session, given.id));
      },
    });
    await Promise.all(besides);
    expect(asked).toBe("round_over");
    expect(await available(session)).toBe(9_000n);
  });

  it("pays a target when every process's clock has passed it, so that silence at the next one tells of no crash", async () => {
    const flight = await prepared(250);
    const session = await player(10_000n);
    taken(await game.bet(merchant, session, bet(flight, 1_000n, 200)));
    const waits: number[] = [];
    const besides: Promise<unknown>[] = [];
    await keptFlights(game.flights, clock).round({
      during: (work) => work,
      beside: (work) => void besides.push(work),
      until: async (instant) => {
        waits.push(instant - flight.starts_at.getTime());
        clock.set(Math.max(clock.now(), instant));
        return true;
      },
      wait: async () => undefined,
    });
    const instants = [elapsedAtMs(200), flightEndsAtMs(250)].map((ms) => ms + CLOCKS_APART_MS);
    expect(waits.slice(0, 3)).toEqual([0, ...instants]);
    await Promise.all(besides);
    await game.flights.settleEnded();
    expect(await available(session)).toBe(11_000n);
  });

  it("waits for a dead one's lease, voids its flight, shows that, and lets the next flight wait", async () => {
    const { flight, session } = await flyingWith(100_000, 1_000n, null);
    const dead = leaseOf("dead");
    expect(await dead.hold()).toBe(true);
    const expiresAt = clock.now() + KEEPER_LEASE_MS;
    const keeper = keeperOf(other, "heir");
    keeper.start();
    await until(async () => (await findFlight(db.pool, flight.id))?.phase === "voided");
    expect(clock.now()).toBeGreaterThan(expiresAt);
    const shownUntil = clock.now() + CRASHED_MS;
    await seen((state) => state.phase === "waiting" && state.roundId !== flight.id);
    // The test may have seen the void a little after the keeper did.
    expect(clock.now()).toBeGreaterThan(shownUntil - SECOND_MS);
    expect(await available(session)).toBe(10_000n);
    expect(await dead.hold()).toBe(false);
    await keeper.stop();
  });

  it("makes a waiting flight wait anew, with its bets, if the clock is set back an hour", async () => {
    const keeper = keeperOf(game, "one");
    keeper.start();
    const { roundId } = await seen((state) => state.phase === "waiting");
    const session = await player(10_000n);
    taken(await game.bet(merchant, session, bet({ id: roundId }, 1_000n, 101)));
    clock.set(clock.now() - HOUR_MS);
    const setBackAt = clock.now();
    await seen((state) => state.roundId === roundId && state.phase === "flying");
    expect(clock.now() - setBackAt).toBeLessThan(2 * WAITING_MS);
    await until(async () => (await game.betsOf(session))[0]?.state !== "placed");
    await keeper.stop();
  });

  it("brings a flight in the air down, and gives its stakes back, if the clock is set back an hour", async () => {
    const keeper = keeperOf(game, "one");
    keeper.start();
    const { roundId } = await seen((state) => state.phase === "waiting");
    await db.pool.query("UPDATE saranggola_rounds SET crash_at = 100000 WHERE id = $1", [roundId]);
    const session = await player(10_000n);
    taken(await game.bet(merchant, session, bet({ id: roundId }, 1_000n, 50_000)));
    await seen((state) => state.roundId === roundId && state.phase === "flying");
    clock.set(clock.now() - HOUR_MS);
    const setBackAt = clock.now();
    await seen((state) => state.roundId === roundId && state.phase === "voided");
    await seen((state) => state.roundId !== roundId && state.phase === "waiting");
    expect(clock.now() - setBackAt).toBeLessThan(2 * KEEPER_LEASE_MS);
    expect((await game.betsOf(session))[0]?.state).toBe("voided");
    expect(await available(session)).toBe(10_000n);
    await keeper.stop();
  });

  it("makes a waiting flight wait anew if its only process was stopped past the take-off", async () => {
    const keeper = keeperOf(game, "one");
    keeper.start();
    const { roundId } = await seen((state) => state.phase === "waiting");
    const session = await player(10_000n);
    taken(await game.bet(merchant, session, bet({ id: roundId }, 1_000n, 50_000)));
    // It is stopped: time goes on, its timers do not.
    clock.advance(60_000);
    const wokenAt = clock.now();
    const again = await seen((state) => state.phase === "waiting" && state.startsAt > wokenAt);
    expect(again.roundId).toBe(roundId);
    expect((await game.betsOf(session))[0]?.state).toBe("placed");
    await keeper.stop();
  });

  it.each([
    ["its only process was stopped past its end", () => clock.advance(60_000)],
    ["the clock is set ahead an hour", () => clock.set(clock.now() + HOUR_MS)],
  ])("brings a flight in the air down, and gives its stakes back, if %s", async (_, happens) => {
    const prepare = game.flights.prepare.bind(game.flights);
    // It flies for longer than the test watches, and for less than the events take.
    game.flights.prepare = async () => ({ ...(await prepare()), crash_at: 1_000 });
    const keeper = keeperOf(game, "one");
    keeper.start();
    const { roundId } = await seen((state) => state.phase === "waiting");
    const session = await player(10_000n);
    await db.pool.query("UPDATE saranggola_rounds SET crash_at = 1000 WHERE id = $1", [roundId]);
    // A target that a clock passes while no process keeps the flight.
    taken(await game.bet(merchant, session, bet({ id: roundId }, 1_000n, 500)));
    await seen((state) => state.roundId === roundId && state.phase === "flying");
    happens();
    await seen((state) => state.roundId === roundId && state.phase === "voided");
    await until(async () => (await game.betsOf(session))[0]?.state === "voided");
    expect(await available(session)).toBe(10_000n);
    await keeper.stop();
  });

  it("gives a flight that was not announced in time back completely, and shows it to nobody, however late it is found", async () => {
    const flight = await prepared(1_000);
    const [riding, auto] = [await player(10_000n), await player(10_000n)];
    const ridden = bet(flight, 1_000n);
    const automatic = bet(flight, 1_000n, 105);
    taken(await game.bet(merchant, riding, ridden));
    taken(await game.bet(merchant, auto, automatic));
    clock.set(flight.starts_at.getTime());
    await expect(takenOffIn(1_500, flight)).rejects.toThrow(/late/);
    await other.flights.watch();
    for (const shown of [view, otherView]) {
      expect(shown.snapshot(merchant.id)?.data.phase).toBe("waiting");
    }
    clock.advance(20_000);
    // Nor does it fly for a player who asks without having seen it, also past its crash.
    expect(codeOf(await other.cashOut(riding, ridden.id))).toBe("not_flying");
    clock.advance(60_000);
    expect(codeOf(await other.cashOut(auto, automatic.id))).toBe("not_flying");
    await other.flights.voidInterrupted(stillKept);
    expect(await available(riding)).toBe(10_000n);
    expect(await available(auto)).toBe(10_000n);
  });

  it("delays a take-off by what a slow database needs, so that the flight takes place", async () => {
    const slowMs = 2 * SECOND_MS;
    const first = await prepared(150);
    clock.set(first.starts_at.getTime());
    await expect(takenOffIn(slowMs, first)).rejects.toThrow(/late/);
    await game.flights.voidInterrupted(stillKept);
    const waiting = await prepared(150);
    const session = await player(10_000n);
    const given = bet(waiting, 1_000n);
    taken(await game.bet(merchant, session, given));
    clock.set(waiting.starts_at.getTime());
    const { flight } = await takenOffIn(slowMs, waiting);
    expect(flight.starts_at.getTime()).toBe(waiting.starts_at.getTime() + slowMs);
    for (const shown of [view, otherView]) {
      expect(shown.snapshot(merchant.id)?.data).toMatchObject({
        phase: "flying",
        startsAt: flight.starts_at.getTime(),
      });
    }
    expect(codeOf(await other.cashOut(session, given.id))).toBe("not_flying");
    clock.set(flight.starts_at.getTime() + elapsedAtMs(120));
    expect(taken(await other.cashOut(session, given.id)).cashedOutAt).toBe(120);
    await crashed(game, flight);
  });

  it("lets a flight whose time is past take off from its announcement on", async () => {
    const waiting = await prepared(150);
    clock.set(waiting.starts_at.getTime() + 3 * SECOND_MS);
    const { flight } = await game.flights.takeOff(waiting);
    expect(flight.starts_at.getTime()).toBe(clock.now());
    expect(view.snapshot(merchant.id)?.data).toMatchObject({ startsAt: clock.now() });
    await crashed(game, flight);
  });

  it("shows a flight only once a press at any process counts on it, however long writing that down takes", async () => {
    const { waiting, riders } = await twoRiders(1_000);
    const { takenOff, goOn } = await heldBeforeTold(waiting);
    clock.advance(900);
    await Promise.all([game.flights.watch(), other.flights.watch()]);
    for (const shown of [view, otherView]) {
      expect(shown.snapshot(merchant.id)?.data.phase).toBe("waiting");
    }
    for (const [by, session, id] of riders) {
      expect(codeOf(await by.cashOut(session, id))).toBe("not_flying");
    }
    await goOn();
    const { flight } = await takenOff;
    const multiplier = multiplierAt(900);
    for (const [by, session, id] of riders) {
      expect(taken(await by.cashOut(session, id)).cashedOutAt).toBe(multiplier);
    }
    for (const shown of [view, otherView]) {
      expect(shown.snapshot(merchant.id)?.data.phase).toBe("flying");
    }
    await crashed(game, flight);
  });

  it("measures how long writing an announcement down takes, and times the next flight by that", async () => {
    const late = await twoRiders(1_000);
    const held = await heldBeforeTold(late.waiting);
    clock.advance(1_500);
    await held.goOn();
    await expect(held.takenOff).rejects.toThrow(/late/);
    expect(view.snapshot(merchant.id)?.data.phase).toBe("waiting");
    await game.flights.voidInterrupted(stillKept);
    for (const [, session] of late.riders) expect(await available(session)).toBe(10_000n);

    const { waiting, riders } = await twoRiders(1_000);
    const again = await heldBeforeTold(waiting);
    clock.advance(1_500);
    await again.goOn();
    const { flight } = await again.takenOff;
    expect(flight.starts_at.getTime()).toBe(waiting.starts_at.getTime() + 1_500);
    clock.set(flight.starts_at.getTime() + elapsedAtMs(120));
    for (const [by, session, id] of riders) {
      expect(taken(await by.cashOut(session, id)).cashedOutAt).toBe(120);
    }
    await crashed(game, flight);
  });

  it("crashes no flight on its riders if the database has lost its announcement", async () => {
    const { waiting, riders } = await twoRiders(300);
    const { flight } = await game.flights.takeOff(waiting);
    await db.pool.query("UPDATE saranggola_rounds SET told = false WHERE id = $1", [flight.id]);
    clock.set(flight.starts_at.getTime() + elapsedAtMs(200));
    for (const [by, session, id] of riders) {
      expect(codeOf(await by.cashOut(session, id))).toBe("not_flying");
    }
    clock.set(flight.starts_at.getTime() + flightEndsAtMs(300));
    await expect(game.flights.crash(flight)).rejects.toThrow(/not flying/);
    await game.flights.voidInterrupted(stillKept);
    for (const [, session] of riders) expect(await available(session)).toBe(10_000n);
  });

  /** A flight whose time has come, with a rider by hand at each process. */
  async function twoRiders(crashAt: number) {
    const waiting = { ...(await prepared(crashAt)), crash_at: crashAt };
    const ridden = async (by: Saranggola) => {
      const [session, given] = [await player(10_000n), bet(waiting, 1_000n)];
      taken(await by.bet(merchant, session, given));
      return [by, session, given.id] as const;
    };
    const riders = [await ridden(game), await ridden(other)];
    clock.set(waiting.starts_at.getTime());
    return { waiting, riders };
  }

  /** A take-off whose flight is held from when it flies in the books, until it goes on. */
  async function heldBeforeTold(waiting: FlightRow) {
    const client = await db.pool.connect();
    await client.query("BEGIN");
    const held = new Promise<void>((isHeld) => {
      world.now.whilePictured = async () => {
        world.now.whilePictured = async () => undefined;
        await client.query("SELECT 1 FROM saranggola_rounds WHERE id = $1 FOR SHARE", [waiting.id]);
        isHeld();
      };
    });
    const takenOff = game.flights.takeOff(waiting);
    takenOff.catch(() => undefined);
    await held;
    await waitsForLock();
    const goOn = async () => {
      await client.query("ROLLBACK");
      client.release();
    };
    return { takenOff, goOn };
  }

  /** Something waits for a lock of another transaction of this database. */
  async function waitsForLock(): Promise<void> {
    for (let tries = 0; tries < 500; tries++) {
      const { rowCount } = await db.pool.query(
        `SELECT 1 FROM pg_stat_activity
         WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      if (rowCount !== 0) return;
      await realSleep(10);
    }
    throw new Error("nothing waits");
  }

  /** A take-off during which the database hangs for so long. */
  async function takenOffIn(ms: number, flight: FlightRow): ReturnType<Flights["takeOff"]> {
    const client = await db.pool.connect();
    await client.query("BEGIN");
    await client.query("SELECT 1 FROM saranggola_rounds WHERE id = $1 FOR SHARE", [flight.id]);
    const takenOff = game.flights.takeOff(flight);
    clock.advance(ms);
    await client.query("ROLLBACK");
    client.release();
    return takenOff;
  }

  function leaseOf(holder: string) {
    return createLease(db.pool, clock, "saranggola", holder, KEEPER_LEASE_MS);
  }

  function keeperOf(flown: Saranggola, holder: string): Keeper {
    const lease = leaseOf(holder);
    return new Keeper({
      ...{ kept: keptFlights(flown.flights, clock), lease, clock, elapsed: clock.elapsed, log },
      trouble: "it came down",
    });
  }

  /** Advances manual time and the timers together until the condition holds. */
  async function until(done: () => Promise<boolean> | boolean): Promise<void> {
    const look = async () => {
      if (await done()) return true;
      if (!isQuiet(db.pool)) return false;
      clock.advance(50);
      vi.advanceTimersByTime(50);
      return false;
    };
    await expect.poll(look, { interval: 1, timeout: 15_000 }).toBe(true);
  }

  async function seen(
    fits: (state: OnWire<SaranggolaState>) => boolean,
  ): Promise<OnWire<SaranggolaState>> {
    await until(() => {
      const shown = view.snapshot(merchant.id);
      return shown !== null && fits(shown.data);
    });
    return present(view.snapshot(merchant.id), "the picture").data;
  }
});
