import { randomFillSync } from "node:crypto";
import type { Entropy } from "@perya/kernel/instant";

/** The generator takes as long for 16 bytes as for this many. */
const POOL_BYTES = 4_096;
const pool = new Uint8Array(POOL_BYTES);
let used = POOL_BYTES;

/**
 * The one source of chance: the operating system's generator through node:crypto, read a page at a
 * time. Bytes leave the page as they are handed out, so nothing is given twice.
 */
export const systemEntropy: Entropy = {
  bytes: (length) => {
    if (length > POOL_BYTES) return randomFillSync(new Uint8Array(length));
    if (used + length > POOL_BYTES) {
      randomFillSync(pool);
      used = 0;
    }
    const bytes = pool.slice(used, used + length);
    pool.fill(0, used, used + length);
    used += length;
    return bytes;
  },
};
