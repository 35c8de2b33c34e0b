import { DAY_MS, type Instant } from "@perya/kernel/instant";
import { blocksOf, machinesAt } from "../address-block.ts";
import { DAY_MAX_BYTES } from "../kept-pictures.ts";
import type { Bound, RateLimiter } from "./rate-limit.ts";

interface Daily {
  readonly what: string;
  readonly ofSession?: number;
  readonly ofAccount?: number;
  readonly ofAddress: number;
}

/**
 * Stakes of one free-play account: one every three seconds for four hours. A stake leaves about 2
 * kB of entries and rounds with their indexes, for good. All free play at one address, where
 * carriers put many phones, has a hundred for each of the three hundred accounts that it may open
 * in a day. They leave 60 MB; those of a /48 leave 1 GB.
 */
const FREE_PLAY: Daily = { what: "free play", ofAccount: 5_000, ofAddress: 30_000 };
/**
 * What members write without paying: launches, new seeds, feedback. Nobody opens a thousand games
 * in a day, and a person who holds another's session leaves the owner half of them; an address has
 * room for a hundred such accounts. They leave half a kilobyte each: 50 MB.
 */
const UNPAID: Daily = {
  what: "unpaid",
  ofSession: 500,
  ofAccount: 1_000,
  ofAddress: 100_000,
};
const KILOBYTE = 1_024;
/**
 * Pictures in kilobytes. A session has half of its member's limit (`kept-pictures.ts`), so that a
 * person who holds another's session leaves the owner the other half; an address has room for five
 * hundred photographs of receipts.
 */
const PICTURES: Daily = {
  what: "pictures",
  ofSession: DAY_MAX_BYTES / KILOBYTE / 2,
  ofAddress: 200 * KILOBYTE,
};

/** Who plays or writes without paying, and from where. */
export interface FreePlayer {
  readonly merchantId: string;
  readonly memberId: string;
  readonly address: string;
}

/** A member who writes without a stake. */
export interface Writer extends FreePlayer {
  readonly sessionId: string;
  /**
   * Whether they ever paid money in. Members who did have only their own limits: others at their
   * carrier's address, whose accounts cost nothing, must not shut out those who pay.
   */
  hasPaidIn(): Promise<boolean>;
}

/**
 * Counts one stake of free play, by account and by address, per brand. Real stakes have no such
 * limit: they cost their player money, and many players share a carrier's address. Null if there
 * was room; else the instant at which there is again.
 */
export function takeFreePlay(rates: RateLimiter, player: FreePlayer): Promise<Instant | null> {
  return takeOfDay(rates, FREE_PLAY, [...ownOf(FREE_PLAY, player), ...sharedOf(FREE_PLAY, player)]);
}

/** As `takeFreePlay`, for what a member writes without a stake: free play takes no room from it. */
export async function takeUnpaid(rates: RateLimiter, writer: Writer): Promise<Instant | null> {
  const shared = (await writer.hasPaidIn()) ? [] : sharedOf(UNPAID, writer);
  return takeOfDay(rates, UNPAID, [...ownOf(UNPAID, writer, writer.sessionId), ...shared]);
}

/** As `takeUnpaid`, for a picture's bytes; its member's own limit is counted where it is stored. */
export async function takePicture(
  rates: RateLimiter,
  writer: Writer,
  bytes: number,
): Promise<Instant | null> {
  const shared = (await writer.hasPaidIn()) ? [] : sharedOf(PICTURES, writer);
  const own = ownOf(PICTURES, writer, writer.sessionId);
  return takeOfDay(rates, PICTURES, [...own, ...shared], Math.ceil(bytes / KILOBYTE));
}

function ownOf({ ofSession, ofAccount }: Daily, { memberId }: FreePlayer, sessionId = ""): Bound[] {
  return [
    ...(ofSession === undefined ? [] : [{ subject: sessionId, max: ofSession }]),
    ...(ofAccount === undefined ? [] : [{ subject: memberId, max: ofAccount }]),
  ];
}

function sharedOf({ ofAddress }: Daily, { merchantId, address }: FreePlayer): Bound[] {
  const machines = machinesAt(address);
  return blocksOf(address).map(({ block, times }) => ({
    subject: `${merchantId} ${block}`,
    max: ofAddress * machines * times,
  }));
}

function takeOfDay(
  rates: RateLimiter,
  { what }: Daily,
  bounds: readonly Bound[],
  count = 1,
): Promise<Instant | null> {
  const named = bounds.map(({ subject, max }) => ({ subject: `${what} ${subject}`, max }));
  return rates.take(named, DAY_MS, count);
}
