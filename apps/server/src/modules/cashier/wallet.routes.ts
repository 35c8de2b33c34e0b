import type { walletCalls } from "@perya/contract/cashier";
import { present } from "@perya/kernel/assert";
import { formatDecimal, money, toWire } from "@perya/kernel/money";
import { ok } from "@perya/kernel/result";
import {
  decodeCursor,
  encodeCursor,
  isCursorNumber,
  isPositionOf,
} from "../../platform/http/cursor.ts";
import type { Routes } from "../identity/identity.ts";
import { accountOf, ENTRY_KINDS, type EntryKind, type Ledger } from "../ledger/ledger.ts";

/** The entries that each filter of the transaction record shows; tombstones moved nothing. */
const KINDS: Readonly<Record<string, readonly EntryKind[]>> = {
  all: ENTRY_KINDS.filter((kind) => kind !== "tombstone"),
  bet: ["bet"],
  win: ["win", "win-reversal", "win-hold", "win-release"],
  refund: ["refund"],
  deposit: ["deposit"],
  withdrawal: ["withdrawal", "hold", "void"],
  bonus: ["bonus", "red-packet", "trial-credit"],
};

const isSeqPosition = isPositionOf({ seq: isCursorNumber });

export function walletRoutes(ledger: Ledger): Routes<typeof walletCalls> {
  return {
    "GET /api/v1/member/wallet": async ({ session }) => {
      const account = accountOf(session.memberId, session.currency);
      const { balance, held, seq } = present(await ledger.balance(account), "a member's wallet");
      return ok({
        sumBalance: formatDecimal(money(balance, session.currency)).replaceAll(",", ""),
        available: toWire(money(balance - held, session.currency)),
        held: toWire(money(held, session.currency)),
        version: Number(seq),
      });
    },

    "GET /api/v1/transactions": async ({ session, query }) => {
      const before = decodeCursor(query.cursor, isSeqPosition);
      if (!before.ok) return before;
      const account = accountOf(session.memberId, session.currency);
      const beforeSeq = before.value === null ? null : BigInt(before.value.seq);
      const { entries, nextBefore } = await ledger.history(
        account,
        { beforeSeq, limit: query.limit },
        present(KINDS[query.kind], "the kinds of a filter"),
      );
      const wire = (minor: bigint) => toWire(money(minor, session.currency));
      return ok({
        items: entries.map((entry) => ({
          seq: Number(entry.seq),
          transferId: entry.key,
          kind: entry.kind,
          amount: wire(entry.amount),
          held: wire(entry.heldChange),
          balanceAfter: wire(entry.balance),
          ref: entry.ref,
          at: entry.at,
        })),
        nextCursor: nextBefore === null ? null : encodeCursor({ seq: Number(nextBefore) }),
      });
    },
  };
}
