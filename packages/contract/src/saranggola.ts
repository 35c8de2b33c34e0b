import { z } from "zod";
import { BET_REFUSALS } from "./bet-refusals.ts";
import { call } from "./call.ts";
import { idWire, instantWire, moneyWire, positiveMoneyWire } from "./wire.ts";

const PLAYERS = ["member", "trial", "agent"] as const;

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
export const flightChain = z.object({
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
export type FlightChain = z.infer<typeof flightChain>;

export const saranggolaCalls = {
  "POST /api/v1/saranggola/bets": call({
    summary: "Bet on a flight while it waits",
    callers: [...PLAYERS],
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
      "Cash out: paid at the multiplier at which the server received this, or wrote it down " +
      "where that took longer than a tenth of a second",
    callers: [...PLAYERS],
    inMaintenance: true,
    body: z.strictObject({ betId: idWire("bet") }),
    reply: saranggolaBet,
    refusals: ["not_found", "not_flying", "round_over"],
    rate: { max: 300, windowMs: 60_000 },
  }),
  "GET /api/v1/saranggola/bets/mine": call({
    summary: "The player's bets of the running round and the latest ones",
    callers: [...PLAYERS],
    inMaintenance: true,
    reply: z.object({ bets: z.array(saranggolaBet) }),
  }),
  "GET /api/v1/saranggola/chains": call({
    summary: "What was published of the latest chains before their flights, signed",
    callers: ["visitor"],
    reply: z.object({ chains: z.array(flightChain) }),
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
