import { currencyOf, type Money } from "@perya/kernel/money";
import type { Account } from "../ledger/ledger.ts";

/** Whether a payment is what a request asks for that names its id. */
export function isSamePayment(
  existing: {
    readonly account_id: string;
    readonly method: string;
    readonly amount_minor: bigint;
  },
  account: Account,
  given: { readonly method: string; readonly amount: Money },
): boolean {
  return (
    existing.account_id === account.id &&
    existing.amount_minor === given.amount.minor &&
    existing.method === given.method
  );
}

export function accountOfRow(row: {
  readonly lane: number;
  readonly account_id: string;
  readonly currency: string;
}): Account {
  return { lane: row.lane, id: row.account_id, currency: currencyOf(row.currency) };
}
