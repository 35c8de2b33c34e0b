import { type Clock, type Instant, SECOND_MS } from "@perya/kernel/instant";
import { sinceSetMs } from "./clock.ts";
import type { Lease } from "./lease.ts";
import type { Logger } from "./log.ts";

/** How long the lease of a dead keeper blocks the next one. */
export const KEEPER_LEASE_MS = 5 * SECOND_MS;
const KEEP_EVERY_MS = SECOND_MS;
/** A clock that reports no setting has jumped if it moved by this much; less is its drift. */
const CLOCK_SET_MS = SECOND_MS;

/** Waiting, while the lease is kept. */
export interface Pace {
  /**
   * Waits for an instant; false if the keeper must stop. A keeper that slept meanwhile, as a
   * stopped process does, goes on only if the lease has not ended since: a round that nobody kept
   * was interrupted, for every process that finds it.
   * @throws Error if the lease has ended, or the clock was set in this round: a wait for an
   *   instant would be longer by that, or none at all
   */
  until(instant: Instant): Promise<boolean>;
  wait(ms: number): Promise<void>;
  /**
   * Waits for work that has begun.
   * @throws what the work throws, or Error if the lease has ended
   */
  during<T>(work: Promise<T>): Promise<T>;
  /** Work that no round waits for; the keeper waits for it when it stops. */
  beside(work: Promise<unknown>): void;
}

/** A game with one round for everybody, held by one process at a time. */
export interface Kept {
  /** Runs again and again in every process that does not hold it. */
  watch(): Promise<void>;
  /** Runs once, when this process becomes the keeper: ends what a dead one, or itself, left. */
  takeOver(pace: Pace): Promise<void>;
  /** One round; returns early if `until` was false. */
  round(pace: Pace): Promise<void>;
}

export interface KeeperOptions {
  readonly kept: Kept;
  readonly lease: Lease;
  readonly clock: Clock;
  /** Milliseconds since any fixed moment; no clock that somebody sets. */
  readonly elapsed: () => number;
  readonly log: Logger;
  /** What the log says if a round fails. */
  readonly trouble: string;
}

/** Holds one round after another in the process that has the lease. Time only paces it. */
export class Keeper {
  readonly #options: KeeperOptions;
  /** When the lease was last requested, by the clock, which also counts sleep. */
  #askedAt: Instant = 0;
  /** When this round began, on the monotonic clock, and by how much the clock was ahead of that. */
  #begunAt = 0;
  #ahead = 0;
  #stopping = false;
  #running: Promise<void> = Promise.resolve();
  readonly #beside = new Set<Promise<void>>();
  #wake: () => void = () => undefined;

  constructor(options: KeeperOptions) {
    this.#options = options;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Ends after the steps under way; the next keeper does the rest of the round. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#wake();
    await this.#running;
    await Promise.all(this.#beside);
    await this.#options.lease.release().catch(() => undefined);
  }

  async #run(): Promise<void> {
    const pace: Pace = {
      until: (instant) => this.#until(instant),
      wait: (ms) => this.#sleep(ms),
      during: (work) => this.#during(work),
      beside: (work) => this.#besides(work),
    };
    let keeper = false;
    while (!this.#stopping) {
      try {
        this.#askedAt = this.#options.clock.now();
        this.#begunAt = this.#options.elapsed();
        this.#ahead = this.#askedAt - this.#begunAt;
        if (!(await this.#options.lease.hold())) {
          keeper = false;
          await this.#options.kept.watch();
          await this.#sleep(KEEP_EVERY_MS);
          continue;
        }
        if (!keeper) await this.#options.kept.takeOver(pace);
        keeper = true;
        await this.#options.kept.round(pace);
      } catch (error) {
        keeper = false;
        this.#options.log.warn({ err: error }, this.#options.trouble);
        await this.#sleep(KEEP_EVERY_MS);
      }
    }
  }

  async #until(instant: Instant): Promise<boolean> {
    for (;;) {
      if (this.#stopping) return false;
      await this.#keep();
      this.#heedClock();
      const left = instant - this.#options.clock.now();
      if (left <= 0) return true;
      await this.#sleep(Math.min(left, KEEP_EVERY_MS));
    }
  }

  async #during<T>(work: Promise<T>): Promise<T> {
    let over = false;
    const end = () => {
      over = true;
      this.#wake();
    };
    work.then(end, end);
    while (!over && !this.#stopping) {
      await this.#sleep(KEEP_EVERY_MS);
      if (!over) await this.#keep();
    }
    return work;
  }

  #besides(work: Promise<unknown>): void {
    const done: Promise<void> = work
      .then(
        () => undefined,
        (error: unknown) => this.#options.log.warn({ err: error }, "work beside the rounds failed"),
      )
      .finally(() => this.#beside.delete(done));
    this.#beside.add(done);
  }

  /** By a clock that was set, an instant comes too late, or too soon for earlier work. */
  #heedClock(): void {
    const elapsed = this.#options.elapsed();
    const jumpedMs = Math.abs(this.#options.clock.now() - elapsed - this.#ahead);
    if (sinceSetMs(this.#options.clock) < elapsed - this.#begunAt || jumpedMs > CLOCK_SET_MS) {
      throw new Error("the clock was set");
    }
  }

  /** Called before every step, however short its wait was meant to be. */
  async #keep(): Promise<void> {
    const now = this.#options.clock.now();
    // A clock that was set back does not tell how long ago it was.
    if (now >= this.#askedAt && now - this.#askedAt < KEEP_EVERY_MS) return;
    if (!(await this.#options.lease.keep())) throw new Error("the lease has ended");
    this.#askedAt = now;
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
