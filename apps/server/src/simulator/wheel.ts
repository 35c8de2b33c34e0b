import { type Rational, rational } from "@perya/games/rational";
import { assert, present } from "@perya/kernel/assert";
import type { Entropy } from "@perya/kernel/instant";
import { timesMinor } from "@perya/kernel/money";

/**
 * The one game of the vendor simulator: a wheel of twenty equal slots. Each slot's payout is
 * printed on it, so everybody sees its odds: 7 of 20 win, and 19/20 of all stakes come back.
 */
export const WHEEL: readonly number[] = [
  5, 0, 2, 0, 0, 3, 0, 2, 0, 0, 0, 2, 0, 3, 0, 0, 2, 0, 0, 0,
];

const BYTES = 256;

export function drawSlot(entropy: Entropy): number {
  const usable = BYTES - (BYTES % WHEEL.length);
  // Each byte is useless with one chance in sixteen.
  for (let draws = 0; draws < BYTES; draws++) {
    const byte = present(entropy.bytes(1)[0], "the byte that was drawn");
    if (byte < usable) return byte % WHEEL.length;
  }
  throw new Error("chance that never gives a usable byte is broken");
}

/** Everything that comes back, in minor units; 0 for a losing slot. */
export function payoutOf(slot: number, stakeMinor: bigint): bigint {
  const pays = WHEEL[slot];
  assert(pays !== undefined, "a slot of the wheel");
  return timesMinor(stakeMinor, BigInt(pays));
}

/** The share of all stakes that comes back, exactly. */
export function wheelReturn(): Rational {
  return rational(
    WHEEL.reduce((sum, pays) => sum + BigInt(pays), 0n),
    BigInt(WHEEL.length),
  );
}

/** What the wheel pays and on how many of its slots, the highest first. */
export function payTable(): { readonly pays: number; readonly slots: number }[] {
  const values = [...new Set(WHEEL)].sort((a, b) => b - a);
  return values.map((pays) => ({ pays, slots: WHEEL.filter((one) => one === pays).length }));
}
