import { DAY_MS, type Instant } from "@perya/kernel/instant";
import { blocksOf, machinesAt } from "../address-block.ts";
import type { RateLimiter } from "./rate-limit.ts";

/**
 * Stakes of one free-play account in a day: one every three seconds for four hours. A stake leaves
 * about 2 kB of entries and rounds with their indexes, for good.
 */
const ACCOUNT_DAILY = 5_000;
/**
 * Of all free play at one address, where carriers put many phones: a hundred by each of the three
 * hundred accounts that it may open in a day. They leave 60 MB; those of a /48 leave 1 GB.
 */
const ADDRESS_DAILY = 30_000;

/** Who plays for nothing, and from where. */
export interface FreePlayer {
  readonly merchantId: string;
  readonly memberId: string;
  readonly address: string;
}

/**
 * Counts one stake of free play, by account and by address, each brand's apart. No stake in real
 * money is bounded so: it costs its player money, and many players share a carrier's address. Null
 * where there was room; else the instant at which there is again.
 */
export async function takeFreePlay(
  rates: RateLimiter,
  { merchantId, memberId, address }: FreePlayer,
): Promise<Instant | null> {
  const machines = machinesAt(address);
  const bounds = [
    { subject: memberId, max: ACCOUNT_DAILY },
    ...blocksOf(address).map(({ block, times }) => ({
      subject: `${merchantId} ${block}`,
      max: ADDRESS_DAILY * machines * times,
    })),
  ];
  // The narrow ones first, so that one account's flood does not fill an address.
  for (const { subject, max } of bounds) {
    const retryAt = await rates.take(`free play ${subject}`, max, DAY_MS);
    if (retryAt !== null) return retryAt;
  }
  return null;
}
