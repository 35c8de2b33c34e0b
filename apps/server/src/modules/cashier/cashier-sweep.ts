import type { Instant } from "@perya/kernel/instant";
import type { ModuleParts } from "../../platform/server-module.ts";
import type { Cashier, CashierOptions } from "./cashier.ts";
import type { DepositRow } from "./deposits.store.ts";
import { lookLater, takeDue } from "./due-payments.store.ts";
import { noteAccountChanges } from "./withdrawal-gate.ts";
import type { WithdrawalRow } from "./withdrawals.store.ts";

const PAGE_ROWS = 50;
/** Pages that one run takes at most; the next one, a minute later, goes on. */
const PAGES_MAX = 40;

export interface SweepOptions extends Pick<ModuleParts, "pool" | "clock"> {
  readonly cashier: Cashier;
  readonly onAlarm: CashierOptions["onAlarm"];
}

/**
 * A job runs this every minute: it takes up whatever has waited too long, whether or not its own
 * job still exists. It waits for no outside provider: its questions go into their queues. A payment
 * that fails does not stop the others. The run after the next minute checks it again, and also what
 * a run had taken and not checked when it died.
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
    const due = await takeDue(pool, "withdrawals", at, PAGE_ROWS);
    for (const row of due) await look("withdrawals", row, at, () => cashier.review(row.id));
    return due.length;
  });
  await inPages(async () => {
    const at = clock.now();
    const due = await takeDue(pool, "deposits", at, PAGE_ROWS);
    for (const row of due) await look("deposits", row, at, () => cashier.askDeposit(row));
    return due.length;
  });
}

async function inPages(page: () => Promise<number>): Promise<void> {
  for (let pages = 0; pages < PAGES_MAX; pages++) if ((await page()) < PAGE_ROWS) return;
}
