import type { Clock, Instant } from "@perya/kernel/instant";
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
