import { z } from "zod";
import { BET_REFUSALS } from "./bet-refusals.ts";
import { call } from "./call.ts";
import { idWire, instantWire, moneyWire, positiveMoneyWire } from "./wire.ts";

const PLAYERS = ["member", "trial", "agent"] as const;

export const cockfightSide = z.enum(["meron", "wala", "draw"]);

/**
 * `betting`: bets are taken; `closed`: the pools are final; `fighting`: the fight is shown;
 * `settled`: every bet is paid, lost or returned; `cancelled`: no fight, every stake went back.
 */
export const MATCH_PHASES = ["betting", "closed", "fighting", "settled", "cancelled"] as const;

/** All stakes of a brand's players in one currency. */
export const cockfightPool = z.object({ meron: moneyWire, wala: moneyWire, draw: moneyWire });
export type CockfightPools = z.infer<typeof cockfightPool>;

const cockfightBet = z.object({
  id: idWire("bet"),
  matchId: idWire("match"),
  number: z.number().int(),
  side: cockfightSide,
  stake: moneyWire,
  /** Everything that came back, stake included; for a returned bet, the stake. */
  payout: moneyWire,
  /** `returned`: the fight was drawn, was no contest in its pool, or was cancelled. */
  state: z.enum(["placed", "won", "lost", "returned"]),
});
export type CockfightBet = z.infer<typeof cockfightBet>;

const finishedMatch = z.object({
  id: idWire("match"),
  number: z.number().int(),
  /** SHA-256 of the server seed, published before the first bet. */
  seedHash: z.string(),
  serverSeed: z.string(),
  /** Null for a match that was cancelled. */
  result: cockfightSide.nullable(),
  closesAt: instantWire,
  pools: z.array(cockfightPool),
});
export type CockfightMatch = z.infer<typeof finishedMatch>;

export const cockfightCalls = {
  "POST /api/v1/cockfight/bets": call({
    summary: "Bet on a match while its bets are open; the same id again answers the same bet",
    callers: [...PLAYERS],
    regional: true,
    body: z.strictObject({
      id: idWire("bet"),
      matchId: idWire("match"),
      side: cockfightSide,
      stake: positiveMoneyWire,
    }),
    reply: cockfightBet,
    refusals: [...BET_REFUSALS, "feature_off", "too_many_open"],
    rate: { max: 300, windowMs: 60_000 },
    kept: "stake",
  }),
  "GET /api/v1/cockfight/bets/mine": call({
    summary: "The player's latest bets on matches, newest first",
    callers: [...PLAYERS],
    reply: z.object({ bets: z.array(cockfightBet) }),
  }),
  "GET /api/v1/cockfight/matches/{id}": call({
    summary: "A match that is over with its revealed seed and the brand's pools",
    callers: ["visitor"],
    params: z.object({ id: idWire("match") }),
    reply: finishedMatch,
    refusals: ["feature_off", "not_found"],
  }),
} as const;
