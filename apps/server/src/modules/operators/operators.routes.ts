import type { operatorCalls } from "@perya/contract/operator-cashier";
import { ok } from "@perya/kernel/result";
import { decodeCursor, encodeCursor } from "../../platform/http/cursor.ts";
import type { Routes } from "../identity/identity.ts";
import type { Operators } from "./operators.ts";

export function operatorRoutes(operators: Operators): Routes<typeof operatorCalls> {
  return {
    "GET /api/v1/operator/actions": async ({ operator, query }) => {
      const before = decodeCursor(query.cursor, isActionPosition);
      if (!before.ok) return before;
      const page = { before: before.value?.id ?? null, limit: query.limit + 1 };
      const rows = await operators.actions(operator.merchantId, page);
      const shown = rows.slice(0, query.limit);
      const last = shown.at(-1);
      const more = rows.length > query.limit && last !== undefined;
      return ok({
        items: shown.map((row) => ({
          operatorId: row.operator_id,
          operator: row.name,
          action: row.action,
          subject: row.subject,
          detail: row.detail,
          requestId: row.request_id,
          address: row.address,
          at: row.at.getTime(),
        })),
        nextCursor: more ? encodeCursor({ id: Number(last.id) }) : null,
      });
    },
  };
}

function isActionPosition(value: unknown): value is { id: number } {
  if (typeof value !== "object" || value === null) return false;
  const { id } = value as { id?: unknown }; // checked next
  return Number.isSafeInteger(id);
}
