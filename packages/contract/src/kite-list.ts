import type { LiveBet } from "./socket.ts";

/**
 * Sorts the bets that everybody is shown of a flight: those for money before free play, which costs
 * nothing and would push them out, and of each the largest stakes first. Equal ones stay as they came.
 */
export function bySize(a: LiveBet, b: LiveBet): number {
  const isFree = ({ stake }: LiveBet) => Number(stake.currency === "FUN");
  return isFree(a) - isFree(b) || Number(BigInt(b.stake.minor) - BigInt(a.stake.minor));
}
