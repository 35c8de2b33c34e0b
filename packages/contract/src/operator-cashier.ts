import { z } from "zod";
import { username } from "./account-fields.ts";
import { call } from "./call.ts";
import { methodCode, PAYOUT_STATES, WAIT_REASONS, WITHDRAWAL_STATES } from "./cashier.ts";
import { operatorReason } from "./operator.ts";
import { idWire, instantWire, moneyWire, pageOf, pageQuery, positiveMoneyWire } from "./wire.ts";

/** The most calls of an operator per minute, for each call separately. */
const rate = { max: 240, windowMs: 60_000 };
const depositId = z.object({ id: idWire("deposit") });
const withdrawalId = z.object({ id: idWire("withdrawal") });

/** The bank's number of a transfer, as on its statement or receipt. */
const bankReference = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9 -]{3,38}[A-Za-z0-9]$/);

/** A bank's number, or a provider's reference, which may be longer and have other characters. */
const payoutReference = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9 ._:/-]{3,78}[A-Za-z0-9]$/);

/** Why a deposit by hand needs a close look. */
export const DEPOSIT_FLAGS = [
  /** Its number, or one that was tried for it, was also given for another deposit. */
  "number_taken",
  /** Its number is part of another deposit's number, or the other way round. */
  "number_alike",
  /** Its picture was also sent for another deposit. */
  "picture_again",
  /** Its number, a similar one, or its picture was given to another brand with the same account. */
  "given_elsewhere",
] as const;

const member = z.object({ id: z.string(), username: z.string() });

const waitingDeposit = z.object({
  id: idWire("deposit"),
  member,
  method: z.string(),
  amount: moneyWire,
  code: z.string(),
  payerReference: z.string().nullable(),
  receipt: z.boolean(),
  flags: z.array(z.enum(DEPOSIT_FLAGS)),
  /** What one operator says arrived; it is credited when another says the same. */
  counted: z
    .object({ amount: moneyWire, by: z.string(), bankReference: z.string().nullable() })
    .nullable(),
  state: z.string(),
  sentAt: instantWire,
  createdAt: instantWire,
});

/** Who had claimed a pay-out earlier: only they, and the bank, know whether they paid it. */
const earlierClaims = z.array(z.object({ by: z.string(), from: instantWire, until: instantWire }));

/** The payer. One that this installation has not wired gets no payment and no question. */
const provider = z.object({ code: z.string(), wired: z.boolean() });

const heldWithdrawal = z.object({
  id: idWire("withdrawal"),
  member,
  method: z.string(),
  provider,
  destination: z.string(),
  amount: moneyWire,
  reasons: z.array(z.enum(WAIT_REASONS)),
  device: z.string().nullable(),
  /** Who approved it, where a second operator has to approve it too. */
  firstApprovedBy: z.string().nullable(),
  earlierClaims,
  createdAt: instantWire,
});

const stuckPayout = z.object({
  id: idWire("withdrawal"),
  member: member.extend({ blocked: z.boolean() }),
  method: z.string(),
  provider,
  destination: z.string(),
  amount: moneyWire,
  state: z.enum(WITHDRAWAL_STATES),
  /** When the provider was last called to take it on; null for never. */
  triedAt: instantWire.nullable(),
  approvedAt: instantWire,
});

const payout = z.object({
  id: idWire("withdrawal"),
  /** Blocked by now: nobody can claim it, and its holder can say that it cannot be made. */
  member: member.extend({ blocked: z.boolean() }),
  /** Changed after the approval: nobody can claim it, and its holder is warned again. */
  accountChanged: z.boolean(),
  /**
   * Taken over from this provider: nobody pays it; its holder reports what the provider's books
   * say, but only from `endsFrom` on, since an earlier call may still arrive there until then; null
   * means at once.
   */
  takenOver: z
    .object({ provider, triedAt: instantWire.nullable(), endsFrom: instantWire.nullable() })
    .nullable(),
  method: z.string(),
  destination: z.string(),
  amount: moneyWire,
  state: z.enum(PAYOUT_STATES),
  claimedBy: z.string().nullable(),
  earlierClaims,
  bankReference: z.string().nullable(),
  /** Why it cannot be made, in its holder's words. */
  reason: z.string().nullable(),
  markedBy: z.string().nullable(),
  queuedAt: instantWire,
});

const settled = z.object({ id: z.string(), state: z.string() });
const nothing = z.strictObject({});
const reason = z.strictObject({ reason: operatorReason });

/** What an operator does to one payment answers its state, which may wait for a second person. */
const act = { reply: settled, rate } as const;
const onDeposit = { callers: ["operator:deposits"], params: depositId, ...act } as const;
const onWithdrawal = { callers: ["operator:withdrawals"], params: withdrawalId, ...act } as const;
const onPayout = { callers: ["operator:payouts"], params: withdrawalId, ...act } as const;
const onMarkedPayout = { ...onPayout, callers: ["operator:payouts.confirm"] } as const;

export const operatorCashierCalls = {
  "GET /api/v1/operator/deposits": call({
    summary: "Deposits whose players say that they paid by hand, longest waiting first",
    callers: ["operator:deposits"],
    query: z.object(pageQuery),
    reply: pageOf(waitingDeposit),
    rate,
  }),
  "GET /api/v1/operator/deposits/{id}/receipt": call({
    summary: "The picture of a receipt",
    callers: ["operator:deposits"],
    params: depositId,
    reply: z.object({ type: z.literal("image/jpeg"), data: z.base64() }),
    refusals: ["not_found"],
    rate,
  }),
  "POST /api/v1/operator/deposits/{id}/confirm": call({
    ...onDeposit,
    summary:
      "The money came, under a number of the house account's statement that is good once: what " +
      "came is credited, less or more than was asked for too; beyond what one operator lets in " +
      "alone it is `counted` until a second one says the same",
    body: z.strictObject({ received: positiveMoneyWire, bankReference }),
    refusals: ["not_found", "wrong_state"],
  }),
  "POST /api/v1/operator/deposits/{id}/refuse": call({
    ...onDeposit,
    summary: "Decline a deposit whose money did not come; the player reads why",
    body: reason,
    refusals: ["not_found", "wrong_state"],
  }),
  "POST /api/v1/operator/deposits/{id}/restore": call({
    ...onDeposit,
    summary:
      "Write in again what a restore of the database has lost of a deposit that its provider " +
      "outside has under this id: `first_restored`, and written nowhere, until a second operator " +
      "names the same player, method and amount; then the provider is asked, and what it says came " +
      "is credited",
    body: z.strictObject({ username, method: methodCode, amount: positiveMoneyWire }),
    refusals: ["not_found", "id_reused", "provider_not_wired"],
  }),
  "GET /api/v1/operator/withdrawals": call({
    summary: "Withdrawals that the rule left to an operator, and why, longest waiting first",
    callers: ["operator:withdrawals"],
    query: z.object(pageQuery),
    reply: pageOf(heldWithdrawal),
    rate,
  }),
  "POST /api/v1/operator/withdrawals/{id}/approve": call({
    ...onWithdrawal,
    summary:
      "Let a held withdrawal go out; beyond what one operator lets out alone it is " +
      "`first_approved` until a second one says so; of a player who is blocked, or whose " +
      "account was changed, only with that among the reasons that were shown; not at all while " +
      "its provider is not wired",
    body: nothing,
    refusals: [
      "not_found",
      "member_blocked",
      "account_changed",
      "second_person_needed",
      "provider_not_wired",
      "wrong_state",
    ],
  }),
  "POST /api/v1/operator/withdrawals/{id}/reject": call({
    ...onWithdrawal,
    summary: "Give a held withdrawal back; the player reads why",
    body: reason,
    refusals: ["not_found", "wrong_state"],
  }),
  "GET /api/v1/operator/payouts": call({
    summary: "Pay-outs to make by hand, and to confirm, longest waiting first",
    callers: ["operator:payouts", "operator:payouts.confirm"],
    query: z.object(pageQuery),
    reply: pageOf(payout),
    rate,
  }),
  "GET /api/v1/operator/stuck-payouts": call({
    summary:
      "Pay-outs on their way through a provider that is not wired any more, or that has not ended " +
      "them for eleven minutes and longer, longest waiting first",
    callers: ["operator:payouts", "operator:payouts.confirm"],
    query: z.object(pageQuery),
    reply: pageOf(stuckPayout),
    rate,
  }),
  "POST /api/v1/operator/payouts/{id}/take-over": call({
    ...onPayout,
    summary:
      "Take a pay-out over from such a provider, which is neither called for it nor believed from " +
      "then on: who has it says what stands in the provider's books, as of a pay-out by hand",
    body: nothing,
    refusals: ["not_found", "claimed_by_another", "payout_under_way", "wrong_state"],
  }),
  "POST /api/v1/operator/payouts/{id}/claim": call({
    ...onPayout,
    summary:
      "Take a pay-out on; nobody else can pay it until it is released; one whose player was " +
      "blocked, or whose account was changed, meanwhile is held again",
    body: nothing,
    refusals: [
      "not_found",
      "claimed_by_another",
      "member_blocked",
      "account_changed",
      "wrong_state",
    ],
  }),
  "POST /api/v1/operator/payouts/{id}/release": call({
    ...onPayout,
    summary:
      "Put a pay-out that one claimed and did not pay back into the queue; beyond what one " +
      "operator ends alone, and the second time, it is `marked_released` until somebody else " +
      "confirms that nobody paid it",
    body: nothing,
    refusals: ["not_found", "claimed_by_another", "wrong_state"],
  }),
  "POST /api/v1/operator/payouts/{id}/paid": call({
    ...onPayout,
    summary:
      "Mark a claimed pay-out as paid under the bank's reference, which is good once; beyond what " +
      "one operator pays alone it is `marked` until somebody else confirms it; refused once with " +
      "`account_changed` where the account was changed since it was let out: who has paid says so " +
      "again; of one that was taken over, under its provider's reference, and not while a call may " +
      "still arrive there",
    body: z.strictObject({ bankReference: payoutReference }),
    refusals: [
      "not_found",
      "claimed_by_another",
      "account_changed",
      "payout_under_way",
      "wrong_state",
    ],
  }),
  "POST /api/v1/operator/payouts/{id}/failed": call({
    ...onPayout,
    summary:
      "A claimed pay-out cannot be made: the money goes back, and the player reads why; beyond " +
      "what one operator ends alone it is `marked_failed` until somebody else confirms it; of one " +
      "that was taken over, not while a call may still arrive at its provider",
    body: reason,
    refusals: ["not_found", "claimed_by_another", "payout_under_way", "wrong_state"],
  }),
  "POST /api/v1/operator/payouts/{id}/confirm": call({
    ...onMarkedPayout,
    summary:
      "Confirm that a pay-out stands as somebody else marked it: paid, unless it says failed, or " +
      "released, which nobody confirms who had claimed it",
    body: z.strictObject({ outcome: z.enum(["paid", "failed", "released"]).default("paid") }),
    refusals: ["not_found", "second_person_needed", "wrong_state"],
  }),
  "POST /api/v1/operator/payouts/{id}/return": call({
    ...onMarkedPayout,
    summary: "Undo another operator's mark on a pay-out; the operator who claimed it has it again",
    body: reason,
    refusals: ["not_found", "second_person_needed", "wrong_state"],
  }),
} as const;

export const operatorCalls = {
  "GET /api/v1/operator/actions": call({
    summary: "What operators of the brand did, newest first",
    callers: ["operator:audit"],
    query: z.object(pageQuery),
    reply: pageOf(
      z.object({
        operatorId: idWire("operator"),
        operator: z.string(),
        action: z.string(),
        subject: z.string(),
        detail: z.record(z.string(), z.unknown()),
        requestId: z.string(),
        address: z.string(),
        at: instantWire,
      }),
    ),
    rate,
  }),
} as const;
