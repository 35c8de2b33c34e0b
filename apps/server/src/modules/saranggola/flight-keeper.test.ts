import { setTimeout as realSleep } from "node:timers/promises";
import { elapsedAtMs } from "@perya/games/saranggola";
import { present } from "@perya/kernel/assert";
import { mintId } from "@perya/kernel/ids";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { taken } from "../../../../../tests/server/answers.ts";
import {
  availableOf,
  freshSeed,
  ledgerOfFile,
  makeBrand,
  makeMember,
  manualClock,
  seededEntropy,
  stillKept,
} from "../../../../../tests/server/fixtures.ts";
import { type LinkedBuses, linkedBuses } from "../../../../../tests/server/linked-buses.ts";
import { databaseOfFile } from "../../../../../tests/setup/test-database.ts";
import type { Bus } from "../../platform/bus.ts";
import { KEEPER_LEASE_MS, Keeper } from "../../platform/keeper.ts";
import { createLease } from "../../platform/lease.ts";
import { createLogger } from "../../platform/log.ts";
import { signingKey } from "../../platform/signing-key.ts";
import type { Versioned } from "../../platform/sockets/live.ts";
import type { Session } from "../identity/identity.ts";
import { accountOf } from "../ledger/ledger.ts";
import { VendorWallet } from "../vendors/vendors.ts";
import { keptFlights } from "./flight-keeper.ts";
import { WAITING_MS } from "./flights.ts";
import { type FlightRow, findFlight, setStart } from "./saranggola.store.ts";
import { Saranggola } from "./saranggola.ts";
import { SaranggolaView } from "./saranggola-view.ts";

const clock = manualClock();
const entropy = seededEntropy(freshSeed("flight-keeper"));
const log = createLogger({ level: "silent" });
let buses: LinkedBuses;
/** Two processes, what each shows, and what the sockets of the second were sent. */
let view: SaranggolaView;
let otherView: SaranggolaView;
let game: Saranggola;
let other: Saranggola;
const told: Versioned[] = [];

const db = await databaseOfFile();
const ledger = ledgerOfFile(db);
const merchant = await makeBrand(db.pool, clock);

beforeEach(() => {
  told.length = 0;
  buses = linkedBuses();
  [game, view] = process(buses.one, () => undefined);
  [other, otherView] = process(buses.other, (event) => told.push(event));
});

/** No test leaves a flight open. */
afterEach(async () => {
  vi.useRealTimers();
  await db.pool.query("UPDATE saranggola_rounds SET phase = 'flying' WHERE phase = 'waiting'");
  await game.flights.voidInterrupted(stillKept);
  expect(await ledger.verify()).toEqual([]);
});

describe("a flight whose lease another process has taken", () => {
  it("is not flown before its newly announced take-off by a keeper that wakes", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const lease = (holder: string) =>
      createLease(db.pool, clock, "saranggola", holder, KEEPER_LEASE_MS);
    const sleeper = new Keeper({
      kept: keptFlights(game.flights, clock),
      ...{ lease: lease("sleeper"), clock, elapsed: clock.elapsed, log, trouble: "it came down" },
    });
    sleeper.start();
    const lastSecond = () => {
      const shown = view.snapshot(merchant.id)?.data;
      return shown?.phase === "waiting" && shown.startsAt - clock.now() < 500;
    };
    for (let turn = 0; turn < 5_000 && !lastSecond(); turn++) {
      clock.advance(50);
      vi.advanceTimersByTime(50);
      await realSleep(2);
    }
    expect(lastSecond()).toBe(true);
    // It sleeps: time goes on, its timers do not.
    clock.advance(KEEPER_LEASE_MS + 1_000);
    expect(await lease("heir").hold()).toBe(true);
    await other.flights.voidInterrupted(stillKept);
    const again = await other.flights.prepare();
    clock.advance(1_500);
    for (let turn = 0; turn < 20; turn++) {
      vi.advanceTimersByTime(50);
      await realSleep(5);
    }
    const standing = await storedFlight(again);
    expect(standing).toMatchObject({ phase: "waiting", starts_at: again.starts_at });
    await sleeper.stop();
    await lease("heir").release();
  });

  it("is not brought down by a process that took over earlier and reads of it late", async () => {
    const flight = await other.flights.prepare();
    const lease = (holder: string) =>
      createLease(db.pool, clock, "saranggola", holder, KEEPER_LEASE_MS);
    const client = await db.pool.connect();
    await client.query("BEGIN");
    await client.query("LOCK TABLE saranggola_rounds IN ACCESS EXCLUSIVE MODE");
    const takesOver = vi.spyOn(game.flights, "voidInterrupted");
    const sleeper = new Keeper({
      kept: keptFlights(game.flights, clock),
      ...{ lease: lease("sleeper"), clock, elapsed: clock.elapsed, log, trouble: "it came down" },
    });
    sleeper.start();
    await expect.poll(() => takesOver.mock.results.length).toBe(1);
    // The database hangs, and answers when its lease is another process's.
    clock.advance(KEEPER_LEASE_MS + 1);
    expect(await lease("heir").hold()).toBe(true);
    await client.query("UPDATE saranggola_rounds SET phase = 'flying' WHERE id = $1", [flight.id]);
    await client.query("COMMIT");
    client.release();
    await expect(takesOver.mock.results[0]?.value).rejects.toThrow(/lease has ended/);
    expect((await storedFlight(flight)).phase).toBe("flying");
    await sleeper.stop();
    await lease("heir").release();
  });

  it("refuses each step of a process that remembers another take-off, and loses nobody's bet", async () => {
    const flight = await game.flights.prepare();
    const session = await player();
    taken(await game.bet(merchant, session, bet(flight)));
    clock.advance(WAITING_MS);
    await other.flights.voidInterrupted(stillKept);
    const again = await other.flights.prepare();
    await expect(game.flights.takeOff(flight)).rejects.toThrow(/not waiting any more/);
    expect(await setStart(db.pool, flight, clock.now())).toBe(false);
    expect(await storedFlight(again)).toMatchObject({
      phase: "waiting",
      starts_at: again.starts_at,
    });
    await other.flights.takeOff(again);
    await expect(game.flights.crash(flight)).rejects.toThrow(/not flying any more/);
    // A take-off is final: payments in the air are counted from it.
    expect(await setStart(db.pool, again, clock.now())).toBe(false);
    expect(await storedFlight(again)).toMatchObject({
      phase: "flying",
      starts_at: again.starts_at,
    });
    expect((await game.betsOf(session))[0]?.state).toBe("placed");
    await other.flights.voidInterrupted(stillKept);
    expect(await availableOf(ledger, accountOf(session.memberId, session.currency))).toBe(10_000n);
  });
});

it("a flight that one keeper crashes while another voids it ends in one of the two ways for all", async () => {
  for (let tries = 0; tries < 6; tries++) {
    const prepared = await game.flights.prepare();
    const flight = { ...prepared, crash_at: 300 };
    await db.pool.query("UPDATE saranggola_rounds SET crash_at = 300 WHERE id = $1", [flight.id]);
    const riders = await Promise.all([player(), player(), player()]);
    for (const rider of riders) {
      taken(await game.bet(merchant, rider, { ...bet(flight), autoCashOut: 200 }));
    }
    clock.set(flight.starts_at.getTime());
    await game.flights.takeOff(flight);
    const ends = await Promise.allSettled([
      other.flights.voidInterrupted(stillKept),
      realSleep(tries).then(() => crashed(game, flight)),
    ]);
    expect(ends.map(({ status }) => status)).toContain("fulfilled");
    await other.flights.settleEnded();
    const { phase } = await storedFlight(flight);
    for (const rider of riders) {
      const state = phase === "crashed" ? "cashed" : "voided";
      expect((await game.betsOf(rider))[0]?.state).toBe(state);
    }
  }
});

describe("while the bus is cut", () => {
  it("the flight of another process is shown as it is, with its bets, at each look", async () => {
    await game.flights.prepare();
    await other.flights.watch();
    buses.cut();
    for (let flights = 0; flights < 2; flights++) {
      const flight = flights === 0 ? await standingOfLatest() : await game.flights.prepare();
      const session = await player();
      const given = bet(flight);
      taken(await game.bet(merchant, session, given));
      await seenAlike();
      clock.set(flight.starts_at.getTime());
      await db.pool.query("UPDATE saranggola_rounds SET crash_at = 300 WHERE id = $1", [flight.id]);
      await game.flights.takeOff(flight);
      await seenAlike();
      clock.advance(elapsedAtMs(150));
      taken(await game.cashOut(session, given.id));
      await seenAlike();
      await crashed(game, { ...flight, crash_at: 300 });
      await seenAlike();
    }
    // Nothing new, nothing sent.
    const times = told.length;
    await other.flights.watch();
    await other.flights.watch();
    expect(told.length).toBe(times);
    expect(shownBy(otherView)).toMatchObject({ phase: "crashed", crashedAt: 300 });
  });

  it("late messages of the bus take no screen back, and a bet that was lost is shown", async () => {
    const flight = await game.flights.prepare();
    buses.cut();
    await other.flights.watch();
    clock.set(flight.starts_at.getTime() - 1);
    taken(await game.bet(merchant, await player(), bet(flight)));
    buses.mend();
    await seenAlike();
    clock.set(flight.starts_at.getTime());
    await game.flights.takeOff(flight);
    await crashed(game, flight);
    await game.flights.prepare();
    const [shown, times] = [shownBy(otherView), told.length];
    buses.bringLate();
    expect(shownBy(otherView)).toEqual(shown);
    expect(told.length).toBe(times);
    // A page applies each event after the one before it.
    const versions = told.map(({ version }) => version);
    expect(versions).toEqual([...new Set(versions)].sort((a, b) => a - b));
  });

  it("a phase that was lost unnoticed is seen at the next look", async () => {
    const flight = await game.flights.prepare();
    buses.cut();
    await game.flights.takeOff(flight);
    buses.mend();
    await seenAlike();
    expect(shownBy(otherView)?.phase).toBe("flying");
  });
});

/** After one look, a process that does not keep the flights shows the same as the one that does. */
async function seenAlike(): Promise<void> {
  await other.flights.watch();
  expect(shownBy(otherView)).toEqual(shownBy(view));
}

/** What a process shows, without the time of showing. */
function shownBy(view: SaranggolaView) {
  const shown = view.snapshot(merchant.id);
  return shown === null ? null : { ...shown.data, now: 0 };
}

function process(bus: Bus, tell: (event: Versioned) => void): [Saranggola, SaranggolaView] {
  const shown = new SaranggolaView(bus, (_, event) => tell(event));
  const made = new Saranggola({
    ...{ pool: db.pool, wallet: new VendorWallet(db.pool, ledger, clock), clock, entropy },
    ...{
      view: shown,
      signing: signingKey("secret", "chains"),
      playRefusal: async () => null,
      sure: async () => undefined,
      brands: async () => [merchant],
    },
  });
  return [made, shown];
}

/** Crashes it as the keeper would. */
async function crashed(by: Saranggola, flight: FlightRow): Promise<void> {
  await by.flights.settle(await by.flights.crash(flight));
}

function player(): Promise<Session> {
  return makeMember({ pool: db.pool, ledger, clock }, merchant, { balance: 10_000n, type: 0 });
}

function bet(flight: FlightRow) {
  return {
    id: mintId("bet", clock.now(), entropy.bytes(16)),
    roundId: flight.id,
    stake: { minor: 500n, currency: "PHP" as const },
    autoCashOut: null,
  };
}

async function storedFlight({ id }: Pick<FlightRow, "id">): Promise<FlightRow> {
  return present(await findFlight(db.pool, id), "the flight");
}

function standingOfLatest(): Promise<FlightRow> {
  return storedFlight({ id: present(shownBy(view), "the flight").roundId });
}
