import type { Refusal } from "@perya/contract/refusal";
import { present } from "@perya/kernel/assert";
import type { Clock } from "@perya/kernel/instant";
import type pg from "pg";
import { expect, vi } from "vitest";
import type { Ledger } from "../../apps/server/src/modules/ledger/ledger.ts";
import {
  type FlightRow,
  findFlight,
} from "../../apps/server/src/modules/saranggola/saranggola.store.ts";
import { Saranggola } from "../../apps/server/src/modules/saranggola/saranggola.ts";
import { SaranggolaView } from "../../apps/server/src/modules/saranggola/saranggola-view.ts";
import { VendorWallet } from "../../apps/server/src/modules/vendors/vendors.ts";
import { localBus } from "../../apps/server/src/platform/bus.ts";
import type { Pause } from "../../apps/server/src/platform/clock.ts";
import { signingKey } from "../../apps/server/src/platform/signing-key.ts";
import type { Versioned } from "../../apps/server/src/platform/sockets/live.ts";
import { taken } from "./answers.ts";
import { makeBrand, stillKept } from "./fixtures.ts";
import { openGameWorld } from "./game-world.ts";

/** Saranggola in two processes, on the books of one world, whose flights crash where a test wants. */
export async function openSaranggolaWorld(seed: string) {
  const world = await openGameWorld(seed);
  const { clock, entropy, db, ledger, otherLedger, merchant, betId, player } = world;
  /** Another brand of the same installation. */
  const fiesta = await makeBrand(db.pool, clock);
  const signing = signingKey("secret", "chains");
  /** What the sockets of the first process were sent, oldest first. */
  const told: (Versioned & { readonly brand: string })[] = [];
  const now = {
    /** The game of the present test. */
    game: null as unknown as Saranggola,
    /** The catalogue's answer for the game; null: open. */
    refusal: null as Refusal | null,
    /** What happens while a picture of the flight is read. */
    whilePictured: async (): Promise<void> => undefined,
  };

  /** Opens both processes anew, before each test; `other` is the same game in another process. */
  function opened() {
    now.refusal = null;
    now.whilePictured = async () => undefined;
    told.length = 0;
    const bus = localBus();
    const view = new SaranggolaView(bus, (brand, event) => told.push({ brand, ...event }));
    const otherView = new SaranggolaView(bus, () => undefined);
    now.game = process(ledger, view);
    return { game: now.game, other: process(otherLedger, otherView), view, otherView };
  }

  /** After every test all flights are over, and nothing of them is open in books or record. */
  async function expectOver(): Promise<void> {
    vi.useRealTimers();
    expect(await ledger.verify()).toEqual([]);
    const { rows } = await db.pool.query(
      `SELECT b.id FROM saranggola_bets b JOIN saranggola_rounds f ON f.id = b.round_id
       WHERE f.phase IN ('crashed', 'voided') AND b.state = 'placed'`,
    );
    expect(rows).toEqual([]);
    await db.pool.query("UPDATE saranggola_rounds SET phase = 'flying' WHERE phase = 'waiting'");
    await now.game.flights.voidInterrupted(stillKept);
  }

  function process(
    books: Ledger,
    shown: SaranggolaView,
    by: Clock = clock,
    pool: pg.Pool = db.pool,
    pause: Pause = async () => undefined,
  ): Saranggola {
    const wallet = new VendorWallet(db.pool, books, clock);
    const playRefusal = async () => now.refusal;
    return new Saranggola({
      ...{
        pool,
        wallet,
        clock: by,
        entropy,
        view: shown,
        signing,
        playRefusal,
        pause,
        sure: async () => undefined,
      },
      brands: async () => {
        await now.whilePictured();
        return [merchant, fiesta];
      },
    });
  }

  /** A flight that waits now and will crash where the test wants it to. */
  async function prepared(crashAt: number): Promise<FlightRow> {
    const flight = await now.game.flights.prepare();
    await db.pool.query("UPDATE saranggola_rounds SET crash_at = $2 WHERE id = $1", [
      flight.id,
      crashAt,
    ]);
    return { ...flight, crash_at: crashAt };
  }

  /** From the ground to the end, as the keeper would. */
  async function flown(flight: FlightRow): Promise<void> {
    const standing = present(await findFlight(db.pool, flight.id), "the flight");
    if (standing.phase === "waiting") await now.game.flights.takeOff(flight);
    await crashed(now.game, flight);
  }

  /** Crashes it as the keeper would. */
  async function crashed(by: Saranggola, flight: FlightRow): Promise<void> {
    await by.flights.settle(await by.flights.crash(flight));
  }

  /** A flight in the air with one player's bet on it. */
  async function flyingWith(crashAt: number, stakeMinor: bigint, autoCashOut: number | null) {
    const flight = await prepared(crashAt);
    const session = await player(10_000n);
    const given = bet(flight, stakeMinor, autoCashOut);
    taken(await now.game.bet(merchant, session, given));
    clock.set(flight.starts_at.getTime());
    await now.game.flights.takeOff(flight);
    return { flight, session, given };
  }

  function bet(flight: { readonly id: string }, minor: bigint, autoCashOut: number | null = null) {
    return {
      id: betId(),
      roundId: flight.id,
      stake: { minor: minor, currency: "PHP" as const },
      autoCashOut,
    };
  }

  return {
    ...world,
    ...{ fiesta, signing, told, now, opened, expectOver },
    ...{ process, prepared, flown, crashed, flyingWith, bet },
  };
}
