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
 * Hit frequency, deviation and largest win depend on how lines win together, so they are counted
 * over all 2^25 stop positions.
 */
import { present } from "@perya/kernel/assert";
import {
  FREE_SPIN_MULTIPLIER,
  freeSpinsFor,
  LINES,
  MAX_FREE_SPINS,
  PAYING_SYMBOLS,
  PAYTABLE,
  type ParolSymbol,
  REELS,
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

/** All spins with the same number of stars. */
interface SpinClass {
  count: number;
  /** Line bets over all these spins, before a multiplier: sum, sum of squares, largest. */
  payUnits: number;
  payUnitsSquared: number;
  maxPayUnits: number;
}

export interface SpinDistribution {
  readonly positions: number;
  readonly byScatters: readonly SpinClass[];
  /** Positions that win on a line or start free spins. */
  readonly hits: number;
}

/**
 * Every stop position, one by one. Positions whose first three reels leave no line alive (most) pay
 * nothing and are only sorted by their stars.
 */
export function spinDistribution(strips: Strips = STRIPS): SpinDistribution {
  const [first, second, third, fourth, fifth] = fiveOf(strips.map(windowsOf));
  const byScatters = Array.from({ length: REELS + 1 }, () => emptyClass());
  let hits = 0;

  for (const a of first) {
    for (const b of second) {
      for (const c of third) {
        const alive = linesAlive(a, b, c);
        const stars = a.stars + b.stars + c.stars;
        for (const d of fourth) {
          for (const e of fifth) {
            const units = alive.length === 0 ? 0 : unitsOf(alive, d, e);
            const scatters = stars + d.stars + e.stars;
            const group = present(byScatters[scatters], "at most one star a reel");
            group.count += 1;
            group.payUnits += units;
            group.payUnitsSquared += units * units;
            if (units > group.maxPayUnits) group.maxPayUnits = units;
            if (units > 0 || scatters >= 3) hits += 1;
          }
        }
      }
    }
  }
  return { positions: Number(product(strips)), byScatters, hits };
}

export interface RoundFigures {
  /** Of a round's payout, in stakes. */
  readonly standardDeviation: number;
  /** In line bets; some sequence of stops reaches it. */
  readonly maxWinUnits: number;
  /** The return computed another way: from the positions, in doubles. */
  readonly returnToPlayer: number;
}

/** The figures of a whole round, free spins included, from those of single spins. */
export function roundFigures(spins: SpinDistribution): RoundFigures {
  const memo = new Map<number, RoundMoments>();
  const none: RoundMoments = { mean: 0, square: 0, most: 0 };

  function after(played: number, awarded: number): RoundMoments {
    if (played === awarded) return none;
    const key = played * (MAX_FREE_SPINS + 1) + awarded;
    const known = memo.get(key);
    if (known !== undefined) return known;
    const moments = spin(FREE_SPIN_MULTIPLIER, (won) =>
      after(played + 1, Math.min(awarded + won, MAX_FREE_SPINS)),
    );
    memo.set(key, moments);
    return moments;
  }

  function spin(multiplier: number, next: (won: number) => RoundMoments): RoundMoments {
    const total = { ...none };
    for (const [scatters, group] of spins.byScatters.entries()) {
      if (group.count === 0) continue;
      const chance = group.count / spins.positions;
      const mean = (multiplier * group.payUnits) / spins.positions;
      const square = (multiplier ** 2 * group.payUnitsSquared) / spins.positions;
      const then = next(freeSpinsFor(scatters));
      total.mean += mean + chance * then.mean;
      total.square += square + 2 * mean * then.mean + chance * then.square;
      total.most = Math.max(total.most, multiplier * group.maxPayUnits + then.most);
    }
    return total;
  }

  const round = spin(1, (won) => after(0, won));
  return {
    standardDeviation: Math.sqrt(round.square - round.mean ** 2) / LINES.length,
    maxWinUnits: round.most,
    returnToPlayer: round.mean / LINES.length,
  };
}

interface RoundMoments {
  mean: number;
  square: number;
  most: number;
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

interface Window {
  readonly shown: readonly ParolSymbol[];
  readonly stars: number;
}

interface AliveLine {
  readonly symbol: ParolSymbol;
  /** The line's rows on reels 4 and 5. */
  readonly row4: number;
  readonly row5: number;
  readonly pay3: number;
  readonly pay4: number;
  readonly pay5: number;
}

function linesAlive(a: Window, b: Window, c: Window): AliveLine[] {
  const alive: AliveLine[] = [];
  for (const rows of LINES) {
    const [row1, row2, row3, row4, row5] = fiveOf(rows);
    const symbol = a.shown[row1];
    if (symbol === undefined || symbol === "wild" || symbol === "scatter") continue;
    if (!stands(b.shown[row2], symbol) || !stands(c.shown[row3], symbol)) continue;
    const { 3: pay3, 4: pay4, 5: pay5 } = PAYTABLE[symbol];
    alive.push({ symbol, row4, row5, pay3, pay4, pay5 });
  }
  return alive;
}

function unitsOf(alive: readonly AliveLine[], d: Window, e: Window): number {
  let units = 0;
  for (const line of alive) {
    if (!stands(d.shown[line.row4], line.symbol)) units += line.pay3;
    else if (!stands(e.shown[line.row5], line.symbol)) units += line.pay4;
    else units += line.pay5;
  }
  return units;
}

function stands(shown: ParolSymbol | undefined, symbol: ParolSymbol): boolean {
  return shown === symbol || shown === "wild";
}

function windowsOf(strip: readonly ParolSymbol[]): Window[] {
  return strip.map((_, stop) => {
    const shown = Array.from({ length: ROWS }, (_, row) =>
      present(strip[(stop + row) % strip.length], "a symbol at each stop"),
    );
    return { shown, stars: shown.filter((symbol) => symbol === "scatter").length };
  });
}

function windowsWithScatter(strip: readonly ParolSymbol[]): number {
  return windowsOf(strip).filter((window) => window.stars > 0).length;
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

function emptyClass(): SpinClass {
  return { count: 0, payUnits: 0, payUnitsSquared: 0, maxPayUnits: 0 };
}

type Five<T> = readonly [T, T, T, T, T];

function fiveOf<T>(items: readonly T[]): Five<T> {
  const [a, b, c, d, e] = items;
  return [
    present(a, "the first of five"),
    present(b, "the second of five"),
    present(c, "the third of five"),
    present(d, "the fourth of five"),
    present(e, "the fifth of five"),
  ];
}
