import type { cashierCalls } from "@perya/contract/cashier";
import { refusal } from "@perya/contract/refusal";
import { currencyOf, type MoneyWire, money, toWire } from "@perya/kernel/money";
import { ok, refuse } from "@perya/kernel/result";
import {
  decodeCursor,
  isTimeAndIdPosition,
  paged,
  pageOf,
  type TimeAndId,
} from "../../platform/http/cursor.ts";
import { SIGNATURE_HEADER } from "../../platform/http/signature.ts";
import { DEVICE_COOKIE, type DeviceName, type Routes } from "../identity/identity.ts";
import type { Cashier } from "./cashier.ts";
import type { DepositRow } from "./deposits.store.ts";
import type { ManualDeposit } from "./manual-deposits.store.ts";
import type { ManualEvidence } from "./manual-evidence.ts";
import { findProvider, openMethods } from "./payments.ts";
import { maskDestination, type WithdrawalRow } from "./withdrawals.store.ts";

/** Names the browser of a call; see `KnownDevices.nameOf`. */
export type DeviceOf = (
  player: { readonly memberId: string; hasPaidIn(): Promise<boolean> },
  token: string | undefined,
  address: string,
) => Promise<DeviceName>;

export function cashierRoutes(deps: {
  readonly cashier: Cashier;
  readonly evidence: ManualEvidence;
  readonly deviceOf: DeviceOf;
}): Routes<typeof cashierCalls> {
  const { cashier, evidence, deviceOf } = deps;
  const { deposits, withdrawals } = cashier;
  const oneDeposit = async (row: DepositRow, language: string) =>
    depositReply(row, await evidence.details([row]), language);
  return {
    "GET /api/v1/cashier/methods": async ({ merchant, session }) => {
      const wire = (minor: bigint) => toWire(money(minor, session.currency));
      return ok({
        methods: openMethods(cashier.providers, merchant).map((method) => ({
          code: method.code,
          name: method.name,
          kind: method.kind,
          min: wire(method.minMinor),
          max: wire(method.maxMinor),
          quickAmounts: method.quickMinor.map(wire),
        })),
        proofNeeded: await withdrawals.needsProof(merchant, session),
      });
    },

    "POST /api/v1/cashier/deposits": async ({ merchant, session, body, language }) => {
      const result = await deposits.open(merchant, session, body);
      return result.ok ? ok(await oneDeposit(result.value, language)) : result;
    },

    "GET /api/v1/cashier/deposits": async ({ session, query, language }) => {
      const before = decodeCursor(query.cursor, isTimeAndIdPosition);
      if (!before.ok) return before;
      const page = { before: before.value, limit: query.limit + 1 };
      const rows = await deposits.list(session, page);
      const details = await evidence.details(rows);
      const replyOf = (row: DepositRow) => depositReply(row, details, language);
      return ok(paged(rows, query.limit, replyOf, positionOf));
    },

    "GET /api/v1/cashier/deposits/{id}": async ({ session, params, language }) => {
      const row = await deposits.find(session, params.id);
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
      const player = { memberId, hasPaidIn: () => deposits.hasPaidIn(session) };
      const device = await deviceOf(player, call.cookie(DEVICE_COOKIE), call.address);
      const by = { ...device, language: call.language };
      const result = await withdrawals.request(merchant, session, body, by);
      return result.ok ? ok(withdrawalReply(result.value)) : result;
    },

    "GET /api/v1/cashier/withdrawals": ({ session, query }) =>
      pageOf(
        query,
        isTimeAndIdPosition,
        (before, limit) => withdrawals.list(session, { before, limit }),
        withdrawalReply,
        positionOf,
      ),

    "GET /api/v1/cashier/withdrawals/{id}": async ({ session, params }) => {
      const row = await withdrawals.find(session, params.id);
      return row === null ? refuse(refusal("not_found")) : ok(withdrawalReply(row));
    },

    "POST /api/v1/cashier/callbacks/{provider}": async ({ params, body, rawBody, headers }) => {
      const provider = findProvider(cashier.providers, params.provider);
      if (provider === null) return refuse(refusal("not_found"));
      const signature = headers[SIGNATURE_HEADER];
      if (!provider.isSigned(rawBody, Array.isArray(signature) ? undefined : signature)) {
        return refuse(refusal("bad_signature"));
      }
      const received = await cashier.receive(provider, body);
      return received.ok ? ok({ accepted: true as const }) : received;
    },
  };
}

function positionOf(row: { readonly created_at: Date; readonly id: string }): TimeAndId {
  return { at: row.created_at.getTime(), id: row.id };
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
