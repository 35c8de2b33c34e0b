import { z } from "zod";
import { call } from "./call.ts";
import { currencyWire, givenMoneyWire, idWire, moneyWire, positiveMoneyWire } from "./wire.ts";

/**
 * The calls that outside vendors make (signed over path and body: docs/vendors.md): one opens the
 * play of a launch token, the others move the player's money. Transaction and round ids are the
 * vendor's own; a repeat gets the same answer and moves nothing.
 */
const vendor = { params: z.object({ vendor: z.string().regex(/^[A-Z0-9_]{1,30}$/) }) };
const ownId = z.string().regex(/^[A-Za-z0-9._:-]{1,100}$/);
/** The play that the vendor opened; every call names it. */
const play = { play: idWire("play") };
const transaction = { ...play, roundId: ownId, transactionId: ownId };

const walletReply = z.object({
  balance: moneyWire,
  /** This transaction had been taken earlier; nothing moved now. */
  repeated: z.boolean(),
});

const rate = { max: 60_000, windowMs: 60_000 };
const signed = { callers: ["signed"], ...vendor, rate } as const;

export const vendorWalletCalls = {
  "POST /api/v1/vendors/{vendor}/plays": call({
    ...signed,
    summary: "Open the play of a launch token, once",
    body: z.strictObject({ token: z.string().regex(/^[A-Za-z0-9_-]{43}$/) }),
    reply: z.object({
      ...play,
      gameId: z.string(),
      currency: currencyWire,
      language: z.string(),
    }),
    refusals: ["not_found", "link_spent"],
  }),
  "POST /api/v1/vendors/{vendor}/balance": call({
    ...signed,
    summary: "What the player can stake",
    body: z.strictObject(play),
    reply: z.object({ balance: moneyWire }),
    refusals: ["not_found"],
  }),
  "POST /api/v1/vendors/{vendor}/bet": call({
    ...signed,
    summary: "Take a stake; a round that is known to have lost ends with it",
    body: z.strictObject({
      ...transaction,
      gameId: z.string().min(1).max(60),
      amount: positiveMoneyWire,
      closesRound: z.boolean().default(false),
    }),
    reply: walletReply,
    refusals: [
      ...["not_found", "session_ended", "insufficient_funds", "id_reused"],
      ...["rolled_back", "member_blocked", "maintenance", "real_account_needed"],
      ...["round_over", "game_not_launched"],
    ] as const,
  }),
  "POST /api/v1/vendors/{vendor}/win": call({
    ...signed,
    summary: "Pay a win of an open bet; a win of nothing ends the round of a bet that lost",
    body: z.strictObject({
      ...transaction,
      betTransactionId: ownId,
      amount: givenMoneyWire,
      closesRound: z.boolean().default(true),
    }),
    reply: walletReply,
    refusals: [
      ...["not_found", "id_reused", "bet_missing", "bet_differs"],
      ...["rolled_back", "round_over"],
    ] as const,
  }),
  "POST /api/v1/vendors/{vendor}/rollback": call({
    ...signed,
    summary: "Give a stake back, or keep the bet from being taken; see the vendor's rule for wins",
    body: z.strictObject({ ...transaction, betTransactionId: ownId, amount: positiveMoneyWire }),
    reply: walletReply,
    refusals: [
      ...["not_found", "id_reused", "bet_differs", "rolled_back"],
      ...["win_stands", "insufficient_funds"],
    ] as const,
  }),
} as const;
