import { CLIENT_SEED } from "@perya/games/client-seed";
import { SOLO_GAMES } from "@perya/games/house-games";
import { z } from "zod";
import { call } from "./call.ts";
import { HOUSE_GAME_IDS } from "./catalogue.ts";
import { idWire, instantWire, moneyWire, pageOf, pageQuery } from "./wire.ts";

/** Ids of the games that one player plays against the house, one call per round. */
const SOLO_GAME_IDS = SOLO_GAMES.map(({ id }) => id);

/** Plain JSON with bounds; the game's own rules parse it further and name the field at fault. */
const choices = z.record(z.string().max(40), z.unknown());

const ROUND_STATES = ["open", "settled", "voided"] as const;

const fairness = z.object({
  seedId: z.string(),
  serverSeedHash: z.string(),
  /** Null until the seed was replaced and thereby revealed. */
  serverSeed: z.string().nullable(),
  clientSeed: z.string(),
  nonce: z.number().int(),
});

const roundReply = z.object({
  id: idWire("round"),
  gameId: z.enum(HOUSE_GAME_IDS),
  state: z.enum(ROUND_STATES),
  stake: moneyWire,
  payout: moneyWire,
  choices,
  outcome: z.unknown(),
  fairness,
  openedAt: instantWire,
  settledAt: instantWire.nullable(),
});
export type Round = z.infer<typeof roundReply>;

const seedReply = z.object({
  seedId: idWire("seed"),
  serverSeedHash: z.string(),
  clientSeed: z.string(),
  /**
   * Who chose the client seed; null for a pair from a version that did not record it. An earlier
   * version's process sends neither this nor `next`.
   */
  chosenBy: z.enum(["player", "house"]).nullable().optional(),
  nextNonce: z.number().int(),
  /** The server seed of the next pair, so that it is fixed before its client seed. */
  next: z.object({ seedId: idWire("seed"), serverSeedHash: z.string() }).optional(),
});
export type SeedInUse = z.infer<typeof seedReply>;

const record = z.object({
  id: z.string(),
  vendor: z.string(),
  gameId: z.string(),
  gameName: z.string(),
  state: z.enum(ROUND_STATES),
  stake: moneyWire,
  payout: moneyWire,
  at: instantWire,
});

const clientSeed = z.string().regex(CLIENT_SEED);

/** The brand does not have the game, or not now, or not for this account; no money moved. */
const CLOSED = ["not_found", "maintenance", "real_account_needed"] as const;

export const roundCalls = {
  "POST /api/v1/rounds": call({
    summary: "Play a round; the same id again answers the same round and moves no money",
    callers: ["member", "trial", "agent"],
    regional: true,
    body: z.strictObject({ id: idWire("round"), gameId: z.enum(SOLO_GAME_IDS), choices }),
    reply: z.object({ round: roundReply, available: moneyWire, walletVersion: z.number().int() }),
    refusals: ["insufficient_funds", "id_reused", "member_blocked", ...CLOSED],
    rate: { max: 600, windowMs: 60_000 },
    kept: "stake",
  }),
  "GET /api/v1/rounds/last": call({
    summary: "The player's latest round of a game, so that an interrupted one shows again",
    callers: ["member", "trial", "agent"],
    query: z.object({ gameId: z.enum(SOLO_GAME_IDS) }),
    reply: z.object({ round: roundReply.nullable() }),
  }),
  "GET /api/v1/rounds/{id}": call({
    summary: "One round of the player's, to replay and to verify",
    callers: ["member", "trial", "agent"],
    params: z.object({ id: idWire("round") }),
    reply: roundReply,
    refusals: ["not_found"],
  }),
  "GET /api/v1/game-records": call({
    summary: "The player's rounds of all vendors, newest first",
    callers: ["member", "trial", "agent"],
    query: z.object({ ...pageQuery, gameId: z.string().max(60).optional() }),
    reply: pageOf(record),
    refusals: ["feature_off"],
  }),
  "GET /api/v1/fairness/seed": call({
    summary: "The seed pair in use; its hash is shown before the first round from it",
    callers: ["member", "trial", "agent"],
    reply: seedReply,
  }),
  "POST /api/v1/fairness/seed": call({
    summary:
      "Replace the seed pair by the next, whose hash was shown, and reveal the old server seed",
    callers: ["member", "trial", "agent"],
    body: z.strictObject({
      clientSeed,
      /** The pair that the player saw in use: a request sent twice replaces it once. */
      replaces: idWire("seed"),
      /** The seed shown as next; no other is used. Pages of earlier versions send none. */
      next: idWire("seed").optional(),
    }),
    reply: z.object({
      current: seedReply,
      revealed: z.object({
        seedId: idWire("seed"),
        serverSeed: z.string(),
        serverSeedHash: z.string(),
        clientSeed: z.string(),
        rounds: z.number().int(),
      }),
    }),
    refusals: ["wrong_state"],
    rate: { max: 60, windowMs: 60_000 },
    kept: "row",
  }),
} as const;
