/**
 * Where every outcome comes from. The scheme is the one that provably fair casinos publish (such
 * as https://help.shuffle.com/en/articles/9286058-provably-fair-implementation), so any public
 * verifier reproduces it:
 *
 *   block(cursor) = HMAC-SHA256(key = serverSeed, message = `${clientSeed}:${nonce}:${cursor}`)
 *
 * with the key the UTF-8 bytes of the seed's hexadecimal text, and cursor 0, 1, 2, … Each block
 * has 32 bytes; each four of them, b0 b1 b2 b3, are one draw:
 *
 *   float = b0/256 + b1/256² + b2/256³ + b3/256⁴
 *
 * Before a round the player is shown SHA-256 of the server seed's text, after it the seed.
 */
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { assert } from "@perya/kernel/assert";
import { isClientSeed } from "./client-seed.ts";

export interface RoundSeeds {
  /** 64 lower-case hexadecimal digits, secret until the seed is retired. */
  readonly serverSeed: string;
  /** What the player chose (`client-seed.ts`). */
  readonly clientSeed: string;
  /** Counts the rounds that share these two seeds: a whole number from 0. */
  readonly nonce: number;
}

/** Draws in a fixed order; the same seeds give the same draws for ever. */
export interface DrawStream {
  /** The next four bytes, most significant first: 0 to 2^32 - 1. */
  uint32(): number;
  /** The next four bytes as the published float in [0, 1). */
  float(): number;
  /** A whole number from 0 to n - 1, each exactly as likely. n: 1 to 2^20. */
  below(n: number): number;
  /** A new array in random order, each order equally likely (Fisher and Yates). */
  shuffle<T>(items: readonly T[]): T[];
}

const SERVER_SEED = /^[0-9a-f]{64}$/;
const TWO_32 = 4_294_967_296;
/** `u × n` must stay below 2^53 for `below` to be exact in doubles. */
const MAX_BELOW = 2 ** 20;
/** No round draws nearly as much; a runaway loop ends here. */
const MAX_BLOCKS = 65_536;
/** A try is refused with a chance below 1 in 4,096, so 64 in a row is a defect, not bad luck. */
const MAX_TRIES = 64;

/** @throws Error for a malformed seed or nonce: callers parse them at their edge. */
export function drawStream(seeds: RoundSeeds): DrawStream {
  const { serverSeed, clientSeed, nonce } = seeds;
  assert(isServerSeed(serverSeed), "a server seed is 64 hexadecimal digits");
  assert(
    isClientSeed(clientSeed),
    "a client seed is 1 to 64 visible ASCII characters without a colon",
  );
  assert(isNonce(nonce), "a nonce is a whole number from 0");
  const key = utf8ToBytes(serverSeed);
  let block: Uint8Array = new Uint8Array(0);
  let cursor = 0;
  let offset = 0;

  function uint32(): number {
    if (offset === block.length) {
      assert(cursor < MAX_BLOCKS, "a round draws a bounded number of bytes");
      block = hmac(sha256, key, utf8ToBytes(`${clientSeed}:${nonce}:${cursor}`));
      cursor += 1;
      offset = 0;
    }
    const value = readUint32(block, offset);
    offset += 4;
    return value;
  }

  /**
   * `floor(float × n)`, which published verifiers compute, favours some numbers slightly. Lemire's
   * rejection (https://arxiv.org/abs/1805.10941) refuses only the draws that cause this, and keeps
   * the published value for all others. For powers of two it refuses no draw.
   */
  function below(n: number): number {
    assert(Number.isInteger(n) && n >= 1 && n <= MAX_BELOW, "below(n) needs n from 1 to 2^20");
    const refusedBelow = TWO_32 % n;
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const product = uint32() * n;
      if (product % TWO_32 >= refusedBelow) return Math.floor(product / TWO_32);
    }
    throw new Error("broken invariant: 64 draws in a row were refused");
  }

  function shuffle<T>(items: readonly T[]): T[] {
    const rest = [...items];
    return items.flatMap(() => rest.splice(below(rest.length), 1));
  }

  return { uint32, float: () => uint32() / TWO_32, below, shuffle };
}

/** The hash shown before the round: SHA-256 of the seed's text, in hexadecimal. */
export function seedHash(serverSeed: string): string {
  return bytesToHex(sha256(utf8ToBytes(serverSeed)));
}

export function isServerSeed(text: unknown): text is string {
  return typeof text === "string" && SERVER_SEED.test(text);
}

export function isNonce(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function readUint32(bytes: Uint8Array, offset: number): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return view.getUint32(offset);
}
