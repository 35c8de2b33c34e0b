import { type Clock, type Instant, stillStands } from "@perya/kernel/instant";
import { LRUCache } from "lru-cache";

/** Reads under a name, and caches the result for a time. */
export interface SharedReads {
  /** @throws what the read throws, to all who waited for it */
  <T>(name: string, read: () => Promise<T>): Promise<T>;
  /** Results and reads under way are read anew at the next request. */
  forget(): void;
}

/** Results cached at once; the least used go first. */
const KEPT_MAX = 1_000;

/**
 * For what many request at once: one reads, however long that takes, and the others wait for it;
 * the result is cached from then on. A name is always of the same kind of thing. A failed read is
 * repeated.
 */
export function createSharedReads(clock: Clock, keptMs: number, keptMax = KEPT_MAX): SharedReads {
  const kept = new LRUCache<string, { value: unknown; until: Instant }>({ max: keptMax });
  const underWay = new Map<string, Promise<unknown>>();

  async function shared(name: string, read: () => Promise<unknown>): Promise<unknown> {
    const known = kept.get(name);
    if (known !== undefined && stillStands(known.until, clock.now(), keptMs)) return known.value;
    const running = underWay.get(name);
    if (running !== undefined) return running;
    const reading = read();
    underWay.set(name, reading);
    const isForgotten = () => underWay.get(name) !== reading;
    try {
      const value = await reading;
      if (!isForgotten()) kept.set(name, { value, until: clock.now() + keptMs });
      return value;
    } finally {
      if (!isForgotten()) underWay.delete(name);
    }
  }

  return Object.assign(
    // The name says what was read, and so its type.
    <T>(name: string, read: () => Promise<T>) => shared(name, read) as Promise<T>,
    {
      forget() {
        kept.clear();
        underWay.clear();
      },
    },
  );
}
