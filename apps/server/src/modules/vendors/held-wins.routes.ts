import { HOLD_REASONS, type operatorWinCalls } from "@perya/contract/operator-wins";
import { currencyOf, money, toWire } from "@perya/kernel/money";
import { ok } from "@perya/kernel/result";
import { isTimeAndIdPosition, pageOf } from "../../platform/http/cursor.ts";
import type { Routes } from "../identity/identity.ts";
import { actOf } from "../operators/operators.ts";
import type { HeldWinRow } from "./held-wins.store.ts";
import type { HeldWins } from "./held-wins.ts";

export function heldWinRoutes(wins: HeldWins): Routes<typeof operatorWinCalls> {
  return {
    "GET /api/v1/operator/held-wins": ({ merchant, query }) =>
      pageOf(
        query,
        isTimeAndIdPosition,
        (after, limit) => wins.waiting(merchant, { after, limit }),
        winReply,
        ({ held_at, id }) => ({ at: held_at.getTime(), id }),
      ),

    "POST /api/v1/operator/held-wins/{id}/release": async ({ merchant, params, ...call }) =>
      settledReply(await wins.release(merchant, actOf(call), params.id)),

    "POST /api/v1/operator/held-wins/{id}/refuse": async ({ merchant, params, body, ...call }) =>
      settledReply(await wins.refuse(merchant, actOf(call), params.id, body.reason)),

    "POST /api/v1/operator/held-wins/{id}/confirm": async ({ merchant, params, ...call }) =>
      settledReply(await wins.confirm(merchant, actOf(call), params.id)),
  };
}

function settledReply(settled: Awaited<ReturnType<HeldWins["release"]>>) {
  return settled.ok ? ok({ id: settled.value.id, state: settled.value.state }) : settled;
}

function winReply(row: HeldWinRow) {
  const currency = currencyOf(row.currency);
  return {
    id: row.id,
    member: { id: row.member_id, username: row.username },
    vendor: row.vendor,
    gameId: row.game_id,
    roundId: row.round_id,
    transactionId: row.transaction_id,
    stake: toWire(money(row.stake_minor, currency)),
    amount: toWire(money(row.amount_minor, currency)),
    reasons: HOLD_REASONS.filter((reason) => row.reasons.includes(reason)),
    markedBy: row.marker,
    heldAt: row.held_at.getTime(),
  };
}
