import type { LiveBet } from "./socket.ts";

/**
 * The order of a flight's bets that everybody sees: money before free play, which costs nothing and
 * would push it out, and in both the largest stakes first. Equal bets keep their order.
 */
export function bySize(a: LiveBet, b: LiveBet): number {
  const isFree = ({ stake }: LiveBet) => Number(stake.currency === "FUN");
  return isFree(a) - isFree(b) || Number(BigInt(b.stake.minor) - BigInt(a.stake.minor));
}
