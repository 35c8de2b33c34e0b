import type { Clock, Instant } from "@perya/kernel/instant";
import type { Logger } from "./log.ts";
import { WatchfulClient } from "./postgres/watchful-client.ts";
import { repeat } from "./repeat.ts";

/** The one reader of the machine's clock; every other room gets a Clock passed in. */
export const systemClock: Clock = { now: () => Date.now() };

/** Milliseconds that have passed since any moment, which no setting of a clock changes. */
export const systemElapsed = (): number => performance.now();

/** A machine that was put to sleep counts no time, and no two machines count alike. */
const COMPARE_EVERY_MS = 10_000;
/** Of so many readings, the one that was the shortest on its way says the most. */
const READINGS = 3;
const READING_TIMEOUT_MS = 5_000;
/**
 * What a reading is off by more than its own error moves the clock. With an error of 5 ms, and 5 ms
 * that two machines may count apart between readings, two clocks stay within `CLOCKS_APART_MS`.
 */
const TOLERATED_MS = 10;
/** A reading that may be off by more is too far away for that. */
const FAR_MS = 10;
/** A machine's clock that is off by more is somebody's to set. */
const NOTABLE_MS = 5_000;

/** A connection by which the database's clock is read. */
export interface ClockLine {
  /** The instant that the database's clock shows now. */
  ask(): Promise<Instant>;
  end(): Promise<void>;
}

export interface DatabaseClockOptions {
  readonly open: () => Promise<ClockLine>;
  readonly log: Logger;
  /** Milliseconds that have passed since any moment; no clock that somebody sets. */
  readonly elapsed?: () => number;
}

/**
 * The time of all processes of one site: the database's. What one process plans, another carries
 * out, so a machine whose clock is off must not write its own time. Between readings it counts,
 * and a clock that is set while the process runs changes nothing.
 */
export class DatabaseClock implements Clock {
  readonly #open: () => Promise<ClockLine>;
  readonly #log: Logger;
  readonly #elapsed: () => number;
  #instant: Instant;
  #at: number;
  #compared = false;
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

  /** @throws what the reading throws; the clock then goes on as it did */
  async compare(): Promise<void> {
    const { instant, at, errorMs } = await this.#read();
    const offMs = instant - (this.#instant + at - this.#at);
    if (errorMs > FAR_MS !== this.#far) {
      this.#far = !this.#far;
      this.#log.warn({ errorMs, far: this.#far }, "how far the database's clock is away");
    }
    if (this.#compared && Math.abs(offMs) <= errorMs + TOLERATED_MS) return;
    this.#compared = true;
    if (Math.abs(offMs) > NOTABLE_MS) {
      this.#log.warn({ offMs: Math.round(offMs) }, "this machine's time is not the database's");
    }
    this.#instant = instant;
    this.#at = at;
  }

  /** What the database's clock showed when, within half of the way there and back. */
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

  /** Compares again and again until it is told to stop. */
  follow(signal: AbortSignal): Promise<void> {
    const compare = () =>
      this.compare().catch((error: unknown) => {
        this.#log.debug({ err: error }, "the database's clock was not read");
      });
    return repeat(compare, () => COMPARE_EVERY_MS, signal);
  }
}

/** A connection of its own to the database's clock. */
export async function openDatabaseClock(databaseUrl: string): Promise<ClockLine> {
  const client = new WatchfulClient({
    connectionString: databaseUrl,
    application_name: "perya",
    connectionTimeoutMillis: READING_TIMEOUT_MS,
    query_timeout: READING_TIMEOUT_MS,
  });
  // A connection that breaks on its way is the reading's fault, not the process's.
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
