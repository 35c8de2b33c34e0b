import { isDeepStrictEqual } from "node:util";
import { type Refusal, refusal } from "@perya/contract/refusal";
import { toWire } from "@perya/kernel/money";
import { ok, type Result, refuse } from "@perya/kernel/result";
import type { Task } from "../../platform/jobs.ts";
import type { BookCheck } from "../ledger/ledger.ts";
import { depositBook } from "./deposits.store.ts";
import { Deposits } from "./deposits.ts";
import { findPaymentEvent, insertPaymentEvent } from "./payments.store.ts";
import { callTasks } from "./payments.ts";
import type { PaymentEvent, PaymentKind, PaymentProvider } from "./provider.ts";
import { withdrawalBook } from "./withdrawals.store.ts";
import { type WithdrawalOptions, Withdrawals } from "./withdrawals.ts";

export type { PaymentProvider } from "./provider.ts";

export const cashierBooks: readonly BookCheck[] = [depositBook, withdrawalBook];

/** Deposits and withdrawals by the same providers, which call back here and are called by jobs. */
export class Cashier {
  readonly providers: readonly PaymentProvider[];
  readonly deposits: Deposits;
  readonly withdrawals: Withdrawals;
  readonly #options: WithdrawalOptions;

  constructor(options: WithdrawalOptions) {
    this.#options = options;
    this.providers = options.providers;
    this.deposits = new Deposits(options);
    this.withdrawals = new Withdrawals(options);
  }

  get providerTasks(): Readonly<Record<string, Task>> {
    return callTasks(this.providers, (kind, id) => this.#sideOf(kind).callProvider(id));
  }

  /**
   * A provider's call-back, after its signature was checked. Idempotent by event id: a repeat is
   * accepted and moves nothing, the same id with another body is refused.
   */
  async receive(provider: PaymentProvider, event: PaymentEvent): Promise<Result<true, Refusal>> {
    const { pool, clock } = this.#options;
    const seen = await findPaymentEvent(pool, provider.code, event.eventId);
    if (seen !== null) {
      return isDeepStrictEqual(seen, bodyOf(event)) ? ok(true) : refuse(refusal("id_reused"));
    }
    const done = await this.#sideOf(event.kind).receive(provider, event);
    if (!done.ok) return done;
    // Written last: if a process dies before this, the idempotent work is done once more.
    const now = clock.now();
    await insertPaymentEvent(pool, provider.code, event.eventId, bodyOf(event), now);
    return ok(true);
  }

  #sideOf(kind: PaymentKind): Deposits | Withdrawals {
    return kind === "deposit" ? this.deposits : this.withdrawals;
  }
}

function bodyOf(event: PaymentEvent) {
  return { ...event, amount: toWire(event.amount) };
}
