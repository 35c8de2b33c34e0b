import { elapsedAtMs, flightEndsAtMs } from "@perya/games/saranggola";
import { type Clock, SECOND_MS } from "@perya/kernel/instant";
import type { Lease } from "../../platform/lease.ts";
import type { Logger } from "../../platform/log.ts";
import { CRASHED_MS, type Saranggola } from "./saranggola.ts";

/** How long the lease of a dead keeper blocks the next one. */
export const KITE_LEASE_MS = 5 * SECOND_MS;
const KEEP_EVERY_MS = SECOND_MS;

/**
 * Flies one kite after another in the process that holds the lease. Time only paces it: what is
 * paid follows from the seed, the stored take-off and the instants at which calls came in.
 */
export class KiteKeeper {
  readonly #saranggola: Saranggola;
  readonly #lease: Lease;
  readonly #clock: Clock;
  readonly #log: Logger;
  #stopping = false;
  #running: Promise<void> = Promise.resolve();
  #wake: () => void = () => undefined;

  constructor(saranggola: Saranggola, lease: Lease, clock: Clock, log: Logger) {
    this.#saranggola = saranggola;
    this.#lease = lease;
    this.#clock = clock;
    this.#log = log;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Ends after the step under way; a kite in the air is voided by the next keeper. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#wake();
    await this.#running;
    await this.#lease.release().catch(() => undefined);
  }

  async #run(): Promise<void> {
    let keeper = false;
    while (!this.#stopping) {
      try {
        if (!(await this.#lease.hold())) {
          keeper = false;
          await this.#saranggola.watch();
          await this.#sleep(KEEP_EVERY_MS);
          continue;
        }
        if (!keeper) {
          const voided = await this.#saranggola.voidInterrupted();
          await this.#saranggola.settleCrashed();
          // The next kite takes the voided one off the screens, and with it the word of refunds.
          if (voided) await this.#until(this.#clock.now() + CRASHED_MS);
        }
        keeper = true;
        await this.#fly();
      } catch (error) {
        keeper = false;
        this.#log.warn({ err: error }, "the kite came down");
        await this.#sleep(KEEP_EVERY_MS);
      }
    }
  }

  async #fly(): Promise<void> {
    const flight = await this.#saranggola.prepare();
    const startsAt = flight.starts_at.getTime();
    if (!(await this.#until(startsAt))) return;
    const bets = await this.#saranggola.takeOff(flight);
    const targets = bets
      .flatMap((bet) =>
        bet.auto_cash_out !== null && bet.auto_cash_out <= flight.crash_at
          ? [{ bet, target: bet.auto_cash_out }]
          : [],
      )
      .sort((a, b) => a.target - b.target);
    for (const { bet, target } of targets) {
      if (!(await this.#until(startsAt + elapsedAtMs(target)))) return;
      await this.#saranggola.pay(bet, target);
    }
    if (!(await this.#until(startsAt + flightEndsAtMs(flight.crash_at)))) return;
    await this.#saranggola.crash(flight, (ms) => this.#sleep(ms));
    await this.#until(this.#clock.now() + CRASHED_MS);
  }

  /** Waits for an instant, keeping the lease; false when it was lost or we stop. */
  async #until(instant: number): Promise<boolean> {
    for (;;) {
      if (this.#stopping) return false;
      const left = instant - this.#clock.now();
      if (left <= 0) return true;
      await this.#sleep(Math.min(left, KEEP_EVERY_MS));
      if (left > KEEP_EVERY_MS && !(await this.#lease.hold())) {
        throw new Error("the lease went to another process");
      }
    }
  }

  #sleep(ms: number): Promise<void> {
    if (this.#stopping) return Promise.resolve();
    return new Promise((done) => {
      const timer = setTimeout(done, ms);
      this.#wake = () => {
        clearTimeout(timer);
        done();
      };
    });
  }
}
