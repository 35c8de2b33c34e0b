import { z } from "zod";
import { call } from "./call.ts";
import { PICTURE_MAX_BYTES } from "./promotion-rules.ts";
import { idWire, instantWire, moneyWire, pageOf, pageQuery, positiveMoneyWire } from "./wire.ts";

const DEPOSIT_STATES = ["created", "pending", "paid", "failed", "expired"] as const;
export const WITHDRAWAL_STATES = [
  "held",
  "approved",
  "sent",
  "paid",
  "rejected",
  "failed",
] as const;
export type DepositState = (typeof DEPOSIT_STATES)[number];
export type WithdrawalState = (typeof WITHDRAWAL_STATES)[number];

/** Why a rule did not approve a withdrawal; an operator sees each of these. */
export const WAIT_REASONS = [
  "member_blocked",
  /**
   * Since then the player changed a password or another proof, or ended the session that asked: the
   * withdrawal may not be the player's own.
   */
  "account_changed",
  "amount",
  "player_day",
  "destination_day",
  "device_day",
  "new_destination",
] as const;
export type WaitReason = (typeof WAIT_REASONS)[number];

export const PAYOUT_STATES = [
  "queued",
  "claimed",
  /** One operator marked it as paid, impossible or not yet paid; another must confirm. */
  "marked",
  "marked_failed",
  "marked_released",
  "paid",
  "failed",
] as const;
export type PayoutState = (typeof PAYOUT_STATES)[number];

/** How a deposit is paid by hand: to which account, with which code, and the player's report. */
const manual = z.object({
  code: z.string(),
  house: z.object({
    name: z.string(),
    number: z.string(),
    holder: z.string(),
    instructions: z.string(),
    /** A picture as a `data:` address. */
    qr: z.string().nullable(),
  }),
  receipt: z.boolean(),
  payerReference: z.string().nullable(),
});

const depositReply = z.object({
  id: idWire("deposit"),
  method: z.string(),
  amount: moneyWire,
  /** The amount that arrived and was credited; null until the deposit is paid. */
  received: moneyWire.nullable(),
  state: z.enum(DEPOSIT_STATES),
  /** The house's reason for a failure. */
  reason: z.string().nullable(),
  /** The provider's hosted page while the deposit can still be paid. */
  payUrl: z.string().nullable(),
  /** Null for a deposit that is paid on a provider's page. */
  manual: manual.nullable(),
  createdAt: instantWire,
  expiresAt: instantWire,
  paidAt: instantWire.nullable(),
  failedAt: instantWire.nullable(),
});
export type Deposit = z.infer<typeof depositReply>;

const withdrawalReply = z.object({
  id: idWire("withdrawal"),
  method: z.string(),
  /** The receiving wallet, masked but for its last four digits. */
  destination: z.string(),
  amount: moneyWire,
  state: z.enum(WITHDRAWAL_STATES),
  /** The house's reason for a rejection or a failure. */
  reason: z.string().nullable(),
  history: z.array(z.object({ state: z.enum(WITHDRAWAL_STATES), at: instantWire })),
  createdAt: instantWire,
});

const method = z.object({
  code: z.string(),
  name: z.string(),
  kind: z.enum(["deposit", "withdrawal"]),
  min: moneyWire,
  max: moneyWire,
  quickAmounts: z.array(moneyWire),
});

export const methodCode = z.string().regex(/^[a-z0-9-]{1,30}$/);

/** The fields that a withdrawal asks for, and that its proof confirms. */
export const withdrawalWish = {
  method: methodCode,
  /** A Philippine mobile wallet number: 09 and nine digits. */
  destination: z.string().regex(/^09\d{9}$/),
  amount: positiveMoneyWire,
};

export const cashierCalls = {
  "GET /api/v1/cashier/methods": call({
    summary: "Ways to pay in and out with their limits; none where the cashier is closed",
    callers: ["member", "agent"],
    reply: z.object({
      methods: z.array(method),
      /** This player must confirm a withdrawal by `payment-proof` first. */
      proofNeeded: z.boolean(),
    }),
  }),
  "POST /api/v1/cashier/deposits": call({
    summary: "Open a deposit; the same id again answers the same deposit",
    callers: ["member", "agent"],
    body: z.strictObject({
      id: idWire("deposit"),
      method: methodCode,
      amount: positiveMoneyWire,
    }),
    reply: depositReply,
    refusals: [
      "id_reused",
      "provider_unavailable",
      "too_many_open",
      "cashier_closed",
      "member_blocked",
    ],
    rate: { max: 30, windowMs: 60_000 },
  }),
  "GET /api/v1/cashier/deposits": call({
    summary: "The player's deposits, newest first",
    callers: ["member", "agent"],
    query: z.object(pageQuery),
    reply: pageOf(depositReply),
  }),
  "GET /api/v1/cashier/deposits/{id}": call({
    summary: "One deposit",
    callers: ["member", "agent"],
    params: z.object({ id: idWire("deposit") }),
    reply: depositReply,
    refusals: ["not_found"],
  }),
  "PUT /api/v1/cashier/deposits/{id}/receipt": call({
    summary: "A picture of the receipt of a deposit by hand: PNG or JPEG; the last one counts",
    callers: ["member", "agent"],
    params: z.object({ id: idWire("deposit") }),
    upload: { field: "image", maxBytes: PICTURE_MAX_BYTES },
    reply: z.object({ width: z.number().int(), height: z.number().int() }),
    refusals: ["not_found", "wrong_state", "body_too_large", "unsupported_media_type"],
    rate: { max: 30, windowMs: 10 * 60_000 },
  }),
  "POST /api/v1/cashier/deposits/{id}/claim": call({
    summary: "Say that a deposit by hand is paid, and under which number; then an operator checks",
    callers: ["member", "agent"],
    params: z.object({ id: idWire("deposit") }),
    body: z.strictObject({
      /** As the bank or wallet shows it, with or without spaces and dashes. */
      payerReference: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9 -]{4,38}[A-Za-z0-9]$/),
    }),
    reply: depositReply,
    refusals: ["not_found", "wrong_state", "too_many_open"],
    rate: { max: 20, windowMs: 10 * 60_000 },
  }),
  "POST /api/v1/cashier/withdrawals": call({
    summary: "Ask for money out: held at once, paid when approved; the same id answers the same",
    callers: ["member", "agent"],
    realAccount: true,
    body: z.strictObject({ id: idWire("withdrawal"), ...withdrawalWish }),
    reply: withdrawalReply,
    refusals: [
      "id_reused",
      "insufficient_funds",
      "too_many_open",
      "cashier_closed",
      "payment_proof_needed",
      "member_blocked",
    ],
    rate: { max: 30, windowMs: 60_000 },
  }),
  "GET /api/v1/cashier/withdrawals": call({
    summary: "The player's withdrawals, newest first",
    callers: ["member", "agent"],
    realAccount: true,
    query: z.object(pageQuery),
    reply: pageOf(withdrawalReply),
  }),
  "GET /api/v1/cashier/withdrawals/{id}": call({
    summary: "One withdrawal",
    callers: ["member", "agent"],
    realAccount: true,
    params: z.object({ id: idWire("withdrawal") }),
    reply: withdrawalReply,
    refusals: ["not_found"],
  }),
  "POST /api/v1/cashier/callbacks/{provider}": call({
    summary: "A payment provider tells how a payment or pay-out ended; signed over the raw body",
    callers: ["signed"],
    params: z.object({ provider: z.string().regex(/^[a-z0-9-]{1,30}$/) }),
    body: z.strictObject({
      eventId: z.string().min(1).max(80),
      kind: z.enum(["deposit", "withdrawal"]),
      reference: z.string().min(1).max(80),
      status: z.enum(["pending", "paid", "failed"]),
      amount: positiveMoneyWire,
      at: instantWire,
    }),
    reply: z.object({ accepted: z.literal(true) }),
    refusals: ["not_found", "id_reused", "wrong_state"],
    rate: { max: 6_000, windowMs: 60_000 },
  }),
} as const;

/** The player's balance and its entries. */
export const walletCalls = {
  "GET /api/v1/member/wallet": call({
    summary: "The player's balance",
    callers: ["member", "trial", "agent"],
    reply: z.object({
      /** Major units with two decimals, as the specification names it. */
      sumBalance: z.string(),
      available: moneyWire,
      held: moneyWire,
      /** Grows by one per movement; it is the wallet channel's version. */
      version: z.number().int(),
    }),
  }),
  "GET /api/v1/transactions": call({
    summary: "Every movement of the player's wallet, newest first",
    callers: ["member", "trial", "agent"],
    query: z.object({
      ...pageQuery,
      kind: z
        .enum(["all", "bet", "win", "refund", "deposit", "withdrawal", "bonus"])
        .default("all"),
    }),
    reply: pageOf(
      z.object({
        seq: z.number().int(),
        transferId: z.string(),
        kind: z.string(),
        amount: moneyWire,
        held: moneyWire,
        balanceAfter: moneyWire,
        ref: z.string().nullable(),
        at: instantWire,
      }),
    ),
  }),
} as const;
