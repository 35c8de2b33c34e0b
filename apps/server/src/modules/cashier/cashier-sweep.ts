import type { Clock, Instant } from "@perya/kernel/instant";
import type pg from "pg";
import {
  type DepositRow,
  lookLater,
  takeDueDeposits,
  takeDueWithdrawals,
  type WithdrawalRow,
} from "./cashier.store.ts";
import type { Cashier, CashierOptions } from "./cashier.ts";
import { noteAccountChanges } from "./withdrawal-gate.ts";

const PAGE_ROWS = 50;
/** A run takes so many at most; the next one, a minute later, goes on. */
const PAGES_MAX = 40;

export interface SweepOptions {
  readonly pool: pg.Pool;
  readonly clock: Clock;
  readonly cashier: Cashier;
  readonly onAlarm: CashierOptions["onAlarm"];
}

/**
 * Run by a job every minute: whatever has waited too long is taken on, whether or not the job
 * that should have done it is still there. It waits for no provider outside: what they are to be
 * asked goes into their queues. One that fails leaves the others alone. It is looked at again by the
 * run after the next minute, as is what a run had taken and not looked at when it died.
 */
export async function sweepCashier({ pool, clock, cashier, onAlarm }: SweepOptions): Promise<void> {
  const look = async (
    table: "deposits" | "withdrawals",
    row: DepositRow | WithdrawalRow,
    takenAt: Instant,
    work: () => Promise<void>,
  ) => {
    const { id } = row;
    try {
      await work();
      await lookLater(pool, table, row, takenAt);
    } catch (error) {
      onAlarm("a payment waits and could not be taken on", { id, err: error });
    }
  };
  await noteAccountChanges(pool);
  await inPages(async () => {
    const at = clock.now();
    const due = await takeDueWithdrawals(pool, at, PAGE_ROWS);
    for (const row of due) await look("withdrawals", row, at, () => cashier.review(row.id));
    return due.length;
  });
  await inPages(async () => {
    const at = clock.now();
    const due = await takeDueDeposits(pool, at, PAGE_ROWS);
    for (const row of due) await look("deposits", row, at, () => cashier.askDeposit(row));
    return due.length;
  });
}

async function inPages(page: () => Promise<number>): Promise<void> {
  for (let pages = 0; pages < PAGES_MAX; pages++) if ((await page()) < PAGE_ROWS) return;
}
