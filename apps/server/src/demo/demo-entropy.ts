import { createHash } from "node:crypto";
import type { Entropy } from "@perya/kernel/instant";

/** The same bytes for the same seed: the demo looks alike everywhere. Never for real play. */
export function demoEntropy(seed: string): Entropy {
  let block = 0;
  let rest = Buffer.alloc(0);
  return {
    bytes(length) {
      while (rest.length < length) {
        const next = createHash("sha256").update(`${seed}:${block++}`).digest();
        rest = Buffer.concat([rest, next]);
      }
      const bytes = rest.subarray(0, length);
      rest = rest.subarray(length);
      return bytes;
    },
  };
}

/** A whole number from 0 up to, not including, `n`; the slight bias does not matter here. */
export function pick(entropy: Entropy, n: number): number {
  return Buffer.from(entropy.bytes(4)).readUInt32BE(0) % n;
}
