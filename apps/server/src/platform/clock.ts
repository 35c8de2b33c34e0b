import { setTimeout as sleep } from "node:timers/promises";
import { CLOCKS_APART_MS, type Clock, type Instant, SECOND_MS } from "@perya/kernel/instant";
import type { Logger } from "./log.ts";
import { WatchfulClient } from "./postgres/watchful-client.ts";
import { repeat } from "./repeat.ts";

/** The one reader of the machine's clock; all other modules get a Clock passed in. */
export const systemClock: Clock = { now: () => Date.now() };

/** Milliseconds since any fixed moment, which no setting of a clock changes. */
export const systemElapsed = (): number => performance.now();

export type Pause = (ms: number) => Promise<unknown>;

/**
 * Waits until what a clock shows at `at` is news to no other (decision 41), which is
 * `CLOCKS_APART_MS` at most: an instant that is further away is not waited for.
 */
export async function untilToldAt(at: Instant, clock: Clock, pause: Pause = sleep): Promise<void> {
  const left = Math.min(at - clock.now(), CLOCKS_APART_MS);
  if (left > 0) await pause(left);
}

/** A machine that was asleep counts no time, and no two machines count alike. */
const COMPARE_EVERY_MS = 10_000;
/** If it was not read because the database was away: another database may answer next. */
const COMPARE_AGAIN_MS = 1_000;
/** So long after one process's clock was set, every process's was: all compare within 12 s. */
export const CLOCK_SETTLES_MS = 20 * SECOND_MS;
/** Of so many readings, the one with the shortest round trip is the most exact. */
const READINGS = 3;
const READING_TIMEOUT_MS = 5_000;
/**
 * A deviation beyond this and a reading's own error moves the clock. With an error of 5 ms, and 5
 * ms of drift between machines from reading to reading, two clocks stay within `CLOCKS_APART_MS`.
 */
const TOLERATED_MS = 10;
/**
 * Machines drift by no more than this between two readings, besides the errors of both. If it is
 * more, the clock was set, another database's or corrected, and for up to 12 s one process uses the
 * new time and another the old.
 */
const SET_MS = 10;
/** A reading that may be off by more is too inexact for that. */
const FAR_MS = 10;
/** If a machine's clock is off by more, somebody should set it. */
const NOTABLE_MS = 5_000;

/** A connection by which the database's clock is read. */
export interface ClockLine {
  ask(): Promise<Instant>;
  end(): Promise<void>;
}

export interface DatabaseClockOptions {
  readonly open: () => Promise<ClockLine>;
  readonly log: Logger;
  /** Milliseconds since any fixed moment; no clock that somebody sets. */
  readonly elapsed?: () => number;
}

/**
 * The time of all processes of one site: the database's. What one process plans, another carries
 * out, so a machine with a wrong clock must not write its own time. Between readings it counts, and
 * setting a clock while the process runs changes nothing.
 */
export class DatabaseClock implements Clock {
  readonly #open: () => Promise<ClockLine>;
  readonly #log: Logger;
  readonly #elapsed: () => number;
  #instant: Instant;
  #at: number;
  /** Its deviation at the last reading, and the error of that; null before the first. */
  #last: { readonly offMs: number; readonly errorMs: number } | null = null;
  /** When it was set while it ran, on the monotonic clock. */
  #setAt = Number.NEGATIVE_INFINITY;
  #far = false;

  constructor({ open, log, elapsed = systemElapsed }: DatabaseClockOptions) {
    this.#open = open;
    this.#log = log;
    this.#elapsed = elapsed;
    this.#instant = systemClock.now();
    this.#at = elapsed();
  }

  now(): Instant {
    return Math.floor(this.#instant + this.#elapsed() - this.#at);
  }

  sinceSetMs(): number {
    // A whole number, as every time that is planned by it must be.
    return Math.floor(this.#elapsed() - this.#setAt);
  }

  /** @throws what the reading throws; the clock then goes on as before */
  async compare(): Promise<void> {
    const { instant, at, errorMs } = await this.#read();
    const offMs = instant - (this.#instant + at - this.#at);
    if (errorMs > FAR_MS !== this.#far) {
      this.#far = !this.#far;
      this.#log.warn({ errorMs, far: this.#far }, "how far the database's clock is away");
    }
    const last = this.#last;
    if (last !== null) {
      const setByMs = Math.abs(offMs - last.offMs) - errorMs - last.errorMs;
      if (setByMs > SET_MS) this.#setAt = this.#elapsed();
      if (Math.abs(offMs) <= errorMs + TOLERATED_MS) {
        this.#last = { offMs, errorMs };
        return;
      }
    }
    this.#last = { offMs: 0, errorMs };
    if (Math.abs(offMs) > NOTABLE_MS) {
      this.#log.warn({ offMs: Math.round(offMs) }, "this machine's time is not the database's");
    }
    this.#instant = instant;
    this.#at = at;
  }

  /** What the database's clock showed when, within half of the round trip. */
  async #read(): Promise<{ instant: number; at: number; errorMs: number }> {
    const line = await this.#open();
    try {
      const readings = [];
      for (let n = 0; n < READINGS; n++) {
        const askedAt = this.#elapsed();
        const instant = await line.ask();
        const at = this.#elapsed();
        const errorMs = (at - askedAt) / 2;
        readings.push({ instant, at: at - errorMs, errorMs });
      }
      return readings.reduce((best, one) => (one.errorMs < best.errorMs ? one : best));
    } finally {
      await line.end();
    }
  }

  follow(signal: AbortSignal): Promise<void> {
    let pauseMs = COMPARE_EVERY_MS;
    const compare = async () => {
      try {
        await this.compare();
        pauseMs = COMPARE_EVERY_MS;
      } catch (error) {
        pauseMs = COMPARE_AGAIN_MS;
        this.#log.debug({ err: error }, "the database's clock was not read");
      }
    };
    return repeat(compare, () => pauseMs, signal);
  }
}

/**
 * Whether money may be judged by this clock. What began by one clock is not judged by another, and
 * for a while after a clock was set some processes use the new one and some the old.
 */
export function isSettled(clock: Clock): boolean {
  return sinceSetMs(clock) >= CLOCK_SETTLES_MS;
}

/** How long it takes until every process's clock is settled, in milliseconds. */
export function untilAllSettledMs(clock: Clock): number {
  return Math.max(0, 2 * CLOCK_SETTLES_MS - sinceSetMs(clock));
}

/** Milliseconds since a clock was set while it ran; Infinity if it never was. */
export function sinceSetMs(clock: Clock): number {
  return clock.sinceSetMs?.() ?? Number.POSITIVE_INFINITY;
}

export async function openDatabaseClock(databaseUrl: string): Promise<ClockLine> {
  const client = new WatchfulClient({
    connectionString: databaseUrl,
    application_name: "perya",
    connectionTimeoutMillis: READING_TIMEOUT_MS,
    query_timeout: READING_TIMEOUT_MS,
  });
  // A connection that breaks on the way fails the reading, not the process.
  client.on("error", () => undefined);
  await client.connect();
  return {
    async ask() {
      const { rows } = await client.query<{ now: string }>(
        "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::text AS now",
      );
      return Number(rows[0]?.now);
    },
    end: () => client.end(),
  };
}
