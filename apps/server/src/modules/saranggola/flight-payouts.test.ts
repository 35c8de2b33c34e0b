import { setTimeout as realSleep } from "node:timers/promises";
import { elapsedAtMs, flightEndsAtMs } from "@perya/games/saranggola";
import { present } from "@perya/kernel/assert";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { codeOf, taken } from "../../../../../tests/server/answers.ts";
import { makeMember, stillKept } from "../../../../../tests/server/fixtures.ts";
import { openGameWorld } from "../../../../../tests/server/game-world.ts";
import { localBus } from "../../platform/bus.ts";
import type { Pace } from "../../platform/keeper.ts";
import { signingKey } from "../../platform/signing-key.ts";
import type { Versioned } from "../../platform/sockets/live.ts";
import type { Session } from "../identity/identity.ts";
import { VendorWallet } from "../vendors/vendors.ts";
import { keptFlights } from "./flight-keeper.ts";
import { type FlightRow, findFlight } from "./saranggola.store.ts";
import { Saranggola } from "./saranggola.ts";
import { SaranggolaView } from "./saranggola-view.ts";

/** What happens to a flight while wallets are held or the ledger is slow. */

const world = await openGameWorld("flight-payouts");
const { clock, entropy, db, ledger, otherLedger, merchant, betId, entriesOf, walletOf } = world;
const { available, holdWallet } = world;

/** Riders who bet at the same time. */
const AT_ONCE = 50;
let view: SaranggolaView;
const told: Versioned[] = [];
let game: Saranggola;
/** The same game in another process. */
let other: Saranggola;
/** What the keeper's rounds left running beside them. */
let besides: Promise<unknown>[];

beforeEach(() => {
  told.length = 0;
  besides = [];
  const bus = localBus();
  view = new SaranggolaView(bus, (_, event) => told.push(event));
  game = process(new VendorWallet(db.pool, ledger, clock), view);
  other = process(new VendorWallet(db.pool, otherLedger, clock), new SaranggolaView(bus, () => 0));
});

/** Nothing is owed in the end, and the books say so too. */
afterEach(async () => {
  const { rows } = await db.pool.query(
    `SELECT b.id FROM saranggola_bets b JOIN saranggola_rounds f ON f.id = b.round_id
     WHERE f.phase IN ('crashed', 'voided') AND b.state = 'placed'`,
  );
  expect(rows).toEqual([]);
  expect(await ledger.verify()).toEqual([]);
  await db.pool.query("UPDATE saranggola_rounds SET phase = 'flying' WHERE phase = 'waiting'");
  await game.flights.voidInterrupted(stillKept);
});

describe("while a rider's wallet is held", () => {
  it("the flight crashes in time, others are paid their targets, and the rider's is paid by the next round", async () => {
    const flight = await prepared(205);
    const [held, free, byHand] = await riders(flight, [150, 200, null]);
    const release = await holdWallet(held);
    await keptFlights(game.flights, clock).round(pace);
    const endsAt = flight.starts_at.getTime() + flightEndsAtMs(flight.crash_at);
    const { phase, ended_at } = await stored(flight);
    expect(phase).toBe("crashed");
    expect(present(ended_at, "its end").getTime() - endsAt).toBeLessThan(1_000);
    await Promise.all(besides);
    expect(await ended(free)).toEqual(["cashed", 200, 10_100n]);
    expect(await ended(byHand)).toEqual(["lost", null, 9_900n]);
    expect((await game.betsOf(held))[0]?.state).toBe("placed");
    await release();
    await nextRound();
    expect(await ended(held)).toEqual(["cashed", 150, 10_050n]);
    await nextRound();
    expect(await entriesOf(held, "win")).toBe(1);
  });

  it("the crash settles all others, and the next keeper pays it, however many flights later", async () => {
    const flight = await prepared(205);
    const [held, free, missed] = await riders(flight, [150, 200, 300]);
    await game.flights.takeOff(flight);
    const release = await holdWallet(held);
    await game.flights.settle(await game.flights.crash(flight));
    expect(await ended(free)).toEqual(["cashed", 200, 10_100n]);
    expect(await ended(missed)).toEqual(["lost", null, 9_900n]);
    await other.flights.settleEnded();
    expect((await game.betsOf(held))[0]?.state).toBe("placed");
    await release();
    await db.pool.query(
      `INSERT INTO saranggola_rounds (id, number, chain_id, chain_index, seed_hash, crash_at,
         phase, starts_at, form)
       SELECT 'later_' || n, f.number + n, f.chain_id, -n, '', 100, 'crashed', f.starts_at, f.form
       FROM saranggola_rounds f, generate_series(1, 40) n WHERE f.id = $1`,
      [flight.id],
    );
    await Promise.all([other.flights.settleEnded(), game.flights.settleEnded()]);
    expect(await ended(held)).toEqual(["cashed", 150, 10_050n]);
    expect(await entriesOf(held, "win")).toBe(1);
  });

  it("a cash-out by hand after the crash pays the target that is owed", async () => {
    const flight = await prepared(205);
    const [held] = await riders(flight, [150]);
    await game.flights.takeOff(flight);
    const release = await holdWallet(held);
    await game.flights.settle(await game.flights.crash(flight));
    clock.set(flight.starts_at.getTime() + flightEndsAtMs(205));
    const [bet] = await game.betsOf(held);
    await release();
    expect(taken(await other.cashOut(held, bet?.id ?? ""))).toMatchObject({ cashedOutAt: 150 });
    expect(await entriesOf(held, "win")).toBe(1);
  });

  it("a void pays the targets that the keeper had reached, gives the others their stakes back and owes the rider", async () => {
    const flight = await prepared(300);
    const sessions = await riders(flight, [150, 200, 250, null, 150, null]);
    const [held, unkept, unreached, byHand, reached, heldRider] = sessions;
    await game.flights.takeOff(flight);
    clock.set(flight.starts_at.getTime() + elapsedAtMs(150));
    const releases = [await holdWallet(held), await holdWallet(heldRider)];
    await game.flights.payReached(flight, 150);
    // Its keeper dies here, and no process keeps it when it would come to the next target.
    clock.set(flight.starts_at.getTime() + elapsedAtMs(200));
    expect(await other.flights.voidInterrupted(stillKept)).toBe(true);
    expect(await ended(unkept)).toEqual(["voided", null, 10_000n]);
    expect(await ended(reached)).toEqual(["cashed", 150, 10_050n]);
    expect(await ended(unreached)).toEqual(["voided", null, 10_000n]);
    expect(await ended(byHand)).toEqual(["voided", null, 10_000n]);
    expect((await stored(flight)).phase).toBe("voided");
    for (const one of [held, heldRider]) {
      expect((await game.betsOf(one))[0]?.state).toBe("placed");
    }
    for (const release of releases) await release();
    clock.advance(60_000);
    await game.flights.settleEnded();
    expect(await ended(held)).toEqual(["cashed", 150, 10_050n]);
    expect(await ended(heldRider)).toEqual(["voided", null, 10_000n]);
    expect(codeOf(await game.cashOut(heldRider, (await game.betsOf(heldRider))[0]?.id ?? ""))).toBe(
      "round_over",
    );
  });

  it("a bet that is being cashed out elsewhere is left by the crash, and lost if that cash-out fails", async () => {
    const flight = await prepared(205);
    const [paying, riding] = await riders(flight, [null, null]);
    await game.flights.takeOff(flight);
    const client = await db.pool.connect();
    await client.query("BEGIN");
    await client.query(
      "SELECT 1 FROM saranggola_bets WHERE round_id = $1 AND account_id = $2 FOR UPDATE",
      [flight.id, walletOf(paying).id],
    );
    await game.flights.settle(await game.flights.crash(flight));
    expect(await ended(riding)).toEqual(["lost", null, 9_900n]);
    expect((await game.betsOf(paying))[0]?.state).toBe("placed");
    await client.query("ROLLBACK");
    client.release();
    await game.flights.settleEnded();
    expect(await ended(paying)).toEqual(["lost", null, 9_900n]);
  });
});

it("a flight that somebody holds at its end, such as for a bet that is being booked, crashes when it is free", async () => {
  const flight = await prepared(205);
  const [reached, riding] = await riders(flight, [200, null]);
  const client = await db.pool.connect();
  let crashes = 0;
  const crash = game.flights.crash.bind(game.flights);
  game.flights.crash = async (given) => {
    crashes += 1;
    if (crashes === 1) {
      await client.query("BEGIN");
      await client.query("SELECT 1 FROM saranggola_rounds WHERE id = $1 FOR SHARE", [flight.id]);
    } else {
      await client.query("ROLLBACK");
      client.release();
    }
    return crash(given);
  };
  await keptFlights(game.flights, clock).round(pace);
  await Promise.all(besides);
  expect(crashes).toBe(2);
  expect((await stored(flight)).phase).toBe("crashed");
  expect(await ended(reached)).toEqual(["cashed", 200, 10_100n]);
  expect(await ended(riding)).toEqual(["lost", null, 9_900n]);
});

it("six hundred bets with one target are paid together, and the crash is announced though the ledger has paid none", async () => {
  const slow = new VendorWallet(db.pool, ledger, clock);
  const win = slow.win.bind(slow);
  let asked = 0;
  let open: () => void = () => undefined;
  const gate = new Promise<void>((done) => {
    open = done;
  });
  slow.win = async (given) => {
    asked += 1;
    await gate;
    return win(given);
  };
  game = process(slow, view);
  const flight = await prepared(205);
  const sessions = await riders(
    flight,
    Array.from({ length: 600 }, () => 200),
  );
  let commits = 0;
  let counts = false;
  ledger.onMoved(() => {
    if (counts) commits += 1;
  });
  await keptFlights(game.flights, clock).round({
    ...pace,
    until: async (instant) => {
      clock.set(Math.max(clock.now(), instant));
      // At the crash: later settlement does what was not requested by then.
      const targetReached = besides.length === 2;
      while (targetReached && asked < sessions.length) await realSleep(5);
      return true;
    },
    wait: async () => {
      expect(view.snapshot(merchant.id)?.data).toMatchObject({ phase: "crashed" });
      counts = true;
      open();
    },
  });
  await Promise.all(besides);
  counts = false;
  const events = told.map((one) => JSON.stringify(one));
  const crashAt = events.findIndex((event) => event.includes('"phase":"crashed"'));
  expect(crashAt).toBeGreaterThan(0);
  expect(events.slice(0, crashAt).join()).not.toContain('"cashedOutAt":200');
  const shown = present(view.snapshot(merchant.id), "the picture").data;
  expect(shown).toMatchObject({ phase: "crashed", betCount: sessions.length });
  expect(new Set(shown.bets.map(({ cashedOutAt }) => cashedOutAt))).toEqual(new Set([200]));
  // A batch takes 512, of its writer's lanes.
  expect(commits).toBeLessThan(20);
  for (const session of sessions) {
    expect(await available(session)).toBe(10_100n);
  }
});

/** Time goes on as far as the keeper waits for it. */
const pace: Pace = {
  until: async (instant) => {
    clock.set(Math.max(clock.now(), instant));
    // Lets begin what a real wait would have let begin.
    await realSleep(20);
    return true;
  },
  wait: () => realSleep(20),
  during: (work) => work,
  beside: (work) => void besides.push(work),
};

/** The beginning of the keeper's next round, with all that it leaves running. */
async function nextRound(): Promise<void> {
  await keptFlights(game.flights, clock).round({ ...pace, until: async () => false });
  await Promise.all(besides);
}

function process(wallet: VendorWallet, shown: SaranggolaView): Saranggola {
  return new Saranggola({
    ...{ pool: db.pool, wallet, clock, entropy, view: shown },
    signing: signingKey("secret", "chains"),
    ...{
      playRefusal: async () => null,
      sure: async () => undefined,
      brands: async () => [merchant],
    },
  });
}

/** A flight that waits now and will crash where the test wants it to. */
async function prepared(crashAt: number): Promise<FlightRow> {
  const flight = await game.flights.prepare();
  await db.pool.query("UPDATE saranggola_rounds SET crash_at = $2 WHERE id = $1", [
    flight.id,
    crashAt,
  ]);
  return { ...flight, crash_at: crashAt };
}

/** One player per target, each with a peso on the flight. */
async function riders<T extends readonly (number | null)[]>(
  flight: FlightRow,
  targets: readonly [...T],
): Promise<{ [K in keyof T]: Session }> {
  const ride = async (autoCashOut: number | null) => {
    const session = await makeMember({ pool: db.pool, ledger, clock }, merchant, {
      balance: 10_000n,
    });
    const stake = { minor: 100n, currency: "PHP" as const };
    const id = betId();
    const given = { id, roundId: flight.id, stake, autoCashOut };
    taken(await game.bet(merchant, session, given));
    return session;
  };
  const sessions: Session[] = [];
  // If more came at once, some would wait too long for their turn.
  for (let from = 0; from < targets.length; from += AT_ONCE) {
    sessions.push(...(await Promise.all(targets.slice(from, from + AT_ONCE).map(ride))));
  }
  // One session per target, in their order.
  return sessions as unknown as { [K in keyof T]: Session };
}

async function stored({ id }: FlightRow): Promise<FlightRow> {
  return present(await findFlight(db.pool, id), "the flight");
}

/** How a player's only bet ended: its state, its multiplier and what the wallet has now. */
async function ended(session: Session) {
  const [bet] = await game.betsOf(session);
  return [bet?.state, bet?.cashedOutAt, await available(session)];
}
