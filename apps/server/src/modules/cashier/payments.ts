import { fieldRefusal, limitRefusal, type Refusal, refusal } from "@perya/contract/refusal";
import type { Instant } from "@perya/kernel/instant";
import { currencyOf, type Money } from "@perya/kernel/money";
import { ok, type Result, refuse } from "@perya/kernel/result";
import { z } from "zod";
import type { NewJob, Task } from "../../platform/jobs.ts";
import type { ModuleParts } from "../../platform/server-module.ts";
import type { Merchant } from "../brand/brand.ts";
import type { Session } from "../identity/identity.ts";
import type { Account, Ledger } from "../ledger/ledger.ts";
import type { LoneBounds } from "../operators/operators.ts";
import type { DepositRow } from "./deposits.store.ts";
import type { KnownPayment, Method, PaymentKind, PaymentProvider } from "./provider.ts";

/** Jobs call outside providers, in two queues, so that neither kind waits for all of the other. */
const CALLS = ["send", "ask"] as const;
/** Money that is due to a player, and players still at the pay page, come before these. */
const LEFT_PRIORITY = 10;

type Providers = readonly PaymentProvider[];

const callPayload = z.object({ kind: z.enum(["deposit", "withdrawal"]), id: z.string() });

export interface PaymentOptions extends Pick<ModuleParts, "pool" | "clock"> {
  readonly ledger: Ledger;
  /** Those configured in this installation; a brand's other methods are closed. */
  readonly providers: Providers;
  /** The installation's, for brands that set no addresses of their own. */
  readonly publicUrl: string;
  /** Called after commit, for the player's own screens. */
  readonly onChange: (memberId: string, change: CashierChange) => void;
  /** Called for what only a person can put right, such as a provider that contradicts itself. */
  readonly onAlarm: (what: string, about: Readonly<Record<string, unknown>>) => void;
}

export interface CashierChange {
  readonly type: PaymentKind;
  readonly id: string;
  readonly state: string;
}

/** What an operator's word comes to: the payment's state from then on, or why it was refused. */
export type Answer = Result<Omit<CashierChange, "type">, Refusal>;

export function findProvider(providers: Providers, code: string): PaymentProvider | null {
  return providers.find((provider) => provider.code === code) ?? null;
}

export function openMethods(providers: Providers, merchant: Merchant): Method[] {
  return merchant.settings.cashier.methods.filter(
    (method) => findProvider(providers, method.provider)?.serves(merchant, method) === true,
  );
}

/** One of the brand's open methods, for an amount that it takes. */
export function methodFor(
  providers: Providers,
  merchant: Merchant,
  session: Session,
  kind: PaymentKind,
  given: { readonly method: string; readonly amount: Money },
): Result<Method, Refusal> {
  const open = openMethods(providers, merchant);
  if (open.length === 0) return refuse(refusal("cashier_closed"));
  const method = open.find((one) => one.kind === kind && one.code === given.method);
  return method === undefined
    ? refuse(fieldRefusal("method", "not_allowed"))
    : withinLimits(method, session, given);
}

function withinLimits(
  method: Method,
  session: Session,
  given: { readonly amount: Money },
): Result<Method, Refusal> {
  if (given.amount.currency !== session.currency) {
    return refuse(fieldRefusal("amount.currency", "foreign_currency"));
  }
  const minor = given.amount.minor;
  const { minMinor, maxMinor } = method;
  if (minor < minMinor) {
    return refuse(limitRefusal("amount.minor", "too_small", `${minMinor}`, session.currency));
  }
  if (minor > maxMinor) {
    return refuse(limitRefusal("amount.minor", "too_big", `${maxMinor}`, session.currency));
  }
  return ok(method);
}

/**
 * The tasks that wait for an outside provider. Each provider has its own, so that a slow one
 * delays only those who pay by it.
 */
export function callTasks(
  providers: Providers,
  call: (kind: PaymentKind, id: string) => Promise<void>,
): Readonly<Record<string, Task>> {
  const outside = providers.filter((provider) => provider.isOutside);
  const names = outside.flatMap(({ code }) => CALLS.map((one) => taskOf(code, one)));
  const task: Task = async (payload) => {
    const { kind, id } = callPayload.parse(payload);
    await call(kind, id);
  };
  return Object.fromEntries(names.map((name) => [name, task]));
}

/** The job that makes the next call about a payment to its outside provider. */
export function callFor(
  kind: PaymentKind,
  row: Pick<DepositRow, "id" | "provider"> & { readonly state: string },
): NewJob {
  const task = taskOf(row.provider, row.state === "approved" ? "send" : "ask");
  const payload: z.infer<typeof callPayload> = { kind, id: row.id };
  const key = `cashier_call:${kind}:${row.id}`;
  const isLeft = kind === "deposit" && (row.state === "expired" || row.state === "failed");
  const priority = isLeft ? LEFT_PRIORITY : 0;
  return { task, payload, key, runAt: null, keepsPlace: true, priority };
}

function taskOf(provider: string, call: (typeof CALLS)[number]): string {
  return `cashier_${call}:${provider}`;
}

/** The sums that one operator may let in or out alone. */
export function loneBounds({ settings }: Merchant, kind: PaymentKind): LoneBounds {
  const { depositFourEyesAboveMinor, payoutFourEyesAboveMinor } = settings.cashier;
  return {
    playerMinor: kind === "deposit" ? depositFourEyesAboveMinor : payoutFourEyesAboveMinor,
    dayMinor: settings.operatorDayFourEyesAboveMinor,
  };
}

/** A provider's answer to a question, as if it were its own call-back. */
export function eventOf(kind: PaymentKind, id: string, known: KnownPayment, at: Instant) {
  return { ...known, eventId: `asked:${id}:${known.status}`, kind, reference: id, at };
}

/** Whether a request repeats the one that made the payment under its id. */
export function isSamePayment(
  existing: Pick<DepositRow, "account_id" | "method" | "amount_minor">,
  account: Account,
  given: { readonly method: string; readonly amount: Money },
): boolean {
  return (
    existing.account_id === account.id &&
    existing.amount_minor === given.amount.minor &&
    existing.method === given.method
  );
}

export function accountOfRow(row: Pick<DepositRow, "lane" | "account_id" | "currency">): Account {
  return { lane: row.lane, id: row.account_id, currency: currencyOf(row.currency) };
}
