import type { DepositState } from "@perya/contract/cashier";
import type { Instant } from "@perya/kernel/instant";
import type pg from "pg";
import { changeFreeRows } from "../../platform/postgres/lanes.ts";
import type { Db } from "../../platform/postgres/pool.ts";
import { type Account, type BatchStatement, checkByLane } from "../ledger/ledger.ts";
import { FIRST_LOOK_MS, paymentRows } from "./payments.store.ts";

export interface DepositRow {
  readonly lane: number;
  readonly account_id: string;
  readonly id: string;
  readonly merchant_id: string;
  readonly member_id: string;
  readonly method: string;
  readonly provider: string;
  readonly currency: string;
  readonly amount_minor: bigint;
  readonly state: DepositState;
  /** The session that opened it, if known. */
  readonly session_id: string | null;
  readonly pay_url: string | null;
  /** The amount that came; null until it is paid. */
  readonly received_minor: bigint | null;
  /** The reason given for a failure; null if none was given. */
  readonly reason: string | null;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly paid_at: Date | null;
  readonly failed_at: Date | null;
}

export const DEPOSIT_COLUMNS = `lane, account_id, id, merchant_id, member_id, method, provider, currency,
  amount_minor, state, session_id, pay_url, received_minor, reason, created_at, expires_at,
  paid_at, failed_at`;

export const depositRows = paymentRows<DepositRow>("deposits", DEPOSIT_COLUMNS);

export interface NewDeposit {
  readonly account: Account;
  readonly id: string;
  readonly merchantId: string;
  readonly memberId: string;
  /** Absent if somebody other than the player opens it. */
  readonly sessionId?: string;
  readonly method: string;
  readonly provider: string;
  readonly amountMinor: bigint;
  /** Pending if its provider has it already. */
  readonly state: "created" | "pending";
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
}

export async function insertDeposit(db: Db, deposit: NewDeposit): Promise<void> {
  const { account, createdAt } = deposit;
  await db.query(
    `INSERT INTO deposits (lane, account_id, id, merchant_id, member_id, method, provider, currency,
       amount_minor, state, created_at, expires_at, look_at, session_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, to_timestamp($11 / 1000.0),
       to_timestamp($12 / 1000.0), to_timestamp($13 / 1000.0), $14)
     ON CONFLICT (lane, account_id, id) DO NOTHING`,
    [
      ...[account.lane, account.id, deposit.id, deposit.merchantId, deposit.memberId],
      ...[deposit.method, deposit.provider, account.currency, deposit.amountMinor, deposit.state],
      ...[createdAt, deposit.expiresAt, createdAt + FIRST_LOOK_MS, deposit.sessionId],
    ],
  );
}

export async function setPayUrl(
  db: Db,
  { lane, account_id, id }: DepositRow,
  { reference, payUrl }: { readonly reference: string; readonly payUrl: string },
): Promise<void> {
  await db.query(
    `UPDATE deposits SET reference = $4, pay_url = $5
     WHERE lane = $1 AND account_id = $2 AND id = $3`,
    [lane, account_id, id, reference, payUrl],
  );
}

/** Moves a deposit without moving money; false if it was in none of the states. */
export async function moveDeposit(
  db: Db,
  deposit: DepositRow,
  to: "pending" | "failed",
  from: readonly DepositState[],
  at: Instant,
  reason: string | null = null,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `UPDATE deposits SET state = $4, reason = $7,
       failed_at = CASE WHEN $4 = 'failed' THEN to_timestamp($6 / 1000.0) ELSE failed_at END
     WHERE lane = $1 AND account_id = $2 AND id = $3 AND state = ANY ($5)`,
    [deposit.lane, deposit.account_id, deposit.id, to, from, at, reason],
  );
  return rowCount === 1;
}

/**
 * Closes expired deposits, the first to expire first, and answers them. One that is paid by hand
 * and claimed waits for an operator, however long. Each row is checked as it is closed: one that
 * was claimed or paid since this began stays open.
 */
export async function expireDeposits(
  pool: pg.Pool,
  now: Instant,
  limit: number,
): Promise<DepositRow[]> {
  return changeFreeRows<DepositRow>(
    pool,
    {
      table: "deposits",
      where: `state IN ('created', 'pending') AND expires_at < to_timestamp($1 / 1000.0)
        AND NOT (provider = 'manual' AND state = 'pending')`,
      first: `ORDER BY expires_at LIMIT ${limit}`,
      set: "state = 'expired'",
      returning: DEPOSIT_COLUMNS,
    },
    [now],
  );
}

/** Runs with the credit of the money. A late payment still counts. */
export const payDeposit: BatchStatement = {
  name: "cashier_10_pay_deposit",
  sql: `UPDATE deposits d SET state = 'paid', paid_at = to_timestamp(u.at / 1000.0),
          received_minor = u.received_minor, reason = NULL, look_at = NULL
        FROM jsonb_to_recordset($1) AS u(lane smallint, account_id text, id text,
          received_minor bigint, at bigint)
        WHERE d.lane = u.lane AND d.account_id = u.account_id AND d.id = u.id
          AND d.state <> 'paid'`,
  mustAffectEach: true,
};

export async function hasPaidDeposit(db: Db, { lane, id }: Account): Promise<boolean> {
  const { rowCount } = await db.query(
    "SELECT FROM deposits WHERE lane = $1 AND account_id = $2 AND state = 'paid' LIMIT 1",
    [lane, id],
  );
  return rowCount === 1;
}

export const depositBook = checkByLane(
  "each deposit stands as its entry says",
  `SELECT coalesce(d.account_id, e.account_id) || ' ' || coalesce(d.id, e.ref, '') AS subject,
          'deposit ' || coalesce(d.received::text, 'none') || ', entry ' ||
            coalesce(e.amount::text, 'none') AS found
   FROM (SELECT account_id, id, 'payment:' || provider AS counter_account,
           CASE WHEN state = 'paid' THEN received_minor END AS received
         FROM deposits WHERE lane = $1) d
   FULL JOIN (SELECT account_id, ref, counter_account, amount FROM ledger_booked
              WHERE lane = $1 AND kind = 'deposit') e
     ON e.account_id = d.account_id AND e.ref = d.id
   WHERE d.account_id IS NULL OR d.received IS DISTINCT FROM e.amount
     OR d.counter_account <> e.counter_account`,
);
