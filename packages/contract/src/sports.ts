import { z } from "zod";
import { BET_REFUSALS } from "./bet-refusals.ts";
import { call } from "./call.ts";
import { idWire, instantWire, moneyWire, pageOf, pageQuery, positiveMoneyWire } from "./wire.ts";

const PLAYERS = ["member", "trial", "agent"] as const;

/** The most selections of one bet, each from another fixture. */
const LEGS_MAX = 8;

const sport = z.enum(["football", "esports"]);
const market = z.enum([
  "result",
  "total:1.5",
  "total:2.5",
  "total:3.5",
  "handicap:-1.5",
  "handicap:1.5",
]);
const selection = z.enum(["home", "draw", "away", "over", "under"]);
/** What a stake comes back as, stake included, in thousandths. */
const odds = z.number().int().min(1_010).max(101_000);
const points = z.object({ home: z.number().int(), away: z.number().int() });

export const sportsFixture = z.object({
  id: idWire("fixture"),
  sport,
  home: z.string(),
  away: z.string(),
  startsAt: instantWire,
  /** `voided`: the match did not count, and every stake on it goes back. */
  phase: z.enum(["next", "live", "over", "voided"]),
  /** Ticks played: minutes of football, thirtieths of a map. */
  tick: z.number().int(),
  score: points,
  /** A point has just fallen: no bets are taken for a moment. */
  suspended: z.boolean(),
  markets: z.array(
    z.object({ market, selections: z.array(z.object({ selection, odds: z.number().int() })) }),
  ),
  /** The chance of a point per decision, in millionths. */
  chances: points,
  /** SHA-256 of the server seed, published before the first bet. */
  seedHash: z.string(),
  /** Revealed when the match is over. */
  serverSeed: z.string().nullable(),
});
export type SportsFixture = z.infer<typeof sportsFixture>;

/** The part of a match that home shows: odds would be outdated when a player taps. */
export const hotMatch = sportsFixture.pick({
  ...({ id: true, sport: true, home: true, away: true } as const),
  ...({ startsAt: true, phase: true, score: true } as const),
});
export type HotMatch = z.infer<typeof hotMatch>;

/** The matches of both sports that are live, were decided lately or come next. */
export const sportsBoard = z.object({ now: instantWire, fixtures: z.array(sportsFixture) });
export type SportsBoardState = z.infer<typeof sportsBoard>;

const bet = z.object({
  id: idWire("bet"),
  sport,
  legs: z.array(
    z.object({
      fixtureId: idWire("fixture"),
      home: z.string(),
      away: z.string(),
      startsAt: instantWire,
      market,
      selection,
      odds: z.number().int(),
      state: z.enum(["open", "won", "lost", "voided"]),
      /** The score now, once the match has begun. */
      score: points.nullable(),
    }),
  ),
  odds: z.number().int(),
  stake: moneyWire,
  potential: moneyWire,
  payout: moneyWire,
  state: z.enum(["placed", "won", "lost", "voided", "cashed"]),
  /** The present cash-out price; null where there is no cash-out. */
  cashOut: moneyWire.nullable(),
  placedAt: instantWire,
});
export type SportsBet = z.infer<typeof bet>;

/** The house's sports and e-sports: simulated matches, their odds and bets on them. */
export const sportsCalls = {
  "GET /api/v1/sports/board": call({
    summary: "Matches that are live or come next, with what can be bet on; live by the socket",
    callers: ["visitor"],
    reply: sportsBoard,
  }),
  "GET /api/v1/sports/results": call({
    summary: "Matches that are over, newest first, with their revealed seeds",
    callers: ["visitor"],
    query: z.object({ ...pageQuery, sport }),
    reply: pageOf(sportsFixture),
  }),
  "POST /api/v1/sports/bets": call({
    summary: "Bet on one match or on several at once; the same id again moves no money",
    callers: PLAYERS,
    regional: true,
    body: z.strictObject({
      id: idWire("bet"),
      legs: z
        .array(z.strictObject({ fixtureId: idWire("fixture"), market, selection, odds }))
        .min(1)
        .max(LEGS_MAX),
      stake: positiveMoneyWire,
      /** Which odds may replace the named ones: only better ones, or any. */
      accept: z.enum(["better", "any"]).default("better"),
    }),
    reply: bet,
    refusals: [...BET_REFUSALS, "odds_changed", "market_suspended"],
    rate: { max: 120, windowMs: 60_000 },
    kept: "stake",
  }),
  "GET /api/v1/sports/bets": call({
    summary: "The player's bets, newest first, with what they are bought back for",
    callers: PLAYERS,
    query: z.object(pageQuery),
    reply: pageOf(bet),
  }),
  "POST /api/v1/sports/cash-outs": call({
    summary: "Sell an open bet back for at least this; again it answers the same",
    callers: PLAYERS,
    inMaintenance: true,
    body: z.strictObject({ betId: idWire("bet"), amount: positiveMoneyWire }),
    reply: bet,
    refusals: ["odds_changed", "market_suspended", "wrong_state", "not_found"],
    rate: { max: 120, windowMs: 60_000 },
  }),
} as const;
