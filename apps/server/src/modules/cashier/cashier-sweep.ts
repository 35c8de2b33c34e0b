import type { ModuleParts } from "../../platform/server-module.ts";
import type { Deposits } from "./deposits.ts";
import { lookLater, type Payments, takeDue } from "./due-payments.store.ts";
import type { PaymentOptions } from "./payments.ts";
import { noteAccountChanges } from "./withdrawal-gate.ts";
import type { Withdrawals } from "./withdrawals.ts";

const PAGE_ROWS = 50;
/** Pages that one run takes at most; the next one, a minute later, goes on. */
const PAGES_MAX = 40;

export interface SweepOptions extends Pick<ModuleParts, "pool" | "clock"> {
  readonly deposits: Deposits;
  readonly withdrawals: Withdrawals;
  readonly onAlarm: PaymentOptions["onAlarm"];
}

/**
 * A job runs this every minute: it takes up whatever has waited too long, whether or not its own
 * job still exists. It waits for no outside provider: its questions go into their queues. A payment
 * that fails does not stop the others. The run after the next minute checks it again, and also what
 * a run had taken and not checked when it died.
 */
export async function sweepCashier(options: SweepOptions): Promise<void> {
  await noteAccountChanges(options.pool);
  await takeOn(options, "withdrawals", ({ id }) => options.withdrawals.review(id));
  await takeOn(options, "deposits", (row) => options.deposits.ask(row));
}

async function takeOn<In extends keyof Payments>(
  { pool, clock, onAlarm }: SweepOptions,
  table: In,
  work: (row: Payments[In]) => Promise<void>,
): Promise<void> {
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const at = clock.now();
    const due = await takeDue(pool, table, at, PAGE_ROWS);
    for (const row of due) {
      try {
        await work(row);
        await lookLater(pool, table, row, at);
      } catch (error) {
        onAlarm("a payment waits and could not be taken on", { id: row.id, err: error });
      }
    }
    if (due.length < PAGE_ROWS) return;
  }
}
