import { type Clock, HOUR_MS, type Instant, stillStands } from "@perya/kernel/instant";
import { LRUCache } from "lru-cache";
import { PROBE_EVERY_MS, type SiteRedis, watchRedis } from "../redis.ts";

export interface RateLimiter {
  /**
   * Counts in a window of each subject, which begins with its first count and lasts for `windowMs`.
   * Null if all had room; else it counts in none, and answers the end of the window of the first
   * that had none.
   * @param count how many at once; one by default
   */
  take(bounds: readonly Bound[], windowMs: number, count?: number): Promise<Instant | null>;
}

export interface Bound {
  readonly subject: string;
  readonly max: number;
}

/**
 * Subjects remembered, of short windows and of long ones: beyond it the least recently seen is
 * forgotten, not the busiest. No minute's calls push out a limit per day.
 */
const SUBJECTS_MAX = 100_000;

/** Fixed windows in this process's memory: for one process, or behind sticky addresses. */
export function localRateLimiter(clock: Clock): RateLimiter {
  const remembered = () =>
    new LRUCache<string, { endsAt: Instant; used: number }>({ max: SUBJECTS_MAX });
  const [short, long] = [remembered(), remembered()];
  return {
    async take(bounds, windowMs, count = 1) {
      const now = clock.now();
      const windows = windowMs < HOUR_MS ? short : long;
      const counts = bounds.map(({ subject, max }) => {
        const found = windows.get(subject);
        const isOpen = found !== undefined && stillStands(found.endsAt, now, windowMs);
        return { subject, max, window: isOpen ? found : { endsAt: now + windowMs, used: 0 } };
      });
      const full = counts.find(({ max, window }) => window.used + count > max);
      if (full !== undefined) return full.window.endsAt;
      for (const { subject, window } of counts) {
        window.used += count;
        windows.set(subject, window);
      }
      return null;
    },
  };
}

/**
 * Counts in all keys or in none, and makes each count expire, in one step: no count stays for ever.
 * The milliseconds until the first full one ends; less than none if all had room.
 */
const COUNT = `local window, count = tonumber(ARGV[1]), tonumber(ARGV[2])
for i, key in ipairs(KEYS) do
  if tonumber(redis.call("GET", key) or 0) + count > tonumber(ARGV[2 + i]) then
    local left = redis.call("PTTL", key)
    return left < 0 and window or left
  end
end
for _, key in ipairs(KEYS) do
  if redis.call("INCRBY", key, count) == count then redis.call("PEXPIRE", key, window) end
end
return -1`;

/**
 * The same windows counted in Valkey or Redis, so that several processes count together. While it
 * is away or hangs, this process counts alone: a limit that is too wide for a moment is better than
 * a site that answers nobody, or late.
 */
export function redisRateLimiter(
  shared: SiteRedis,
  clock: Clock,
  onTrouble: (error: Error) => void,
): RateLimiter & { answers(): boolean; close(): void } {
  const redis = watchRedis(shared, {
    onTrouble,
    // A full one that takes no writes fails it, since it always counts.
    probe: (line) => line.eval(COUNT, 1, "rate:probe", PROBE_EVERY_MS, 1, Number.MAX_SAFE_INTEGER),
  });
  const alone = localRateLimiter(clock);
  return {
    async take(bounds, windowMs, count = 1) {
      if (!redis.answers()) return alone.take(bounds, windowMs, count);
      const keys = bounds.map(({ subject }) => `rate:${windowMs}:${subject}`);
      const given = [windowMs, count, ...bounds.map(({ max }) => max)];
      try {
        const left = await redis.connection.eval(COUNT, keys.length, ...keys, ...given);
        const leftMs = left as number; // the script's return value
        return leftMs < 0 ? null : clock.now() + leftMs;
      } catch (error) {
        redis.failed(error);
        return alone.take(bounds, windowMs, count);
      }
    },
    answers: () => redis.answers(),
    close: () => redis.close(),
  };
}
