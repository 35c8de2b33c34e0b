import { DAY_MS, type Instant } from "@perya/kernel/instant";
import { blocksOf, machinesAt } from "../address-block.ts";
import type { RateLimiter } from "./rate-limit.ts";

/** How much of a thing is taken in a day by one account, and by all at one address. */
interface Daily {
  readonly what: string;
  readonly ofAccount: number;
  readonly ofAddress: number;
}

/**
 * Stakes of one free-play account: one every three seconds for four hours. A stake leaves about 2 kB
 * of entries and rounds with their indexes, for good. Of all free play at one address, where
 * carriers put many phones: a hundred by each of the three hundred accounts that it may open in a
 * day. They leave 60 MB; those of a /48 leave 1 GB.
 */
const FREE_PLAY: Daily = { what: "free play", ofAccount: 5_000, ofAddress: 30_000 };
/**
 * What members write without paying: launches, new seeds, feedback. Nobody opens a thousand games in
 * a day; an address has room for a hundred accounts that do. They leave half a kilobyte each: 50 MB.
 */
const UNPAID: Daily = { what: "unpaid", ofAccount: 1_000, ofAddress: 100_000 };

/** Who plays or writes for nothing, and from where. */
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
export function takeFreePlay(rates: RateLimiter, player: FreePlayer): Promise<Instant | null> {
  return takeOfDay(rates, FREE_PLAY, player);
}

/** As `takeFreePlay`, of what a member writes without a stake: free play takes no room from it. */
export function takeUnpaid(rates: RateLimiter, player: FreePlayer): Promise<Instant | null> {
  return takeOfDay(rates, UNPAID, player);
}

async function takeOfDay(
  rates: RateLimiter,
  { what, ofAccount, ofAddress }: Daily,
  { merchantId, memberId, address }: FreePlayer,
): Promise<Instant | null> {
  const machines = machinesAt(address);
  const bounds = [
    { subject: memberId, max: ofAccount },
    ...blocksOf(address).map(({ block, times }) => ({
      subject: `${merchantId} ${block}`,
      max: ofAddress * machines * times,
    })),
  ];
  // The narrow ones first, so that one account's flood does not fill an address.
  for (const { subject, max } of bounds) {
    const retryAt = await rates.take(`${what} ${subject}`, max, DAY_MS);
    if (retryAt !== null) return retryAt;
  }
  return null;
}
