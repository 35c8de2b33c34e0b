import { describe, expect, test } from "vitest";
import { evaluateGrid, gridAt } from "./parol-fortune.ts";
import {
  freeSpinsFor,
  LINES,
  MAX_FREE_SPINS,
  PAYING_SYMBOLS,
  PAYTABLE,
  REELS,
  ROWS,
  STRIPS,
  type Strips,
} from "./parol-reels.ts";
import {
  expectedFreeSpins,
  lineWorth,
  PAROL_FIGURES,
  parolReturn,
  roundFigures,
  scatterCounts,
  spinDistribution,
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
