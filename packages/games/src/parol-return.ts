/**
 * The return of Parol Fortune, counted and not simulated.
 *
 * Each row of a reel shows every stop equally often, so all 20 lines are worth the same, and the
 * worth of one line follows from symbol counts alone. A line bet is a twentieth of the stake, so
 * that worth in line bets, L, is also a base spin's return in stakes. Every free spin is worth 3 L
 * whenever it is played (what earlier spins showed does not change it), so
 *
 *   return = L × (1 + 3 × F),  F = expected free spins of a round, retriggers and cap included.
 *
 * Hit frequency, deviation and largest win depend on how lines win together, so the tests count them
 * over all 2^25 stop positions.
 */
import { present } from "@perya/kernel/assert";
import {
  FREE_SPIN_MULTIPLIER,
  freeSpinsFor,
  MAX_FREE_SPINS,
  PAYING_SYMBOLS,
  PAYTABLE,
  type ParolSymbol,
  ROWS,
  STRIPS,
  type Strips,
} from "./parol-reels.ts";
import { type Rational, rational } from "./rational.ts";

/** The published figures; the tests recompute each from the strips. */
export const PAROL_FIGURES = {
  /** Cut off, not rounded. */
  returnPercent: "96.18134227132095",
  /** Paid spins of 2^25 that win on a line or start free spins: 29.21%. */
  hits: 9_803_864,
  /** Paid spins of 2^25 that start free spins: 1 in 140.36. */
  features: 239_058,
  /** Of a round's payout, in stakes. */
  standardDeviation: 4.04,
  /** The largest payout that the strips allow, in line bets: 15,733.5 stakes. Nothing caps it. */
  maxWinUnits: 314_670,
} as const;

/** The exact share of the stakes that comes back in the long run. */
export function parolReturn(strips: Strips = STRIPS): Rational {
  const line = lineWorth(strips);
  const free = expectedFreeSpins(strips);
  return rational(
    line.numerator * (free.denominator + BigInt(FREE_SPIN_MULTIPLIER) * free.numerator),
    line.denominator * free.denominator,
  );
}

/** L: what one line pays on average in a base spin, in line bets. */
export function lineWorth(strips: Strips = STRIPS): Rational {
  const [c1, c2, c3, c4, c5] = lengths(strips);
  let units = 0n;
  for (const symbol of PAYING_SYMBOLS) {
    const [m1, m2, m3, m4, m5] = fiveOf(strips.map((strip) => BigInt(matches(strip, symbol))));
    const pays = PAYTABLE[symbol];
    const three = m1 * m2 * m3;
    units += three * (c4 - m4) * c5 * BigInt(pays[3]);
    units += three * m4 * (c5 - m5) * BigInt(pays[4]);
    units += three * m4 * m5 * BigInt(pays[5]);
  }
  return rational(units, c1 * c2 * c3 * c4 * c5);
}

/** How many of all stop positions show 0, 1, … 5 stars; strips show at most one per window. */
export function scatterCounts(strips: Strips = STRIPS): readonly bigint[] {
  let counts = [1n];
  for (const strip of strips) {
    const shown = BigInt(windowsWithScatter(strip));
    const bare = BigInt(strip.length) - shown;
    counts = Array.from(
      { length: counts.length + 1 },
      (_, k) => (counts[k] ?? 0n) * bare + (counts[k - 1] ?? 0n) * shown,
    );
  }
  return counts;
}

/**
 * F: the free spins of a round, on average. E(played, awarded) is the number still to be played:
 * zero when played = awarded, else one spin and what follows from its stars. Over the common
 * denominator D^(cap - played), D the number of stop positions, all stays in integers.
 */
export function expectedFreeSpins(strips: Strips = STRIPS): Rational {
  const counts = scatterCounts(strips);
  const positions = product(strips);
  const rest = stillToPlay(counts, positions);
  const numerator = counts.reduce((sum, count, k) => sum + count * rest(0, freeSpinsFor(k)), 0n);
  return rational(numerator, positions ** BigInt(MAX_FREE_SPINS + 1));
}

/** E(played, awarded) × D^(cap - played), each computed once. */
function stillToPlay(counts: readonly bigint[], positions: bigint) {
  const memo = new Map<number, bigint>();
  return function rest(played: number, awarded: number): bigint {
    if (played === awarded) return 0n;
    const key = played * (MAX_FREE_SPINS + 1) + awarded;
    const known = memo.get(key);
    if (known !== undefined) return known;
    let numerator = positions ** BigInt(MAX_FREE_SPINS - played);
    for (const [k, count] of counts.entries()) {
      const then = Math.min(awarded + freeSpinsFor(k), MAX_FREE_SPINS);
      numerator += count * rest(played + 1, then);
    }
    memo.set(key, numerator);
    return numerator;
  };
}

export function stands(shown: ParolSymbol | undefined, symbol: ParolSymbol): boolean {
  return shown === symbol || shown === "wild";
}

function windowsWithScatter(strip: readonly ParolSymbol[]): number {
  const rows = Array.from({ length: ROWS }, (_, row) => row);
  const shows = (stop: number) => rows.map((row) => strip[(stop + row) % strip.length]);
  return strip.filter((_, stop) => shows(stop).includes("scatter")).length;
}

function matches(strip: readonly ParolSymbol[], symbol: ParolSymbol): number {
  return strip.filter((shown) => stands(shown, symbol)).length;
}

function lengths(strips: Strips): Five<bigint> {
  return fiveOf(strips.map((strip) => BigInt(strip.length)));
}

function product(strips: Strips): bigint {
  return lengths(strips).reduce((all, length) => all * length, 1n);
}

type Five<T> = readonly [T, T, T, T, T];

export function fiveOf<T>(items: readonly T[]): Five<T> {
  const [a, b, c, d, e] = items;
  return [
    present(a, "the first of five"),
    present(b, "the second of five"),
    present(c, "the third of five"),
    present(d, "the fourth of five"),
    present(e, "the fifth of five"),
  ];
}
