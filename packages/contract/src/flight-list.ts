import type { LiveBet } from "./socket.ts";
import type { OnWire } from "./wire.ts";

/** As the server has it, and as the browser does. */
type Sized = Pick<LiveBet | OnWire<LiveBet>, "stake">;

/**
 * The order of a flight's bets that everybody sees: money before free play, which costs nothing and
 * would push it out, and in both the largest stakes first. Equal bets keep their order.
 */
export function bySize(a: Sized, b: Sized): number {
  const isFree = ({ stake }: Sized) => Number(stake.currency === "FUN");
  return isFree(a) - isFree(b) || Number(BigInt(b.stake.minor) - BigInt(a.stake.minor));
}
