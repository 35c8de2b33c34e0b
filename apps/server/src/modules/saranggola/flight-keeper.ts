import { elapsedAtMs, flightEndsAtMs } from "@perya/games/saranggola";
import { CLOCKS_APART_MS, type Clock } from "@perya/kernel/instant";
import type { Kept, Pace } from "../../platform/keeper.ts";
import { isUnavailable } from "../../platform/postgres/pool.ts";
import { CRASHED_MS, type Flights, SETTLE_GRACE_MS } from "./flights.ts";
import type { FlightRow } from "./saranggola.store.ts";

/**
 * Three seconds in all while somebody holds the flight: PostgreSQL ends a silent holder in 15 s.
 */
const CRASH_TRIES = 6;

/**
 * Keeps one flight after another. Payments follow from the seed, the stored take-off and the instants
 * at which calls came in, not from when the keeper woke.
 */
export function keptFlights(flights: Flights, clock: Clock): Kept {
  async function fly({ until, wait, during, beside }: Pace): Promise<void> {
    // Tries with each flight what earlier flights owe, and no flight waits for it.
    beside(flights.settleEnded());
    const waiting = await flights.prepare();
    if (!(await until(waiting.starts_at.getTime()))) return;
    const { flight, targets } = await flights.takeOff(waiting);
    const startsAt = flight.starts_at.getTime();
    // Nobody hears of the end while it is still to come by the clock that judges a cash-out; nor of
    // a target that was reached, since silence at the next one would tell of the end.
    for (const target of targets) {
      if (!(await until(startsAt + elapsedAtMs(target) + CLOCKS_APART_MS))) return;
      beside(flights.payReached(flight, target));
    }
    if (!(await until(startsAt + flightEndsAtMs(flight.crash_at) + CLOCKS_APART_MS))) return;
    const ended = await during(crash(flight));
    const shownUntil = clock.now() + SETTLE_GRACE_MS + CRASHED_MS;
    await wait(SETTLE_GRACE_MS);
    beside(flights.settle(ended));
    await until(shownUntil);
  }

  /** Waits for the holder of the flight, as for a process that was stopped while booking a bet. */
  async function crash(flight: FlightRow): Promise<FlightRow> {
    for (let tries = 1; ; tries++) {
      try {
        return await flights.crash(flight);
      } catch (error) {
        if (tries === CRASH_TRIES || !isUnavailable(error)) throw error;
      }
    }
  }

  return {
    watch: () => flights.watch(),
    async takeOver({ until, during }) {
      const goesOn = () => until(clock.now());
      const voided = await during(flights.voidInterrupted(goesOn));
      // The next flight takes the voided one off the screens, and with it the news of refunds.
      if (voided) await until(clock.now() + CRASHED_MS);
    },
    round: fly,
  };
}
