import type { memberCalls } from "@perya/contract/auth";
import type { cashierCalls } from "@perya/contract/cashier";
import { refusal } from "@perya/contract/refusal";
import { present } from "@perya/kernel/assert";
import { currencyOf, formatDecimal, type MoneyWire, money, toWire } from "@perya/kernel/money";
import { ok, refuse } from "@perya/kernel/result";
import {
  decodeCursor,
  encodeCursor,
  isCursorId,
  isCursorInstant,
  paged,
} from "../../platform/http/cursor.ts";
import { SIGNATURE_HEADER } from "../../platform/http/signature.ts";
import { DEVICE_COOKIE, type DeviceName, type Routes } from "../identity/identity.ts";
import { accountOf, ENTRY_KINDS, type EntryKind, type Ledger } from "../ledger/ledger.ts";
import {
  type DepositRow,
  type ListPosition,
  maskDestination,
  type WithdrawalRow,
} from "./cashier.store.ts";
import type { Cashier } from "./cashier.ts";
import type { ManualDeposit } from "./manual.store.ts";
import type { ManualEvidence } from "./manual-evidence.ts";

type CashierCalls = typeof cashierCalls & Pick<typeof memberCalls, "GET /api/v1/member/wallet">;

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

/** Names the browser of a call; see `KnownDevices.nameOf`. */
export type DeviceOf = (
  player: { readonly memberId: string; hasPaidIn(): Promise<boolean> },
  token: string | undefined,
  address: string,
) => Promise<DeviceName>;

export function cashierRoutes(deps: {
  readonly cashier: Cashier;
  readonly evidence: ManualEvidence;
  readonly ledger: Ledger;
  readonly deviceOf: DeviceOf;
}): Routes<CashierCalls> {
  const { cashier, evidence, ledger, deviceOf } = deps;
  const oneDeposit = async (row: DepositRow, language: string) =>
    depositReply(row, await evidence.details([row]), language);
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

    "GET /api/v1/cashier/methods": async ({ merchant, session }) => {
      const wire = (minor: bigint) => toWire(money(minor, session.currency));
      return ok({
        methods: cashier.methods(merchant).map((method) => ({
          code: method.code,
          name: method.name,
          kind: method.kind,
          min: wire(method.minMinor),
          max: wire(method.maxMinor),
          quickAmounts: method.quickMinor.map(wire),
        })),
        proofNeeded: await cashier.needsProof(merchant, session),
      });
    },

    "POST /api/v1/cashier/deposits": async ({ merchant, session, body, language }) => {
      const result = await cashier.deposit(merchant, session, body);
      return result.ok ? ok(await oneDeposit(result.value, language)) : result;
    },

    "GET /api/v1/cashier/deposits": async ({ session, query, language }) => {
      const page = pageOf(query);
      if (!page.ok) return page;
      const rows = await cashier.deposits(session, page.value);
      const details = await evidence.details(rows);
      const replyOf = (row: DepositRow) => depositReply(row, details, language);
      return ok(paged(rows, query.limit, replyOf, positionOf));
    },

    "GET /api/v1/cashier/deposits/{id}": async ({ session, params, language }) => {
      const row = await cashier.findDeposit(session, params.id);
      return row === null ? refuse(refusal("not_found")) : ok(await oneDeposit(row, language));
    },

    "PUT /api/v1/cashier/deposits/{id}/receipt": async ({ session, params, rawBody, ...call }) => {
      const sent = await evidence.sendReceipt(session, params.id, rawBody, call);
      return sent.ok ? ok({ width: sent.value.width, height: sent.value.height }) : sent;
    },

    "POST /api/v1/cashier/deposits/{id}/claim": async ({
      merchant,
      session,
      params,
      body,
      language,
    }) => {
      const { payerReference } = body;
      const claimed = await evidence.claimPaid(merchant, session, params.id, payerReference);
      return claimed.ok ? ok(await oneDeposit(claimed.value, language)) : claimed;
    },

    "POST /api/v1/cashier/withdrawals": async ({ merchant, session, body, ...call }) => {
      const { memberId } = session;
      const player = { memberId, hasPaidIn: () => cashier.hasPaidIn(session) };
      const device = await deviceOf(player, call.cookie(DEVICE_COOKIE), call.address);
      const by = { ...device, language: call.language };
      const result = await cashier.withdraw(merchant, session, body, by);
      return result.ok ? ok(withdrawalReply(result.value)) : result;
    },

    "GET /api/v1/cashier/withdrawals": async ({ session, query }) => {
      const page = pageOf(query);
      if (!page.ok) return page;
      const rows = await cashier.withdrawals(session, page.value);
      return ok(paged(rows, query.limit, withdrawalReply, positionOf));
    },

    "GET /api/v1/cashier/withdrawals/{id}": async ({ session, params }) => {
      const row = await cashier.findWithdrawal(session, params.id);
      return row === null ? refuse(refusal("not_found")) : ok(withdrawalReply(row));
    },

    "POST /api/v1/cashier/callbacks/{provider}": async ({ params, body, rawBody, headers }) => {
      const provider = cashier.provider(params.provider);
      if (provider === null) return refuse(refusal("not_found"));
      const signature = headers[SIGNATURE_HEADER];
      if (!provider.isSigned(rawBody, Array.isArray(signature) ? undefined : signature)) {
        return refuse(refusal("bad_signature"));
      }
      const received = await cashier.receive(provider, body);
      return received.ok ? ok({ accepted: true as const }) : received;
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

function pageOf(query: { readonly cursor?: string | undefined; readonly limit: number }) {
  const before = decodeCursor(query.cursor, isListPosition);
  return before.ok ? ok({ before: before.value, limit: query.limit + 1 }) : before;
}

function positionOf(row: { readonly created_at: Date; readonly id: string }): ListPosition {
  return { at: row.created_at.getTime(), id: row.id };
}

export function isListPosition(value: unknown): value is ListPosition {
  if (typeof value !== "object" || value === null) return false;
  const { at, id } = value as Partial<ListPosition>; // every field is checked next
  return isCursorInstant(at) && isCursorId(id);
}

function isSeqPosition(value: unknown): value is { seq: number } {
  if (typeof value !== "object" || value === null) return false;
  const { seq } = value as { seq?: unknown }; // checked next
  return Number.isSafeInteger(seq);
}

function depositReply(
  row: DepositRow,
  details: ReadonlyMap<string, ManualDeposit>,
  language: string,
) {
  const payable = row.state === "created" || row.state === "pending";
  return {
    id: row.id,
    method: row.method,
    amount: wireOf(row, row.amount_minor),
    /** The amount that came, which may be less or more than was requested. */
    received: row.received_minor === null ? null : wireOf(row, row.received_minor),
    state: row.state,
    reason: row.reason,
    payUrl: payable ? row.pay_url : null,
    manual: manualReply(details.get(row.id), language),
    createdAt: row.created_at.getTime(),
    expiresAt: row.expires_at.getTime(),
    paidAt: row.paid_at?.getTime() ?? null,
    failedAt: row.failed_at?.getTime() ?? null,
  };
}

function manualReply(details: ManualDeposit | undefined, language: string) {
  if (details === undefined) return null;
  const { code, house, has_receipt: receipt, payer_reference: payerReference } = details;
  const instructions = house.instructions[language] ?? house.instructions.EN ?? "";
  return { code, house: { ...house, instructions }, receipt, payerReference };
}

function withdrawalReply(row: WithdrawalRow) {
  return {
    id: row.id,
    method: row.method,
    destination: maskDestination(row.destination),
    amount: wireOf(row, row.amount_minor),
    state: row.state,
    reason: row.reason,
    history: [...row.history],
    createdAt: row.created_at.getTime(),
  };
}

export function wireOf({ currency }: { readonly currency: string }, minor: bigint): MoneyWire {
  return toWire(money(minor, currencyOf(currency)));
}
