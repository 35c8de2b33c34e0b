import type { Clock } from "@perya/kernel/instant";
import type pg from "pg";
import { takeDueDeposits, takeDueWithdrawals } from "./cashier.store.ts";
import type { Cashier, CashierOptions } from "./cashier.ts";
import { ProviderUnavailable } from "./provider.ts";

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
 * that should have done it is still there. One that fails leaves the others alone, and is looked
 * at again later.
 */
export async function sweepCashier({ pool, clock, cashier, onAlarm }: SweepOptions): Promise<void> {
  const away = new Set<string>();
  const look = async (row: Waiting, work: () => Promise<void>) => {
    // A provider that just did not answer is not made to hold up the others of this run.
    if (away.has(row.provider)) return;
    try {
      await work();
    } catch (error) {
      if (error instanceof ProviderUnavailable) away.add(row.provider);
      onAlarm("a payment waits and could not be taken on", { id: row.id, err: error });
    }
  };
  await inPages(async () => {
    const due = await takeDueWithdrawals(pool, clock.now(), PAGE_ROWS);
    for (const row of due) await look(row, () => cashier.review(row.id));
    return due.length;
  });
  await inPages(async () => {
    const due = await takeDueDeposits(pool, clock.now(), PAGE_ROWS);
    for (const row of due) await look(row, () => cashier.askDeposit(row));
    return due.length;
  });
}

interface Waiting {
  readonly id: string;
  readonly provider: string;
}

async function inPages(page: () => Promise<number>): Promise<void> {
  for (let pages = 0; pages < PAGES_MAX; pages++) if ((await page()) < PAGE_ROWS) return;
}
