import { WAIT_REASONS } from "@perya/contract/cashier";
import { DEPOSIT_FLAGS, type operatorCashierCalls } from "@perya/contract/operator-cashier";
import { ok } from "@perya/kernel/result";
import { isTimeAndIdPosition, pageOf } from "../../platform/http/cursor.ts";
import type { Routes } from "../identity/identity.ts";
import { actOf } from "../operators/operators.ts";
import { wireOf } from "./cashier.routes.ts";
import type { WaitingDepositRow } from "./manual-deposits.store.ts";
import type { HeldRow, StuckRow, WaitingPayoutRow } from "./manual-payouts.store.ts";
import type { OperatorDeposits } from "./operator-deposits.ts";
import { endsFromOf, type OperatorWithdrawals } from "./operator-withdrawals.ts";

export function operatorCashierRoutes({
  deposits,
  withdrawals,
}: {
  readonly deposits: OperatorDeposits;
  readonly withdrawals: OperatorWithdrawals;
}): Routes<typeof operatorCashierCalls> {
  return {
    "GET /api/v1/operator/deposits": ({ merchant, query }) =>
      pageOf(
        query,
        isTimeAndIdPosition,
        (after, limit) => deposits.waiting(merchant, { after, limit }),
        depositReply,
        (row) => ({ at: row.sent_at.getTime(), id: row.deposit_id }),
      ),

    "GET /api/v1/operator/deposits/{id}/receipt": async ({ merchant, params }) => {
      const picture = await deposits.receipt(merchant, params.id);
      if (!picture.ok) return picture;
      return ok({ type: "image/jpeg" as const, data: picture.value.toString("base64") });
    },

    "POST /api/v1/operator/deposits/{id}/confirm": ({ merchant, params, body, ...call }) =>
      deposits.confirm(merchant, actOf(call), params.id, body.received, body.bankReference),

    "POST /api/v1/operator/deposits/{id}/refuse": ({ merchant, params, body, ...call }) =>
      deposits.refuse(merchant, actOf(call), params.id, body.reason),

    "POST /api/v1/operator/deposits/{id}/restore": ({ merchant, params, body, ...call }) =>
      deposits.restore(merchant, actOf(call), params.id, body),

    "GET /api/v1/operator/withdrawals": ({ merchant, query }) =>
      pageOf(
        query,
        isTimeAndIdPosition,
        (after, limit) => withdrawals.held(merchant, { after, limit }),
        (row) => heldReply(row, withdrawals),
        (row) => ({ at: row.created_at.getTime(), id: row.id }),
      ),

    "POST /api/v1/operator/withdrawals/{id}/approve": ({ merchant, params, ...call }) =>
      withdrawals.approve(merchant, actOf(call), params.id),

    "POST /api/v1/operator/withdrawals/{id}/reject": ({ merchant, params, body, ...call }) =>
      withdrawals.reject(merchant, actOf(call), params.id, body.reason),

    "GET /api/v1/operator/payouts": ({ merchant, query }) =>
      pageOf(
        query,
        isTimeAndIdPosition,
        (after, limit) => withdrawals.waitingPayouts(merchant, { after, limit }),
        (row) => payoutReply(row, withdrawals),
        (row) => ({ at: row.queued_at.getTime(), id: row.withdrawal_id }),
      ),

    "GET /api/v1/operator/stuck-payouts": ({ merchant, query }) =>
      pageOf(
        query,
        isTimeAndIdPosition,
        (after, limit) => withdrawals.stuckPayouts(merchant, { after, limit }),
        (row) => stuckReply(row, withdrawals),
        (row) => ({ at: row.approved_at.getTime(), id: row.id }),
      ),

    "POST /api/v1/operator/payouts/{id}/take-over": ({ merchant, params, ...call }) =>
      withdrawals.takeOver(merchant, actOf(call), params.id),

    "POST /api/v1/operator/payouts/{id}/claim": ({ merchant, params, ...call }) =>
      withdrawals.claim(merchant, actOf(call), params.id),

    "POST /api/v1/operator/payouts/{id}/release": ({ merchant, params, ...call }) =>
      withdrawals.release(merchant, actOf(call), params.id),

    "POST /api/v1/operator/payouts/{id}/paid": ({ merchant, params, body, ...call }) =>
      withdrawals.markPaid(merchant, actOf(call), params.id, body.bankReference),

    "POST /api/v1/operator/payouts/{id}/failed": ({ merchant, params, body, ...call }) =>
      withdrawals.markFailed(merchant, actOf(call), params.id, body.reason),

    "POST /api/v1/operator/payouts/{id}/confirm": ({ merchant, params, body, ...call }) =>
      withdrawals.confirmPayout(merchant, actOf(call), params.id, body.outcome),

    "POST /api/v1/operator/payouts/{id}/return": ({ merchant, params, body, ...call }) =>
      withdrawals.returnPayout(merchant, actOf(call), params.id, body.reason),
  };
}

function depositReply(row: WaitingDepositRow) {
  return {
    id: row.deposit_id,
    member: { id: row.member_id, username: row.username },
    method: row.method,
    amount: wireOf(row, row.amount_minor),
    code: row.code,
    payerReference: row.payer_reference,
    receipt: row.has_receipt,
    flags: flagsOf(row),
    counted: countedReply(row),
    state: row.state,
    sentAt: row.sent_at.getTime(),
    createdAt: row.created_at.getTime(),
  };
}

function flagsOf({ flagged: number_taken, ...row }: WaitingDepositRow) {
  const { number_alike, picture_again, given_elsewhere } = row;
  const flags = { number_taken, number_alike, picture_again, given_elsewhere };
  return DEPOSIT_FLAGS.filter((flag) => flags[flag]);
}

function countedReply(row: WaitingDepositRow) {
  const { counted_minor: amount_minor, counter: by, bank_reference, currency } = row;
  if (amount_minor === null || by === null) return null;
  return { amount: wireOf({ currency }, amount_minor), by, bankReference: bank_reference };
}

function heldReply(row: HeldRow, withdrawals: OperatorWithdrawals) {
  return {
    id: row.id,
    member: { id: row.member_id, username: row.username },
    method: row.method,
    provider: { code: row.provider, wired: withdrawals.isWired(row.provider) },
    destination: row.destination,
    amount: wireOf(row, row.amount_minor),
    reasons: WAIT_REASONS.filter((reason) => row.wait_reasons.includes(reason)),
    device: row.device,
    firstApprovedBy: row.approver,
    earlierClaims: [...row.earlier_claims],
    createdAt: row.created_at.getTime(),
  };
}

function stuckReply(row: StuckRow, withdrawals: OperatorWithdrawals) {
  return {
    id: row.id,
    member: { id: row.member_id, username: row.username, blocked: row.blocked },
    method: row.method,
    provider: { code: row.provider, wired: withdrawals.isWired(row.provider) },
    destination: row.destination,
    amount: wireOf(row, row.amount_minor),
    state: row.state,
    triedAt: row.tried_at?.getTime() ?? null,
    approvedAt: row.approved_at.getTime(),
  };
}

function takenOverReply(row: WaitingPayoutRow, withdrawals: OperatorWithdrawals) {
  if (row.taken_over_at === null) return null;
  return {
    provider: { code: row.provider, wired: withdrawals.isWired(row.provider) },
    triedAt: row.tried_at?.getTime() ?? null,
    endsFrom: endsFromOf(row),
  };
}

function payoutReply(row: WaitingPayoutRow, withdrawals: OperatorWithdrawals) {
  return {
    id: row.withdrawal_id,
    member: { id: row.member_id, username: row.username, blocked: row.blocked },
    accountChanged: row.account_changed,
    takenOver: takenOverReply(row, withdrawals),
    method: row.method,
    destination: row.destination,
    amount: wireOf(row, row.amount_minor),
    state: row.state,
    claimedBy: row.claimer,
    earlierClaims: [...row.earlier_claims],
    bankReference: row.bank_reference,
    reason: row.reason,
    markedBy: row.marker,
    queuedAt: row.queued_at.getTime(),
  };
}
