import type { operatorCalls } from "@perya/contract/operator-cashier";
import { isCursorNumber, isPositionOf, pageOf } from "../../platform/http/cursor.ts";
import type { Handlers } from "../../platform/http/handlers.ts";
import type { ActionRow, Operators } from "./operators.ts";

const isActionPosition = isPositionOf({ id: isCursorNumber });

export function operatorRoutes(
  operators: Operators,
): Handlers<typeof operatorCalls, unknown, unknown> {
  return {
    "GET /api/v1/operator/actions": ({ operator, query }) =>
      pageOf(
        query,
        isActionPosition,
        (before, limit) =>
          operators.actions(operator.merchantId, { before: before?.id ?? null, limit }),
        actionReply,
        ({ id }) => ({ id: Number(id) }),
      ),
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
