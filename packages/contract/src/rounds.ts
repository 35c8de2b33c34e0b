import { CLIENT_SEED } from "@perya/games/client-seed";
import { SOLO_GAMES } from "@perya/games/house-games";
import { z } from "zod";
import { BET_REFUSALS } from "./bet-refusals.ts";
import { call } from "./call.ts";
import { HOUSE_GAME_IDS } from "./catalogue.ts";
import { idWire, instantWire, moneyWire, pageOf, pageQuery, positiveMoneyWire } from "./wire.ts";

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

/** `voided`: the flight was interrupted, and every stake not cashed out went back. */
export const SARANGGOLA_PHASES = ["waiting", "flying", "crashed", "voided"] as const;

const saranggolaBet = z.object({
  id: idWire("bet"),
  /** The bet's id in the public flight state; absent from an earlier version's process. */
  shownAs: idWire("bet").optional(),
  roundId: z.string(),
  stake: moneyWire,
  /** Hundredths: 250 is 2.50×. */
  autoCashOut: z.number().int().nullable(),
  cashedOutAt: z.number().int().nullable(),
  payout: moneyWire,
  state: z.enum(["placed", "cashed", "lost", "voided"]),
});
export type SaranggolaBet = z.infer<typeof saranggolaBet>;

/**
 * The signed facts that are published about a chain before its first flight. docs/fairness.md has
 * the signed text.
 */
export const kiteChain = z.object({
  chainId: z.string(),
  /** 2: the crash is a hash of the seed's bytes; 1, in earlier versions: of its digits as text. */
  form: z.union([z.literal(1), z.literal(2)]),
  /** The place of the first flight that this fixes. */
  firstIndex: z.number().int(),
  /** The SHA-256 of that flight's seed. */
  firstHash: z.string(),
  salt: z.string(),
  length: z.number().int(),
  committedAt: instantWire,
  /** Ed25519; both in base64url. */
  publicKey: z.string(),
  signature: z.string(),
});
export type KiteChain = z.infer<typeof kiteChain>;

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
  "POST /api/v1/saranggola/bets": call({
    summary: "Bet on the kite while it waits",
    callers: ["member", "trial", "agent"],
    regional: true,
    body: z.strictObject({
      id: idWire("bet"),
      roundId: idWire("round"),
      stake: positiveMoneyWire,
      autoCashOut: z.number().int().min(101).max(1_000_000).nullable(),
    }),
    reply: saranggolaBet,
    refusals: [...BET_REFUSALS, "already_bet"],
    rate: { max: 300, windowMs: 60_000 },
    kept: "stake",
  }),
  "POST /api/v1/saranggola/cash-outs": call({
    summary:
      "Let the kite go: paid at the multiplier at which the server received this, or wrote it down " +
      "where that took longer than a tenth of a second",
    callers: ["member", "trial", "agent"],
    inMaintenance: true,
    body: z.strictObject({ betId: idWire("bet") }),
    reply: saranggolaBet,
    refusals: ["not_found", "not_flying", "round_over"],
    rate: { max: 300, windowMs: 60_000 },
  }),
  "GET /api/v1/saranggola/bets/mine": call({
    summary: "The player's bets of the running round and the latest ones",
    callers: ["member", "trial", "agent"],
    inMaintenance: true,
    reply: z.object({ bets: z.array(saranggolaBet) }),
  }),
  "GET /api/v1/saranggola/chains": call({
    summary: "What was published of the kite's latest chains before their flights, signed",
    callers: ["visitor"],
    reply: z.object({ chains: z.array(kiteChain) }),
  }),
  "GET /api/v1/saranggola/rounds/{id}": call({
    summary: "A finished flight with its revealed seed",
    callers: ["visitor"],
    params: z.object({ id: idWire("round") }),
    reply: z.object({
      id: idWire("round"),
      seedHash: z.string(),
      seed: z.string(),
      /** Only for chains of earlier versions; other chains published it with the chain. */
      salt: z.string().nullable(),
      /** An earlier version's process sends neither this nor the index. */
      chainId: z.string().optional(),
      /** The place of its seed in the chain. */
      chainIndex: z.number().int().optional(),
      crashedAt: z.number().int(),
      startedAt: instantWire,
    }),
    refusals: ["not_found"],
  }),
} as const;
