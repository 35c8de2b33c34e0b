/** An instant is milliseconds since the epoch, UTC. Rooms get it from a Clock that is passed in. */
export type Instant = number;

export interface Clock {
  now(): Instant;
  /**
   * Milliseconds that have passed since it was set while it ran, back or ahead; Infinity where it
   * never was, as for a clock without this.
   */
  sinceSetMs?(): number;
}

/**
 * The most by which the clocks of two processes of one site stand apart, in milliseconds. What one
 * of them has told may be news to another: who judges money by the time judges by the latest that
 * any clock may show, and who tells an end waits until every clock has passed it.
 */
export const CLOCKS_APART_MS = 50;

/**
 * Whether what is kept until then, and never for longer than `lifeMs`, still stands. What would stand
 * for longer was kept before the clock was set back, and would be stale for as long as that.
 */
export function stillStands(until: Instant, now: Instant, lifeMs: number): boolean {
  const leftMs = until - now;
  return leftMs > 0 && leftMs <= lifeMs;
}

/** Chance is passed in too, so a test can fix it. */
export interface Entropy {
  /** `length` cryptographically strong random bytes. */
  bytes(length: number): Uint8Array;
}

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** The calendar day `YYYY-MM-DD` that an instant falls on in a brand's zone (IANA name). */
export function businessDay(at: Instant, zone: string): string {
  return new Intl.DateTimeFormat("en-CA", {
    timeZone: zone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
  }).format(at);
}

/** The calendar day after `YYYY-MM-DD`. */
export function dayAfter(day: string): string {
  return businessDay(Date.parse(day) + DAY_MS, "UTC");
}
