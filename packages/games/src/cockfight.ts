/**
 * The virtual cockfight: Meron against Wala, drawn and animated. Players bet against each other
 * (pari-mutuel): the stakes of both sides are one pool, the house keeps 5% of it, and the rest is
 * shared over the winning side by stake. Draw is a bet against the house at fixed odds.
 *
 *   a peso pays = floor(pool × 95% ÷ stakes on the winner), in whole centavos
 *
 * So a win is whole pesos times what a peso pays, and the fractions of a centavo that are cut off
 * (breakage) stay with the house. A draw returns the stakes on Meron and Wala.
 *
 * A pool in which a peso on a winner would pay 1.07 or less is no contest: one side has no stakes,
 * or too few. It is cancelled, as a cockpit cancels it, and every stake goes back, also on Draw. So
 * the house can neither lose on a pool nor pay a winner less than the stake.
 *
 * The fight comes from the published scheme of fairness.ts: the server seed, whose SHA-256 is
 * published before the first bet, the match's id as client seed, nonce 0.
 */
import { scaleMinor, timesMinor } from "@perya/kernel/money";
import { drawStream } from "./fairness.ts";
import type { GameTerms } from "./house-game.ts";
import { type Rational, rational } from "./rational.ts";
import { MAX_STAKE_MINOR, type StakeRule } from "./stake.ts";

export const COCKFIGHT_SIDES = ["meron", "wala", "draw"] as const;
export type CockfightSide = (typeof COCKFIGHT_SIDES)[number];

/** Whole pesos, so that the payout per peso never has to be divided. */
export const COCKFIGHT_STAKE: StakeRule = {
  minMinor: 100n,
  maxMinor: MAX_STAKE_MINOR,
  stepMinor: 100n,
};

export const cockfightTerms: GameTerms = { stake: COCKFIGHT_STAKE, returnToPlayer: poolReturn };

export const COMMISSION_PERCENT = 5;
/** A fight is cancelled if a peso on one side would pay this many centavos or fewer. */
export const NO_CONTEST_UP_TO = 107;
/** The payout on Draw as a multiple of the stake, stake included. */
export const DRAW_FACTOR = 8;

/** Of a hundred fights; the rest, 12, are drawn. */
const WINS_OF_HUNDRED = 44;
const SHARE_PERCENT = 100n - BigInt(COMMISSION_PERCENT);

export interface CockfightPool {
  readonly meronMinor: bigint;
  readonly walaMinor: bigint;
}

/** Who wins an exchange; exchanges are only for show. */
export type Exchange = "meron" | "wala" | "both";
export const EXCHANGES = 8;

export interface Fight {
  readonly result: CockfightSide;
  /** In order; the last is the winner's, or both's where the fight is drawn. */
  readonly exchanges: readonly Exchange[];
}

export function fightOf(seeds: { readonly serverSeed: string; readonly matchId: string }): Fight {
  const stream = drawStream({ serverSeed: seeds.serverSeed, clientSeed: seeds.matchId, nonce: 0 });
  const result = resultOf(stream.below(100));
  const course = Array.from({ length: EXCHANGES - 1 }, () => exchangeOf(stream.below(5)));
  return { result, exchanges: [...course, result === "draw" ? "both" : result] };
}

/** @param lot 0 to 99, all equally likely */
export function resultOf(lot: number): CockfightSide {
  if (lot < WINS_OF_HUNDRED) return "meron";
  return lot < 2 * WINS_OF_HUNDRED ? "wala" : "draw";
}

/**
 * Whether the fight over this pool takes place; if not, it is cancelled and every stake goes back.
 * @param upTo as `NO_CONTEST_UP_TO`; for an earlier fight, the limit published with it
 */
export function isContest(pool: CockfightPool, upTo: number = NO_CONTEST_UP_TO): boolean {
  return (["meron", "wala"] as const).every((side) => {
    const dividend = dividendHundredths(pool, side);
    return dividend !== null && dividend > BigInt(upTo);
  });
}

/**
 * The payout per peso on a side if it wins, in centavos, stake included; null for a side that
 * nobody backs. Cut off, as a tote does: the rest is breakage.
 */
export function dividendHundredths(
  { meronMinor, walaMinor }: CockfightPool,
  side: "meron" | "wala",
): bigint | null {
  const backed = side === "meron" ? meronMinor : walaMinor;
  return backed === 0n ? null : scaleMinor(meronMinor + walaMinor, SHARE_PERCENT, backed, "down");
}

/** What goes back for one bet when the fight has ended; 0 for a lost bet. */
export function cockfightPayoutMinor(
  pool: CockfightPool,
  bet: { readonly side: CockfightSide; readonly stakeMinor: bigint },
  result: CockfightSide,
  upTo: number = NO_CONTEST_UP_TO,
): bigint {
  const { side, stakeMinor } = bet;
  if (!isContest(pool, upTo)) return stakeMinor;
  if (result === "draw") {
    return side === "draw" ? timesMinor(stakeMinor, BigInt(DRAW_FACTOR)) : stakeMinor;
  }
  if (side !== result) return 0n;
  return scaleMinor(stakeMinor, dividendHundredths(pool, result) ?? 0n, 100n, "down");
}

/** The share of a stake on Draw that comes back in the long run. */
export function drawReturn(): Rational {
  return rational(BigInt(100 - 2 * WINS_OF_HUNDRED) * BigInt(DRAW_FACTOR), 100n);
}

/**
 * The share of the stakes on Meron and Wala that comes back where both are backed alike: the house
 * earns its commission in fights with a winner, and nothing in drawn ones.
 */
export function poolReturn(): Rational {
  const won = BigInt(2 * WINS_OF_HUNDRED);
  return rational(won * SHARE_PERCENT + (100n - won) * 100n, 10_000n);
}

function exchangeOf(lot: number): Exchange {
  if (lot < 2) return "meron";
  return lot < 4 ? "wala" : "both";
}
