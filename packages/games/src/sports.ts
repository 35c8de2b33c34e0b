/**
 * Matches between two sides, decided by chance alone, and the bets on them. A match is a row of
 * ticks. At some ticks a decision falls: a point for home, one for away, or none. In football every
 * tick is a minute and decides, which over ninety ticks is as good as the Poisson goals of Maher
 * (https://doi.org/10.1111/j.1467-9574.1982.tb00782.x); in e-sports each thirtieth tick ends a map,
 * and two maps win the match.
 *
 * Decisions come from the published scheme of fairness.ts: the server seed, whose SHA-256 is
 * published with the fixture before the first bet, the fixture's id as client seed, nonce 0.
 * Chances are public, so anyone who sees the score can compute every probability.
 */
import { assert } from "@perya/kernel/assert";
import { SECOND_MS } from "@perya/kernel/instant";
import { scaleMinor } from "@perya/kernel/money";
import { drawStream } from "./fairness.ts";
import { MAX_STAKE_MINOR, type StakeRule, wholeSteps } from "./stake.ts";

export const SPORTS = ["football", "esports"] as const;
export type Sport = (typeof SPORTS)[number];

type Side = "home" | "away";

export type Score = Readonly<Record<Side, number>>;

/** Ninety ticks last six minutes. */
export const TICK_MS = 4 * SECOND_MS;
export const TICKS = 90;

/** How long no bets are taken after a point, so that every screen has seen it. */
const SUSPENDED_TICKS = 3;

/** Who wins; with how many points in total; and who wins when home gets some points in advance. */
export const MARKETS = {
  result: { kind: "result", line: 0 },
  "total:1.5": { kind: "total", line: 1.5 },
  "total:2.5": { kind: "total", line: 2.5 },
  "total:3.5": { kind: "total", line: 3.5 },
  "handicap:-1.5": { kind: "handicap", line: -1.5 },
  "handicap:1.5": { kind: "handicap", line: 1.5 },
} as const;
export type Market = keyof typeof MARKETS;

/** In every market exactly one of its selections comes true. */
const SELECTIONS = ["home", "draw", "away", "over", "under"] as const;
export type Selection = (typeof SELECTIONS)[number];

interface SportShape {
  /** Ticks between two decisions. */
  readonly every: number;
  readonly target: number | null;
  readonly markets: readonly Market[];
}

export const SPORT_SHAPES: Readonly<Record<Sport, SportShape>> = {
  football: {
    every: 1,
    target: null,
    markets: ["result", "total:1.5", "total:2.5", "total:3.5", "handicap:-1.5", "handicap:1.5"],
  },
  esports: {
    every: 30,
    target: 2,
    markets: ["result", "total:2.5", "handicap:-1.5", "handicap:1.5"],
  },
};

/** The chances of a point per decision, in millionths; the rest of a million is no point. */
export type Chances = Score;
export const MILLION = 1_000_000;

/** Whole pesos; a brand's own limits lie far below the technical ceiling. */
export const SPORTS_STAKE: StakeRule = {
  minMinor: 100n,
  maxMinor: MAX_STAKE_MINOR,
  stepMinor: 100n,
};

/** Odds are what a stake comes back as, stake included, in thousandths. */
const ODDS_ONE = 1_000;
export const MIN_ODDS = 1_010;
export const MAX_ODDS = 101_000;
/**
 * The least that every price must return by its own chance, in ten-thousandths. A long shot that
 * would return less even at the highest odds is not offered: those odds would be no fair price.
 */
const MIN_RETURN_BP = 9_000;
/** Odds are whole hundredths, as players read them. */
const ODDS_STEP = 10;

/**
 * The overround of every market in ten-thousandths: its selections' 1/odds add up to 1.06.
 * Bookmakers for the public take 5 to 8 percent on results and totals of football
 * (https://www.hltco.org/2026/04/29/bookmaker-margins-overround-explained/).
 */
export const MARGIN_BP = 600;
/** The house's share of a bet's fair worth at cash-out, in ten-thousandths. */
export const CASH_OUT_MARGIN_BP = 500;
const BASIS = 10_000;

/** The most points of one side that are counted; a match with more has a chance of 10^-9. */
const MOST_POINTS = 15;

interface Point {
  /** 1 to TICKS. */
  readonly tick: number;
  readonly side: Side;
}

export interface Match {
  readonly points: readonly Point[];
  /** The tick at which the match is decided. */
  readonly endTick: number;
  readonly score: Score;
}

export function selectionsOf(sport: Sport, market: Market): readonly Selection[] {
  if (MARKETS[market].kind === "total") return ["over", "under"];
  // A match to a target has a winner, and a half point leaves no draw.
  const drawn = market === "result" && SPORT_SHAPES[sport].target === null;
  return drawn ? ["home", "draw", "away"] : ["home", "away"];
}

/** The whole match; the same seeds give the same match for ever. */
export function playMatch(
  sport: Sport,
  chances: Chances,
  seeds: { readonly serverSeed: string; readonly fixtureId: string },
): Match {
  const { serverSeed, fixtureId } = seeds;
  const stream = drawStream({ serverSeed, clientSeed: fixtureId, nonce: 0 });
  const { every } = SPORT_SHAPES[sport];
  const points: Point[] = [];
  let score: Score = { home: 0, away: 0 };
  for (let tick = every; tick <= TICKS; tick += every) {
    const drawn = stream.below(MILLION);
    const side =
      drawn < chances.home ? "home" : drawn < chances.home + chances.away ? "away" : null;
    if (side === null) continue;
    points.push({ tick, side });
    score = withPoint(score, side);
    if (isDecided(sport, score)) return { points, endTick: tick, score };
  }
  return { points, endTick: TICKS, score };
}

export interface MatchState {
  readonly phase: "next" | "live" | "over";
  /** Ticks played so far, 0 before the start. */
  readonly tick: number;
  readonly score: Score;
  /** A point has just fallen: no bet and no cash-out is taken. */
  readonly suspended: boolean;
}

/** The state of a match this long after its start; negative before it. */
export function stateAt(match: Match, elapsedMs: number): MatchState {
  const tick = Math.min(Math.max(Math.floor(elapsedMs / TICK_MS), 0), match.endTick);
  const fallen = match.points.filter((point) => point.tick <= tick);
  const score = fallen.reduce((sum, { side }) => withPoint(sum, side), NO_POINTS);
  const over = tick === match.endTick;
  const last = fallen.at(-1);
  return {
    phase: elapsedMs < 0 ? "next" : over ? "over" : "live",
    tick,
    score,
    suspended: !over && last !== undefined && tick - last.tick < SUSPENDED_TICKS,
  };
}

const NO_POINTS: Score = { home: 0, away: 0 };

/** A final score that is still possible, with its chance. */
export interface FinalScore {
  readonly score: Score;
  readonly chance: number;
}

/**
 * The chances of each selection, in the order of `selectionsOf`; they add up to 1.
 * @param finals from `finalScores`; the same for all markets of a match
 */
export function probabilities(
  sport: Sport,
  market: Market,
  finals: readonly FinalScore[],
): readonly number[] {
  return selectionsOf(sport, market).map((selection) =>
    finals
      .filter(({ score }) => comesTrue(market, selection, score))
      .reduce((sum, { chance }) => sum + chance, 0),
  );
}

/**
 * The odds of a market's selections, with the margin on each in proportion, cut off to the
 * hundredth; null for a selection that is not offered because it would return less than
 * `MIN_RETURN_BP`. Null for all where one is so likely that nothing could be won.
 */
export function oddsOf(chances: readonly number[]): readonly (number | null)[] | null {
  const odds = chances.map((chance) => {
    const exact = ODDS_ONE / ODDS_STEP / ((chance * (BASIS + MARGIN_BP)) / BASIS);
    return Math.min(MAX_ODDS, Math.floor(exact) * ODDS_STEP);
  });
  if (odds.some((one) => one < MIN_ODDS)) return null;
  return odds.map((one, i) => {
    const returned = (chances[i] ?? 0) * (one / ODDS_ONE);
    return returned * BASIS >= MIN_RETURN_BP ? one : null;
  });
}

/** Whether a selection came true; exactly one of a market's selections does. */
export function comesTrue(market: Market, selection: Selection, { home, away }: Score): boolean {
  const { kind, line } = MARKETS[market];
  if (kind === "total") return selection === (home + away > line ? "over" : "under");
  const lead = home - away + line;
  return selection === (lead > 0 ? "home" : lead < 0 ? "away" : "draw");
}

/** The payout of a winning bet: the stake times all its odds, down to a minor unit. */
export function potentialMinor(stakeMinor: bigint, odds: readonly number[]): bigint {
  return scaleMinor(stakeMinor, product(odds), BigInt(ODDS_ONE) ** BigInt(odds.length), "down");
}

/** The largest stake, in whole steps, that pays no more than `payoutMinor` at these odds. */
export function mostStakeMinor(payoutMinor: bigint, odds: readonly number[]): bigint {
  const whole = BigInt(ODDS_ONE) ** BigInt(odds.length);
  return wholeSteps(scaleMinor(payoutMinor, whole, product(odds), "down"), SPORTS_STAKE);
}

/** The product of all odds of a bet, in thousandths and cut off, for players to read. */
export function combinedOdds(odds: readonly number[]): number {
  assert(odds.length > 0, "a bet has odds");
  return Number(product(odds) / BigInt(ODDS_ONE) ** BigInt(odds.length - 1));
}

/**
 * The present worth of a bet: its payout times its chance, less the house's share, down to a minor
 * unit. Legs that came true are certain, so they are left out.
 */
export function cashOutMinor(potential: bigint, chances: readonly number[]): bigint {
  const millionths = chances.map((chance) => Math.floor(Math.min(chance, 1) * MILLION));
  const kept = BigInt(BASIS - CASH_OUT_MARGIN_BP);
  const whole = BigInt(MILLION) ** BigInt(chances.length);
  return scaleMinor(potential, product(millionths) * kept, whole * BigInt(BASIS), "down");
}

/** Every final score that is still possible from here, with its chance. */
export function finalScores(
  sport: Sport,
  chances: Chances,
  from: { readonly score: Score; readonly tick: number },
): readonly FinalScore[] {
  const { every } = SPORT_SHAPES[sport];
  const [home, away] = [chances.home / MILLION, chances.away / MILLION];
  const left = Math.floor(TICKS / every) - Math.floor(from.tick / every);
  const size = MOST_POINTS + 1;
  let now = new Float64Array(size * size);
  now[0] = 1;
  for (let i = 0; i < left; i++) {
    const then = new Float64Array(size * size);
    for (const [at, chance] of now.entries()) {
      if (chance === 0) continue;
      if (isDecided(sport, scoreOf(at))) add(then, at, chance);
      else {
        // At the limit of what is counted, one more point makes no difference.
        add(then, at + (Math.floor(at / size) < MOST_POINTS ? size : 0), chance * home);
        add(then, at + (at % size < MOST_POINTS ? 1 : 0), chance * away);
        add(then, at, chance * (1 - home - away));
      }
    }
    now = then;
  }
  return [...now.entries()]
    .filter(([, chance]) => chance > 0)
    .map(([at, chance]) => ({ score: scoreOf(at), chance }));

  function scoreOf(at: number): Score {
    const { score } = from;
    return { home: score.home + Math.floor(at / size), away: score.away + (at % size) };
  }
}

function add(to: Float64Array, at: number, chance: number): void {
  to[at] = (to[at] ?? 0) + chance;
}

function isDecided(sport: Sport, { home, away }: Score): boolean {
  const { target } = SPORT_SHAPES[sport];
  return target !== null && (home >= target || away >= target);
}

function withPoint(score: Score, side: Side): Score {
  return { ...score, [side]: score[side] + 1 };
}

function product(factors: readonly number[]): bigint {
  return factors.reduce((all, one) => all * BigInt(one), 1n);
}
