import { DAY_MS, HOUR_MS, type Instant, MINUTE_MS } from "@perya/kernel/instant";
import type pg from "pg";
import { changeFreeRows } from "../../platform/postgres/lanes.ts";
import type { Db } from "../../platform/postgres/pool.ts";
import { DEPOSIT_COLUMNS, type DepositRow } from "./deposits.store.ts";
import { WITHDRAWAL_COLUMNS, type WithdrawalRow } from "./withdrawals.store.ts";

/** A payment of each table. */
export interface Payments {
  readonly deposits: DepositRow;
  readonly withdrawals: WithdrawalRow;
}
type Table = keyof Payments;
type Taken = Pick<DepositRow, "lane" | "account_id" | "id" | "provider" | "created_at"> & {
  readonly state: string;
};

const COLUMNS = { deposits: DEPOSIT_COLUMNS, withdrawals: WITHDRAWAL_COLUMNS };

/** What was taken for a check is due again after this, unless the check finishes (`lookLater`). */
const TAKEN_MS = MINUTE_MS;
/** In SQL, for what was taken at `$1`. */
const UNTIL_TAKEN = `to_timestamp($1 / 1000.0) + interval '${TAKEN_MS} milliseconds'`;
/** How long an abandoned payment page may still bring money without a call-back. */
const DEPOSIT_LOOKED_AT_MS = 3 * DAY_MS;
/** After a look: how long until the next one at the latest, by the payment's age. */
const PAUSE_MIN_MS = MINUTE_MS;
const PAUSE_MAX_MS = HOUR_MS;

/**
 * Takes what has waited too long, longest first, so that no other process checks it as well: for a
 * minute, since the process that took it may die or fail. A payment that is still open after its
 * check is taken again: soon while it is new, every hour in the end. A check that is further ahead
 * than the next one would be was planned by a wrong clock, and is due; but a rule may make a
 * withdrawal wait for longer.
 *
 * A deposit that expired or failed is seldom paid, and its provider is asked ever more seldom, for
 * the last time after three days: nobody pays it later. An operator's word on one that was paid by
 * hand may come at any time.
 */
export function takeDue<In extends Table>(
  pool: pg.Pool,
  table: In,
  now: Instant,
  limit: number,
): Promise<Payments[In][]> {
  const byRule = table === "withdrawals" ? "state = 'held' AND wait_reasons <> '{}'" : "false";
  return changeFreeRows<Payments[In]>(
    pool,
    {
      table,
      where: `(look_at <= to_timestamp($1 / 1000.0)
        OR look_at > ${nextLook(table)} AND NOT (${byRule}))`,
      first: `ORDER BY look_at LIMIT ${limit}`,
      set: `look_at = ${UNTIL_TAKEN}`,
      returning: COLUMNS[table],
    },
    [now],
  );
}

/**
 * After the check of what was taken at `takenAt`: plans the next one, or none. What moved on
 * meanwhile, or was taken anew, is checked as that planned it, or after the minute.
 */
export async function lookLater(db: Db, table: Table, row: Taken, takenAt: Instant): Promise<void> {
  await db.query(
    `UPDATE ${table} SET look_at = to_timestamp($6 / 1000.0)
     WHERE lane = $2 AND account_id = $3 AND id = $4 AND state = $5 AND look_at = ${UNTIL_TAKEN}`,
    [takenAt, row.lane, row.account_id, row.id, row.state, plannedLook(table, row, takenAt)],
  );
}

/** When the next look after the one at `at` is planned; null where that was the last. */
function plannedLook(
  table: Table,
  { state, provider, created_at }: Taken,
  at: Instant,
): Instant | null {
  const ageMs = at - created_at.getTime();
  const waitsForOperator = provider === "manual" && state === "pending";
  if (table === "deposits" && ageMs >= DEPOSIT_LOOKED_AT_MS && !waitsForOperator) return null;
  const isLate = table === "deposits" && (state === "expired" || state === "failed");
  const pauseMaxMs = isLate ? DEPOSIT_LOOKED_AT_MS - ageMs : PAUSE_MAX_MS;
  return at + Math.max(Math.min(ageMs, pauseMaxMs), PAUSE_MIN_MS);
}

/** In SQL, the same of a look at `$1`, whatever was the last. */
function nextLook(table: Table): string {
  const age = "to_timestamp($1 / 1000.0) - created_at";
  const pauseMax =
    table === "withdrawals"
      ? "interval '1 hour'"
      : `CASE WHEN state IN ('expired', 'failed')
              THEN interval '${DEPOSIT_LOOKED_AT_MS} milliseconds' - (${age})
              ELSE interval '1 hour' END`;
  return `to_timestamp($1 / 1000.0) + greatest(least(${age}, ${pauseMax}), interval '1 minute')`;
}
