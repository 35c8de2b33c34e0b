import { createHmac } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  CASH_OUT_MARGIN_BP,
  type Chances,
  cashOutMinor,
  combinedOdds,
  comesTrue,
  finalScores,
  MARGIN_BP,
  MAX_ODDS,
  type Market,
  MILLION,
  MIN_ODDS,
  mostStakeMinor,
  oddsOf,
  playMatch,
  potentialMinor,
  probabilities,
  SPORT_SHAPES,
  SPORTS,
  SPORTS_STAKE,
  type Sport,
  selectionsOf,
  stateAt,
  TICK_MS,
  TICKS,
} from "./sports.ts";
import { fixturesBetween } from "./sports-fixtures.ts";

const fixtureId = "fix_01kaa000000000000000000000";
const FOOTBALL: Chances = { home: 17_000, away: 13_000 };

const seed = fc.stringMatching(/^[0-9a-f]{64}$/);
const sport = fc.constantFrom(...SPORTS);
const chancesOf = (of: Sport) =>
  of === "esports"
    ? fc.integer({ min: 150_000, max: 850_000 }).map((home) => ({ home, away: MILLION - home }))
    : fc.record({
        home: fc.integer({ min: 5_000, max: 40_000 }),
        away: fc.integer({ min: 5_000, max: 40_000 }),
      });

/** A random moment of a match, with one of its markets. */
const moment = sport.chain((of) =>
  fc
    .record({
      chances: chancesOf(of),
      market: fc.constantFrom(...SPORT_SHAPES[of].markets),
      serverSeed: seed,
      elapsedMs: fc.integer({ min: -TICK_MS, max: TICKS * TICK_MS }),
    })
    .map((given) => {
      const match = playMatch(of, given.chances, { serverSeed: given.serverSeed, fixtureId });
      const at = stateAt(match, given.elapsedMs);
      return { sport: of, ...given, match, at };
    }),
);

/** The chances of a market's selections from a moment on. */
const fairNow = (
  of: Sport,
  market: Market,
  chances: Parameters<typeof finalScores>[1],
  from: Parameters<typeof finalScores>[2],
) => probabilities(of, market, finalScores(of, chances, from));

describe("a match", () => {
  test("follows the published scheme from the seed and the fixture's id", () => {
    const serverSeed = "c4".repeat(32);
    const { points } = playMatch(
      "esports",
      { home: 500_000, away: 500_000 },
      { serverSeed, fixtureId },
    );
    const block = createHmac("sha256", serverSeed).update(`${fixtureId}:0:0`).digest();
    const sides = points.map((_, i) =>
      Math.floor((block.readUInt32BE(i * 4) * MILLION) / 2 ** 32) < 500_000 ? "home" : "away",
    );
    expect(points.map(({ side }) => side)).toEqual(sides);
    expect(points.map(({ tick }) => tick)).toEqual([30, 60, 90].slice(0, points.length));
  });

  test("ends with the second map of one side, or in football with the last minute", () => {
    fc.assert(
      fc.property(seed, (serverSeed) => {
        const maps = playMatch(
          "esports",
          { home: 500_000, away: 500_000 },
          { serverSeed, fixtureId },
        );
        expect(Math.max(maps.score.home, maps.score.away)).toBe(2);
        expect(maps.endTick).toBe(30 * (maps.score.home + maps.score.away));
        expect(playMatch("football", FOOTBALL, { serverSeed, fixtureId }).endTick).toBe(TICKS);
      }),
    );
  });

  test("has the score of its points so far, and is suspended right after one", () => {
    const match = {
      points: [
        { tick: 10, side: "home" as const },
        { tick: 40, side: "away" as const },
      ],
      endTick: TICKS,
      score: { home: 1, away: 1 },
    };
    const at = (tick: number) => stateAt(match, tick * TICK_MS);
    expect(stateAt(match, -1)).toMatchObject({ phase: "next", tick: 0, suspended: false });
    expect(at(9)).toMatchObject({ phase: "live", score: { home: 0, away: 0 }, suspended: false });
    for (const tick of [10, 11, 12]) {
      expect(at(tick)).toMatchObject({ score: { home: 1, away: 0 }, suspended: true });
    }
    expect(at(13).suspended).toBe(false);
    expect(at(TICKS + 5)).toMatchObject({ phase: "over", tick: TICKS, score: match.score });
  });

  test("has results as often as its chances say", () => {
    const seen = { home: 0, draw: 0, away: 0 };
    const matches = 4_000;
    for (let i = 0; i < matches; i++) {
      const seeds = { serverSeed: "5a".repeat(32), fixtureId: `fix_${i}` };
      const { home, away } = playMatch("football", FOOTBALL, seeds).score;
      seen[home > away ? "home" : home < away ? "away" : "draw"] += 1;
    }
    const fair = fairNow("football", "result", FOOTBALL, START);
    // A deviation of at most 0.8 percent; five of them would occur once in two million runs.
    for (const [i, selection] of (["home", "draw", "away"] as const).entries()) {
      expect(Math.abs(seen[selection] / matches - (fair[i] ?? 0))).toBeLessThan(0.04);
    }
  });
});

const START = { score: { home: 0, away: 0 }, tick: 0 };

describe("probabilities", () => {
  test("add up to one at every moment of every match", () => {
    fc.assert(
      fc.property(moment, ({ sport: of, market, chances, at }) => {
        const sum = fairNow(of, market, chances, at).reduce((a, b) => a + b, 0);
        expect(sum).toBeCloseTo(1, 9);
      }),
    );
  });

  test("of football are nearly those of Poisson goals", () => {
    const poisson = (mean: number, goals: number): number =>
      goals === 0 ? Math.exp(-mean) : (poisson(mean, goals - 1) * mean) / goals;
    let [home, under] = [0, 0];
    for (let h = 0; h < 15; h++) {
      for (let a = 0; a < 15; a++) {
        const chance = poisson(90 * 0.017, h) * poisson(90 * 0.013, a);
        if (h > a) home += chance;
        if (h + a < 2.5) under += chance;
      }
    }
    expect(fairNow("football", "result", FOOTBALL, START)[0]).toBeCloseTo(home, 2);
    expect(fairNow("football", "total:2.5", FOOTBALL, START)[1]).toBeCloseTo(under, 2);
  });

  test("of maps equal those counted by hand", () => {
    const chances = { home: 600_000, away: 400_000 };
    const [home = 0] = fairNow("esports", "result", chances, START);
    expect(home).toBeCloseTo(0.6 ** 2 + 2 * 0.6 ** 2 * 0.4, 12);
    const after = { score: { home: 0, away: 1 }, tick: 31 };
    expect(fairNow("esports", "result", chances, after)[0]).toBeCloseTo(0.36, 12);
    expect(fairNow("esports", "total:2.5", chances, after)[0]).toBeCloseTo(0.6, 12);
  });

  test("are 1 for what happened once the match is over", () => {
    fc.assert(
      fc.property(moment, ({ sport: of, market, chances, match }) => {
        const end = { score: match.score, tick: match.endTick };
        const known = selectionsOf(of, market).map((one) =>
          comesTrue(market, one, match.score) ? 1 : 0,
        );
        expect(fairNow(of, market, chances, end)).toEqual(known);
      }),
    );
  });
});

describe("odds", () => {
  test("keep the margin at every moment, and return less than a stake by their own chances", () => {
    let offered = 0;
    fc.assert(
      fc.property(moment, ({ sport: of, market, chances, at }) => {
        const fair = fairNow(of, market, chances, at);
        const odds = oddsOf(fair);
        if (odds === null) return;
        offered += 1;
        const booked = odds.reduce<number>((sum, one) => sum + 1_000 / (one ?? MAX_ODDS), 0);
        expect(booked).toBeGreaterThanOrEqual(1 + MARGIN_BP / 10_000 - 1e-9);
        for (const [i, one] of odds.entries()) {
          if (one === null) continue;
          const returned = ((fair[i] ?? 0) * one) / 1_000;
          expect(returned).toBeLessThanOrEqual(1 / 1.06 + 1e-9);
          expect(returned).toBeGreaterThanOrEqual(0.9);
          expect(one % 10).toBe(0);
          expect(one).toBeGreaterThanOrEqual(MIN_ODDS);
          expect(one).toBeLessThanOrEqual(MAX_ODDS);
        }
      }),
    );
    expect(offered).toBeGreaterThan(20);
  });

  test("are not offered where nothing can be won any more", () => {
    expect(oddsOf([1, 0])).toBeNull();
    expect(oddsOf([0.95, 0.05])).toBeNull();
    expect(oddsOf([0.5, 0.5])).toEqual([1_880, 1_880]);
    expect(oddsOf([0.9, 0.091, 0.009])).toEqual([1_040, 10_360, MAX_ODDS]);
  });

  test("of a long shot are not offered where even the highest would return less than nine tenths", () => {
    // At 101.00 it would return 10.1% and 89.9%: the finding, and the boundary.
    expect(oddsOf([0.9, 0.099, 0.001])).toEqual([1_040, 9_520, null]);
    expect(oddsOf([0.9, 0.091_1, 0.008_9])).toEqual([1_040, 10_350, null]);
  });
});

describe("a market", () => {
  test("has exactly one selection that comes true, whatever the score", () => {
    const score = fc.record({ home: fc.nat({ max: 9 }), away: fc.nat({ max: 9 }) });
    fc.assert(
      fc.property(moment, score, ({ sport: of, market, match }, any) => {
        const final = of === "esports" ? match.score : any;
        const true_ = selectionsOf(of, market).filter((one) => comesTrue(market, one, final));
        expect(true_).toHaveLength(1);
      }),
    );
  });

  test.each<[Market, number, number, string]>([
    ["result", 2, 1, "home"],
    ["result", 1, 1, "draw"],
    ["total:2.5", 2, 1, "over"],
    ["total:2.5", 2, 0, "under"],
    ["handicap:-1.5", 2, 1, "away"],
    ["handicap:-1.5", 3, 1, "home"],
    ["handicap:1.5", 0, 1, "home"],
    ["handicap:1.5", 0, 2, "away"],
  ])("%s at %i:%i is %s", (market, home, away, expected) => {
    const won = selectionsOf("football", market).find((one) =>
      comesTrue(market, one, { home, away }),
    );
    expect(won).toBe(expected);
  });
});

describe("a bet", () => {
  test("of several legs pays the stake times all its odds, cut off to the minor unit", () => {
    expect(potentialMinor(10_000n, [1_880])).toBe(18_800n);
    expect(potentialMinor(100n, [1_330, 1_330, 1_330])).toBe(235n);
    expect(combinedOdds([1_330, 1_330, 1_330])).toBe(2_352);
    expect(combinedOdds([2_500])).toBe(2_500);
    expect(potentialMinor(700n, [])).toBe(700n);
  });

  test("may have the largest stake whose payout the house allows, and not a step more", () => {
    const odds = fc.array(fc.integer({ min: MIN_ODDS, max: MAX_ODDS }), {
      minLength: 1,
      maxLength: 8,
    });
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 12n }), odds, (payout, legs) => {
        const most = mostStakeMinor(payout, legs);
        const { stepMinor } = SPORTS_STAKE;
        expect(most % stepMinor).toBe(0n);
        expect(potentialMinor(most, legs)).toBeLessThanOrEqual(payout);
        expect(potentialMinor(most + stepMinor, legs)).toBeGreaterThan(payout - 1n);
      }),
    );
    expect(mostStakeMinor(100_000n, [1_880])).toBe(53_100n);
  });

  test("is never worth more in cash-out than its payout, nor than its likely value", () => {
    const bet = fc.record({
      stake: fc.bigInt({ min: 100n, max: 10n ** 12n }),
      odds: fc.array(fc.integer({ min: MIN_ODDS, max: MAX_ODDS }), { minLength: 1, maxLength: 8 }),
      open: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 }),
    });
    fc.assert(
      fc.property(bet, ({ stake, odds, open }) => {
        const potential = potentialMinor(stake, odds);
        const worth = cashOutMinor(potential, open);
        expect(worth).toBeLessThanOrEqual(potential);
        expect(worth).toBeGreaterThanOrEqual(0n);
        const kept = 1 - CASH_OUT_MARGIN_BP / 10_000;
        const fair = open.reduce((all, one) => all * one, Number(potential) * kept);
        expect(Number(worth)).toBeLessThanOrEqual(fair * (1 + 1e-9));
      }),
    );
    expect(cashOutMinor(10_000n, [0.5])).toBe(4_750n);
  });
});

describe("fixtures", () => {
  test("start at the same instants in whatever span they are asked for, and no team plays twice at once", () => {
    const from = Date.UTC(2026, 10, 21);
    for (const of of SPORTS) {
      const all = fixturesBetween(of, from, from + 24 * 3_600_000);
      const [first, second] = [from + 7 * 3_600_000 + 1_234, from + 24 * 3_600_000];
      expect([...fixturesBetween(of, from, first), ...fixturesBetween(of, first, second)]).toEqual(
        all,
      );
      expect(all.length).toBeGreaterThan(400);
      for (const [i, one] of all.entries()) {
        expect(one.startsAt % TICK_MS).toBe(0);
        expect(one.chances.home + one.chances.away).toBeLessThanOrEqual(MILLION);
        const beside = all
          .slice(i + 1)
          .filter(({ startsAt }) => startsAt < one.startsAt + TICKS * TICK_MS);
        const teams = [one, ...beside].flatMap(({ home, away }) => [home, away]);
        expect(new Set(teams).size).toBe(teams.length);
      }
    }
  });
});
