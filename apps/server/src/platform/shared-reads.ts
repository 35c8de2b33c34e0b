import { type Clock, stillStands } from "@perya/kernel/instant";
import { LRUCache } from "lru-cache";

/** Reads under a name; a reading is kept for a moment. */
export type SharedReads = <T>(name: string, read: () => Promise<T>) => Promise<T>;

/** Readings kept at once; the least used go first. */
const KEPT_MAX = 1_000;

/**
 * For what everybody asks for at the same second: one reads, the others wait for it. A name always
 * stands for the same kind of thing. What could not be read is read again.
 */
export function createSharedReads(clock: Clock, keptMs: number): SharedReads {
  const kept = new LRUCache<string, { value: Promise<unknown>; until: number }>({ max: KEPT_MAX });
  return <T>(name: string, read: () => Promise<T>) => {
    const known = kept.get(name);
    if (known !== undefined && stillStands(known.until, clock.now(), keptMs)) {
      // The name says what was read, and so its type.
      return known.value as Promise<T>;
    }
    const value = read();
    kept.set(name, { value, until: clock.now() + keptMs });
    value.catch(() => kept.delete(name));
    return value;
  };
}
