/** An instant is milliseconds since the epoch, UTC. Rooms get it from a Clock that is passed in. */
export type Instant = number;

export interface Clock {
  now(): Instant;
  /**
   * Milliseconds since the clock was last set, back or ahead, while the process ran; Infinity if it
   * never was, as for a clock without this.
   */
  sinceSetMs?(): number;
}

/**
 * The most by which the clocks of two processes of one site differ, in milliseconds. What one
 * process has told may lie in the future of another. So decisions about money use the latest time
 * that any clock may show, and an end is told only when every clock has passed it.
 */
export const CLOCKS_APART_MS = 50;

/**
 * Whether a value kept until then, and never for longer than `lifeMs`, still counts. A value with a
 * longer life left was kept before the clock was set back, and would be outdated for that long.
 */
export function stillStands(until: Instant, now: Instant, lifeMs: number): boolean {
  const leftMs = until - now;
  return leftMs > 0 && leftMs <= lifeMs;
}

/** Randomness is passed in too, so a test can fix it. */
export interface Entropy {
  /** `length` cryptographically strong random bytes. */
  bytes(length: number): Uint8Array;
}

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** The calendar day `YYYY-MM-DD` of an instant in a brand's zone (IANA name). */
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
