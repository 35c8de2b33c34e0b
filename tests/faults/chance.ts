import { createHash } from "node:crypto";

/** Draws that the same seed repeats. */
export interface Chance {
  /** A whole number from 0 up to `below`, without it. */
  below(below: number): number;
  pick<T>(from: readonly T[]): T;
  /** True so many times in a hundred. */
  percent(percent: number): boolean;
}

export function seededChance(seed: string): Chance {
  let draws = 0;
  const below = (limit: number) => {
    const digest = createHash("sha256").update(`${seed}\n${draws++}`).digest();
    return digest.readUInt32BE(0) % limit;
  };
  return {
    below,
    pick: (from) => {
      const one = from[below(from.length)];
      if (one === undefined) throw new Error("nothing to pick from");
      return one;
    },
    percent: (percent) => below(100) < percent,
  };
}
