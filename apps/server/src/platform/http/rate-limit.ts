import { type Clock, HOUR_MS, type Instant, stillStands } from "@perya/kernel/instant";
import { LRUCache } from "lru-cache";
import { PROBE_EVERY_MS, type SiteRedis, watchRedis } from "../redis.ts";

export interface RateLimiter {
  /**
   * Counts in the subject's window, which begins with its first one and lasts for `windowMs`. Null
   * for the first `max` of them; for the others the instant at which the window ends.
   * @param count how many at once; one where none is given
   */
  take(subject: string, max: number, windowMs: number, count?: number): Promise<Instant | null>;
}

/**
 * Subjects remembered, of short windows and of long ones: beyond it the least recently seen is
 * forgotten, not the busiest. What is bounded by the day is pushed out by no minute's calls.
 */
const SUBJECTS_MAX = 100_000;

/** Fixed windows in this process's memory: for one process, or behind sticky addresses. */
export function localRateLimiter(clock: Clock): RateLimiter {
  const remembered = () =>
    new LRUCache<string, { endsAt: Instant; used: number }>({ max: SUBJECTS_MAX });
  const [short, long] = [remembered(), remembered()];
  return {
    async take(subject, max, windowMs, count = 1) {
      const now = clock.now();
      const windows = windowMs < HOUR_MS ? short : long;
      let window = windows.get(subject);
      if (window === undefined || !stillStands(window.endsAt, now, windowMs)) {
        window = { endsAt: now + windowMs, used: 0 };
        windows.set(subject, window);
      }
      window.used += count;
      return window.used > max ? window.endsAt : null;
    },
  };
}

/** Counts, and lets the count end by itself, in one step: no count stays for ever. */
const COUNT = `local used = redis.call("INCRBY", KEYS[1], ARGV[2])
if used == tonumber(ARGV[2]) then redis.call("PEXPIRE", KEYS[1], ARGV[1]) end
return {used, redis.call("PTTL", KEYS[1])}`;

/**
 * The same windows counted in Valkey or Redis, so that several processes count together. While
 * it is away or hangs, this process counts alone and asks nobody: a limit that is too wide for a
 * moment is better than a site that answers nobody, or late.
 */
export function redisRateLimiter(
  shared: SiteRedis,
  clock: Clock,
  onTrouble: (error: Error) => void,
): RateLimiter & { answers(): boolean; close(): void } {
  const redis = watchRedis(shared, {
    onTrouble,
    probe: (line) => line.eval(COUNT, 1, "rate:probe", PROBE_EVERY_MS, 1),
  });
  const alone = localRateLimiter(clock);
  return {
    async take(subject, max, windowMs, count = 1) {
      if (!redis.answers()) return alone.take(subject, max, windowMs, count);
      const key = `rate:${windowMs}:${subject}`;
      try {
        const counted = await redis.connection.eval(COUNT, 1, key, windowMs, count);
        const [used, leftMs] = counted as [number, number]; // what the script returns
        return used > max ? clock.now() + leftMs : null;
      } catch (error) {
        redis.failed(error);
        return alone.take(subject, max, windowMs, count);
      }
    },
    answers: () => redis.answers(),
    close: () => redis.close(),
  };
}
