/** Divides the budget of a rain of red packets into packets. */
import { assert } from "@perya/kernel/assert";
import { divideRounded } from "@perya/kernel/money";
import type { DrawStream } from "./fairness.ts";

/** Minor units, each positive. */
export interface RainAmounts {
  readonly budgetMinor: bigint;
  readonly smallestMinor: bigint;
  readonly largestMinor: bigint;
}

/** The most packets of one rain; settings are checked against it. */
export const PACKETS_MAX = 5_000;
/** The largest packet less the smallest: the range that one draw can distinguish. */
export const SPREAD_MAX = 2 ** 20 - 1;

/** Whether the amounts can be dealt: at least one packet, at most `PACKETS_MAX`. */
export function canDeal({ budgetMinor, smallestMinor, largestMinor }: RainAmounts): boolean {
  const packets = smallestMinor > 0n ? divideRounded(budgetMinor, smallestMinor, "down") : 0n;
  const spread = largestMinor - smallestMinor;
  return (
    spread >= 0n && spread <= BigInt(SPREAD_MAX) && packets >= 1n && packets <= BigInt(PACKETS_MAX)
  );
}

/**
 * Packets in the order in which they are caught. Each is the smaller of two even draws between the
 * smallest amount and the largest, or the rest of the budget where that is less: small packets are
 * common, large ones rare, and with an ample budget the mean is the smallest plus a third of the
 * spread. Dealing ends when less than the smallest is left, which stays with the house. The order
 * is shuffled, so that the last player has the same chances as the first.
 * @throws Error for amounts that `canDeal` refuses
 */
export function dealPackets(amounts: RainAmounts, draws: DrawStream): bigint[] {
  assert(canDeal(amounts), "a rain's budget is dealt into a bounded number of packets");
  const { budgetMinor, smallestMinor, largestMinor } = amounts;
  const packets: bigint[] = [];
  for (let left = budgetMinor; left >= smallestMinor; ) {
    const most = left < largestMinor ? left : largestMinor;
    const choices = Number(most - smallestMinor) + 1;
    const amount = smallestMinor + BigInt(Math.min(draws.below(choices), draws.below(choices)));
    packets.push(amount);
    left -= amount;
  }
  return draws.shuffle(packets);
}
