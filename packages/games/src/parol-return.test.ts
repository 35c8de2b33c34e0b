import { present } from "@perya/kernel/assert";
import { describe, expect, test } from "vitest";
import { evaluateGrid, gridAt } from "./parol-fortune.ts";
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
import {
  expectedFreeSpins,
  fiveOf,
  lineWorth,
  PAROL_FIGURES,
  parolReturn,
  scatterCounts,
  stands,
} from "./parol-return.ts";
import { percentText } from "./rational.ts";

/** Uneven, crowded strips, small enough to lay out every grid. */
const SMALL: Strips = [
  ["jeepney", "q", "scatter", "q", "mango", "jeepney"],
  ["wild", "jeepney", "q", "scatter", "mango", "q", "wild"],
  ["q", "wild", "mango", "jeepney", "scatter"],
  ["mango", "q", "wild", "wild", "jeepney", "scatter", "q"],
  ["jeepney", "q", "scatter", "mango", "q", "j"],
];

describe("the data", () => {
  test("has 20 different lines over five reels and three rows", () => {
    expect(new Set(LINES.map((rows) => rows.join())).size).toBe(20);
    for (const rows of LINES) {
      expect(rows).toHaveLength(REELS);
      for (const row of rows) expect(row >= 0 && row < ROWS && Number.isInteger(row)).toBe(true);
    }
  });

  test("has five strips of 32 stops, one star each, with the parol on reels 2 to 4 only", () => {
    expect(STRIPS.map((strip) => strip.length)).toEqual([32, 32, 32, 32, 32]);
    const count = (symbol: string) =>
      STRIPS.map((strip) => strip.filter((shown) => shown === symbol).length);
    expect(count("scatter")).toEqual([1, 1, 1, 1, 1]);
    expect(count("wild")).toEqual([0, 1, 1, 1, 0]);
    for (const symbol of PAYING_SYMBOLS) expect(Math.min(...count(symbol))).toBeGreaterThan(0);
  });

  test("pays more for more symbols in a row", () => {
    for (const pays of Object.values(PAYTABLE)) {
      expect(pays[3]).toBeLessThan(pays[4]);
      expect(pays[4]).toBeLessThan(pays[5]);
    }
  });
});

describe("on small strips, with every grid laid out and evaluated by the game itself,", () => {
  const byHand = layOut(SMALL);

  test("the worth of a line from symbol counts is the average of all grids", () => {
    const worth = lineWorth(SMALL);
    expect(worth.numerator * BigInt(byHand.positions * LINES.length)).toBe(
      BigInt(byHand.payUnits) * worth.denominator,
    );
  });

  test("the stars counted by reel are the stars of all grids", () => {
    expect(scatterCounts(SMALL)).toEqual(byHand.byScatters.map(BigInt));
  });

  test("the walk over stop positions finds the same pays, stars and hits", () => {
    const walked = spinDistribution(SMALL);
    const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
    expect(walked.positions).toBe(byHand.positions);
    expect(walked.hits).toBe(byHand.hits);
    expect(walked.byScatters.map((group) => group.count)).toEqual(byHand.byScatters);
    expect(sum(walked.byScatters.map((group) => group.payUnits))).toBe(byHand.payUnits);
    expect(sum(walked.byScatters.map((group) => group.payUnitsSquared))).toBe(byHand.squares);
    expect(Math.max(...walked.byScatters.map((group) => group.maxPayUnits))).toBe(byHand.most);
  });
});

describe("on the real strips", () => {
  const walked = spinDistribution();
  const round = roundFigures(walked);

  test("all 33,554,432 stop positions together pay exactly what symbol counts say", () => {
    expect(walked.positions).toBe(2 ** 25);
    const units = walked.byScatters.reduce((sum, group) => sum + BigInt(group.payUnits), 0n);
    const worth = lineWorth();
    expect(units * worth.denominator).toBe(worth.numerator * BigInt(20 * walked.positions));
    expect(worth).toEqual({ numerator: 3_272_635n, denominator: 4_194_304n });
  });

  test("the stars counted one by one equal those counted by reel", () => {
    expect(walked.byScatters.map((group) => BigInt(group.count))).toEqual(scatterCounts());
  });

  test("the expected free spins equal those of a forward walk over played and awarded", () => {
    expect(Number(percentText(expectedFreeSpins(), 16)) / 100).toBeCloseTo(freeSpinsForward(), 14);
  });

  test("the exact return equals the published one, between 96.0 and 96.5 percent", () => {
    const exact = parolReturn();
    const decimals = PAROL_FIGURES.returnPercent.split(".")[1]?.length ?? 0;
    expect(percentText(exact, decimals)).toBe(PAROL_FIGURES.returnPercent);
    expect(Number(percentText(exact, 16))).toBeGreaterThan(96);
    expect(Number(percentText(exact, 16))).toBeLessThan(96.5);
  });

  test("the return from stop positions and the return from symbol counts agree", () => {
    expect(round.returnToPlayer).toBeCloseTo(Number(percentText(parolReturn(), 16)) / 100, 13);
  });

  test("hits, features, deviation and largest win equal the published ones", () => {
    const features = scatterCounts()
      .slice(3)
      .reduce((sum, count) => sum + count, 0n);
    expect(walked.hits).toBe(PAROL_FIGURES.hits);
    expect(Number(features)).toBe(PAROL_FIGURES.features);
    expect(round.standardDeviation).toBeCloseTo(PAROL_FIGURES.standardDeviation, 2);
    expect(round.maxWinUnits).toBe(PAROL_FIGURES.maxWinUnits);
  });

  test("a paid spin hits in 25 to 32 percent, and free spins come once in 120 to 180", () => {
    expect(walked.hits / walked.positions).toBeGreaterThan(0.25);
    expect(walked.hits / walked.positions).toBeLessThan(0.32);
    expect(walked.positions / PAROL_FIGURES.features).toBeGreaterThan(120);
    expect(walked.positions / PAROL_FIGURES.features).toBeLessThan(180);
  });
});

/** Each stop position as a grid, evaluated only by `evaluateGrid`. */
function layOut(strips: Strips) {
  const found = { positions: 0, payUnits: 0, squares: 0, most: 0, hits: 0 };
  const byScatters = [0, 0, 0, 0, 0, 0];
  const lengths = strips.map((strip) => strip.length);
  const positions = lengths.reduce((all, length) => all * length, 1);
  for (let position = 0; position < positions; position++) {
    let rest = position;
    const stops = lengths.map((length) => {
      const stop = rest % length;
      rest = (rest - stop) / length;
      return stop;
    });
    const { lineWins, scatters } = evaluateGrid(gridAt(stops, strips), "base");
    const units = lineWins.reduce((sum, win) => sum + win.payUnits, 0);
    found.positions += 1;
    found.payUnits += units;
    found.squares += units * units;
    found.most = Math.max(found.most, units);
    if (units > 0 || scatters >= 3) found.hits += 1;
    byScatters[scatters] = (byScatters[scatters] ?? 0) + 1;
  }
  return { ...found, byScatters };
}

/** The other direction: the chance of each (played, awarded), and so of each free spin. */
function freeSpinsForward(): number {
  const chances = scatterCounts().map((count) => Number(count) / 2 ** 25);
  let likely = new Map<number, number>();
  for (const [stars, chance] of chances.entries()) add(likely, freeSpinsFor(stars), chance);
  let expected = 0;
  for (let played = 0; played < MAX_FREE_SPINS; played++) {
    const next = new Map<number, number>();
    for (const [awarded, chance] of likely) {
      if (awarded === played) continue;
      expected += chance;
      for (const [stars, then] of chances.entries()) {
        add(next, Math.min(awarded + freeSpinsFor(stars), MAX_FREE_SPINS), chance * then);
      }
    }
    likely = next;
  }
  return expected;
}

function add(chances: Map<number, number>, awarded: number, chance: number): void {
  chances.set(awarded, (chances.get(awarded) ?? 0) + chance);
}

/** All spins with the same number of stars. */
interface SpinClass {
  count: number;
  /** Line bets over all these spins, before a multiplier: sum, sum of squares, largest. */
  payUnits: number;
  payUnitsSquared: number;
  maxPayUnits: number;
}

interface SpinDistribution {
  readonly positions: number;
  readonly byScatters: readonly SpinClass[];
  /** Positions that win on a line or start free spins. */
  readonly hits: number;
}

/**
 * Every stop position, one by one. Positions whose first three reels leave no line alive (most) pay
 * nothing and are only sorted by their stars.
 */
function spinDistribution(strips: Strips = STRIPS): SpinDistribution {
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
  return { positions: strips.reduce((all, { length }) => all * length, 1), byScatters, hits };
}

interface RoundFigures {
  /** Of a round's payout, in stakes. */
  readonly standardDeviation: number;
  /** In line bets; some sequence of stops reaches it. */
  readonly maxWinUnits: number;
  /** The return computed another way: from the positions, in doubles. */
  readonly returnToPlayer: number;
}

/** The figures of a whole round, free spins included, from those of single spins. */
function roundFigures(spins: SpinDistribution): RoundFigures {
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

function windowsOf(strip: readonly ParolSymbol[]): Window[] {
  return strip.map((_, stop) => {
    const shown = Array.from({ length: ROWS }, (_, row) =>
      present(strip[(stop + row) % strip.length], "a symbol at each stop"),
    );
    return { shown, stars: shown.filter((symbol) => symbol === "scatter").length };
  });
}

function emptyClass(): SpinClass {
  return { count: 0, payUnits: 0, payUnitsSquared: 0, maxPayUnits: 0 };
}
