import type { Clock, Instant } from "@perya/kernel/instant";
import pg from "pg";
import type { Logger } from "./log.ts";
import { repeat } from "./repeat.ts";

/** The one reader of the machine's clock; every other room gets a Clock passed in. */
export const systemClock: Clock = { now: () => Date.now() };

/** A machine that was put to sleep counts no time, so what is counted is compared now and then. */
const COMPARE_EVERY_MS = 30_000;
/** After the first one, a reading that took longer says too little; the next may be better. */
const GOOD_READING_MS = 1_000;
const READING_TIMEOUT_MS = 5_000;
/** Less than this is the reading's own error, and moves nothing. */
const TOLERATED_MS = 250;
/** A machine's clock that is off by more is somebody's to set. */
const NOTABLE_MS = 5_000;

export interface DatabaseClockOptions {
  /** The instant that the database's clock shows now. */
  readonly read: () => Promise<Instant>;
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
  readonly #read: () => Promise<Instant>;
  readonly #log: Logger;
  readonly #elapsed: () => number;
  #instant: Instant;
  #at: number;
  #compared = false;

  constructor({ read, log, elapsed = () => performance.now() }: DatabaseClockOptions) {
    this.#read = read;
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
    const askedAt = this.#elapsed();
    const shown = await this.#read();
    const at = this.#elapsed();
    const tookMs = at - askedAt;
    const instant = shown + tookMs / 2;
    const offMs = instant - this.now();
    if (this.#compared && tookMs > GOOD_READING_MS) return;
    this.#compared = true;
    if (Math.abs(offMs) < TOLERATED_MS) return;
    if (Math.abs(offMs) > NOTABLE_MS) {
      this.#log.warn({ offMs: Math.round(offMs) }, "this machine's time is not the database's");
    }
    this.#instant = instant;
    this.#at = at;
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

/** A reading of the database's clock, by a connection of its own. */
export async function readDatabaseClock(databaseUrl: string): Promise<Instant> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: "perya",
    connectionTimeoutMillis: READING_TIMEOUT_MS,
    query_timeout: READING_TIMEOUT_MS,
  });
  // A connection that breaks on its way is the reading's fault, not the process's.
  client.on("error", () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<{ now: string }>(
      "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::text AS now",
    );
    return Number(rows[0]?.now);
  } finally {
    await client.end();
  }
}
