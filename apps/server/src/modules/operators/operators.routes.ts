import type { operatorCalls } from "@perya/contract/operator-cashier";
import { ok } from "@perya/kernel/result";
import { decodeCursor, isCursorNumber, isPositionOf, paged } from "../../platform/http/cursor.ts";
import type { Routes } from "../identity/identity.ts";
import type { ActionRow, Operators } from "./operators.ts";

const isActionPosition = isPositionOf({ id: isCursorNumber });

export function operatorRoutes(operators: Operators): Routes<typeof operatorCalls> {
  return {
    "GET /api/v1/operator/actions": async ({ operator, query }) => {
      const before = decodeCursor(query.cursor, isActionPosition);
      if (!before.ok) return before;
      const page = { before: before.value?.id ?? null, limit: query.limit + 1 };
      const rows = await operators.actions(operator.merchantId, page);
      return ok(paged(rows, query.limit, actionReply, ({ id }) => ({ id: Number(id) })));
    },
  };
}

function actionReply(row: ActionRow) {
  return {
    operatorId: row.operator_id,
    operator: row.name,
    action: row.action,
    subject: row.subject,
    detail: row.detail,
    requestId: row.request_id,
    address: row.address,
    at: row.at.getTime(),
  };
}
