/**
 * A small seeded generator, only for pictures: the same seed draws the same picture on every
 * machine. It decides nothing about money; the games package has its own source for that.
 */
export interface Rng {
  /** From 0 up to, but not including, 1. */
  next(): number;
  /** A whole number from `low` to `high`, both included. */
  int(low: number, high: number): number;
  range(low: number, high: number): number;
  pick<const A extends readonly [unknown, ...unknown[]]>(from: A): A[number];
  chance(share: number): boolean;
}

export function seededRng(seed: string): Rng {
  let state = hash32(seed);
  // mulberry32 (public domain, Tommy Ettinger)
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    next,
    int: (low, high) => low + Math.floor(next() * (high - low + 1)),
    range: (low, high) => low + next() * (high - low),
    pick: (from) => from[Math.floor(next() * from.length)] ?? from[0],
    chance: (share) => next() < share,
  };
}

/** FNV-1a, 32 bit: spreads short seeds such as `game-17` well enough for a picture. */
export function hash32(text: string): number {
  let hash = 0x811c9dc5;
  for (const char of text) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b);
  return (hash ^ (hash >>> 16)) >>> 0;
}
