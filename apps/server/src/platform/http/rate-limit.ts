import type { Clock, Instant } from "@perya/kernel/instant";
import { Redis } from "iovalkey";
import { LRUCache } from "lru-cache";

export interface RateLimiter {
  /** Null when the call may pass, else the instant from which it may be tried again. */
  take(subject: string, max: number, windowMs: number): Promise<Instant | null>;
}

/** Subjects remembered; beyond it the least recently seen is forgotten, not the busiest. */
const SUBJECTS_MAX = 100_000;

/** Fixed windows in this process's memory: for one process, or behind sticky addresses. */
export function localRateLimiter(clock: Clock): RateLimiter {
  const windows = new LRUCache<string, { endsAt: Instant; used: number }>({ max: SUBJECTS_MAX });
  return {
    async take(subject, max, windowMs) {
      const now = clock.now();
      const window = windows.get(subject);
      if (window === undefined || window.endsAt <= now) {
        windows.set(subject, { endsAt: now + windowMs, used: 1 });
        return null;
      }
      window.used += 1;
      return window.used > max ? window.endsAt : null;
    },
  };
}

/**
 * The same windows counted in Valkey or Redis, so that several processes count together. While
 * it cannot be reached, this process counts alone: a limit that is too wide for a moment is
 * better than a site that answers nobody.
 */
export function redisRateLimiter(
  url: string,
  clock: Clock,
  onTrouble: (error: Error) => void,
): RateLimiter & { close(): void } {
  const redis = new Redis(url, { maxRetriesPerRequest: 1, enableOfflineQueue: false });
  const alone = localRateLimiter(clock);
  redis.on("error", onTrouble);
  return {
    async take(subject, max, windowMs) {
      const now = clock.now();
      const window = Math.floor(now / windowMs);
      const key = `perya:rate:${windowMs}:${window}:${subject}`;
      try {
        const used = await redis.incr(key);
        if (used === 1) await redis.pexpire(key, windowMs * 2);
        return used > max ? (window + 1) * windowMs : null;
      } catch {
        return alone.take(subject, max, windowMs);
      }
    },
    close: () => redis.disconnect(),
  };
}
