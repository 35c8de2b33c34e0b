import type { CockfightBet } from "@perya/contract/cockfight";
import type { ChannelEvent, CockfightState } from "@perya/contract/socket";
import {
  type CockfightPool,
  type CockfightSide,
  DRAW_FACTOR,
  dividendHundredths,
} from "@perya/games/cockfight";
import type { Currency } from "@perya/kernel/money";

export interface RingTable {
  readonly match: CockfightState | null;
  readonly bets: readonly CockfightBet[];
}

export type RingEvent =
  | { readonly type: "snapshot"; readonly state: CockfightState | null }
  | { readonly type: "live"; readonly event: ChannelEvent<"cockfight"> }
  | { readonly type: "mine"; readonly bets: readonly CockfightBet[] }
  | { readonly type: "bet"; readonly bet: CockfightBet };

export const EMPTY_RING: RingTable = { match: null, bets: [] };

export function ringReducer(table: RingTable, event: RingEvent): RingTable {
  switch (event.type) {
    case "snapshot":
      return { ...table, match: event.state };
    case "live":
      return hear(table, event.event);
    case "mine":
      return { ...table, bets: merged(table.bets, event.bets) };
    case "bet":
      return { ...table, bets: merged(table.bets, [event.bet]) };
  }
}

function hear(table: RingTable, event: ChannelEvent<"cockfight">): RingTable {
  if (event.type === "phase") return { ...table, match: event.state };
  const { match } = table;
  if (match === null || match.matchId !== event.matchId) return table;
  return { ...table, match: { ...match, pools: event.pools } };
}

/** Answers may overtake each other: a settled bet never waits again. */
function merged(
  shown: readonly CockfightBet[],
  read: readonly CockfightBet[],
): readonly CockfightBet[] {
  const byId = new Map(shown.map((bet) => [bet.id, bet]));
  for (const bet of read) {
    const known = byId.get(bet.id);
    if (known === undefined || known.state === "placed") byId.set(bet.id, bet);
  }
  return [...byId.values()];
}

export function betsOn({ match, bets }: RingTable): readonly CockfightBet[] {
  return bets.filter(({ matchId }) => matchId === match?.matchId);
}

export interface ShownPool extends CockfightPool {
  readonly drawMinor: bigint;
}

/** The pool for bets in this currency. */
export function poolIn(match: CockfightState | null, currency: Currency): ShownPool {
  const pool = match?.pools.find(({ meron }) => meron.currency === currency);
  return {
    meronMinor: pool?.meron.minor ?? 0n,
    walaMinor: pool?.wala.minor ?? 0n,
    drawMinor: pool?.draw.minor ?? 0n,
  };
}

export function backedMinor(pool: ShownPool, side: CockfightSide): bigint {
  return { meron: pool.meronMinor, wala: pool.walaMinor, draw: pool.drawMinor }[side];
}

/** The present payout per unit on a side, in minor units; null where nobody backs it. */
export function paysMinor(pool: ShownPool, side: CockfightSide): bigint | null {
  return side === "draw" ? BigInt(DRAW_FACTOR * 100) : dividendHundredths(pool, side);
}

export interface OwnResult {
  /** `won`: more came back than was staked. */
  readonly kind: "won" | "returned" | "lost";
  /** All that came back. */
  readonly backMinor: bigint;
}

/** The player's result of a match, once every bet on it is settled; null without one. */
export function ownResult(bets: readonly CockfightBet[]): OwnResult | null {
  if (bets.length === 0 || bets.some(({ state }) => state === "placed")) return null;
  const sum = (minor: readonly bigint[]) => minor.reduce((all, one) => all + one, 0n);
  const backMinor = sum(bets.map(({ payout }) => payout.minor));
  const stakedMinor = sum(bets.map(({ stake }) => stake.minor));
  if (backMinor > stakedMinor) return { kind: "won", backMinor };
  return { kind: backMinor === 0n ? "lost" : "returned", backMinor };
}
