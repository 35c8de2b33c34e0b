import type { DepositState, WithdrawalState } from "@perya/contract/cashier";
import { assert } from "@perya/kernel/assert";
import type { Instant } from "@perya/kernel/instant";
import type pg from "pg";
import { ADD_JOBS } from "../../platform/jobs.ts";
import type { Account, BatchStatement } from "../ledger/ledger.ts";

type Db = pg.Pool | pg.ClientBase;

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
  readonly pay_url: string | null;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly paid_at: Date | null;
  readonly failed_at: Date | null;
}

const DEPOSIT_COLUMNS = `lane, account_id, id, merchant_id, member_id, method, provider, currency,
  amount_minor, state, pay_url, created_at, expires_at, paid_at, failed_at`;

export interface NewDeposit {
  readonly account: Account;
  readonly id: string;
  readonly merchantId: string;
  readonly memberId: string;
  readonly method: string;
  readonly provider: string;
  readonly amountMinor: bigint;
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
}

/** Writes the deposit unless its id is taken on this account. */
export async function insertDeposit(db: Db, deposit: NewDeposit): Promise<void> {
  await db.query(
    `INSERT INTO deposits (lane, account_id, id, merchant_id, member_id, method, provider, currency,
       amount_minor, state, created_at, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'created', to_timestamp($10 / 1000.0),
       to_timestamp($11 / 1000.0))
     ON CONFLICT (lane, account_id, id) DO NOTHING`,
    [
      deposit.account.lane,
      deposit.account.id,
      deposit.id,
      deposit.merchantId,
      deposit.memberId,
      deposit.method,
      deposit.provider,
      deposit.account.currency,
      deposit.amountMinor,
      deposit.createdAt,
      deposit.expiresAt,
    ],
  );
}

export async function setPayUrl(
  db: Db,
  account: Account,
  id: string,
  reference: string,
  payUrl: string,
): Promise<void> {
  await db.query(
    `UPDATE deposits SET reference = $4, pay_url = $5
     WHERE lane = $1 AND account_id = $2 AND id = $3`,
    [account.lane, account.id, id, reference, payUrl],
  );
}

export async function findDeposit(
  db: Db,
  account: Account,
  id: string,
): Promise<DepositRow | null> {
  const { rows } = await db.query<DepositRow>(
    `SELECT ${DEPOSIT_COLUMNS} FROM deposits WHERE lane = $1 AND account_id = $2 AND id = $3`,
    [account.lane, account.id, id],
  );
  return rows[0] ?? null;
}

/** By our id alone, as a provider names it. */
export async function findDepositById(db: Db, id: string): Promise<DepositRow | null> {
  const { rows } = await db.query<DepositRow>(
    `SELECT ${DEPOSIT_COLUMNS} FROM deposits WHERE id = $1`,
    [id],
  );
  return rows[0] ?? null;
}

export interface ListPosition {
  readonly at: Instant;
  readonly id: string;
}

export interface ListPage {
  readonly before: ListPosition | null;
  readonly limit: number;
}

/** Later than any row, within PostgreSQL's timestamps. */
const FAR_FUTURE = 32_503_680_000_000;

export async function listDeposits(
  db: Db,
  account: Account,
  page: ListPage,
): Promise<DepositRow[]> {
  const { rows } = await db.query<DepositRow>(
    `SELECT ${DEPOSIT_COLUMNS} FROM deposits
     WHERE lane = $1 AND account_id = $2
       AND (created_at, id) < (to_timestamp($3 / 1000.0), $4)
     ORDER BY created_at DESC, id DESC LIMIT $5`,
    [account.lane, account.id, page.before?.at ?? FAR_FUTURE, page.before?.id ?? "", page.limit],
  );
  return rows;
}

/**
 * Deposits that wait for their payment, or withdrawals that are on their way; without the one
 * under `exceptId`, which may be there already when it is sent again.
 */
export async function countOpen(
  db: Db,
  account: Account,
  table: "deposits" | "withdrawals",
  exceptId: string,
): Promise<number> {
  const states = table === "deposits" ? ["created", "pending"] : ["held", "approved", "sent"];
  const { rows } = await db.query<{ open: number }>(
    `SELECT count(*)::int AS open FROM ${table}
     WHERE lane = $1 AND account_id = $2 AND state = ANY ($3) AND id <> $4`,
    [account.lane, account.id, states, exceptId],
  );
  return rows[0]?.open ?? 0;
}

/**
 * One of a member's commands at a time until the transaction ends. The wallet's row would do as
 * well, but the ledger's batches would wait for it.
 */
export async function lockMember(client: pg.ClientBase, memberId: string): Promise<void> {
  const { rowCount } = await client.query("SELECT 1 FROM members WHERE id = $1 FOR NO KEY UPDATE", [
    memberId,
  ]);
  assert(rowCount === 1, "who pays is a member");
}

/** Moves a deposit that did not move money; false when it was not in one of the states. */
export async function moveDeposit(
  db: Db,
  deposit: DepositRow,
  to: "pending" | "failed" | "expired",
  from: readonly DepositState[],
  at: Instant,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `UPDATE deposits SET state = $4,
       failed_at = CASE WHEN $4 = 'failed' THEN to_timestamp($6 / 1000.0) ELSE failed_at END
     WHERE lane = $1 AND account_id = $2 AND id = $3 AND state = ANY ($5)`,
    [deposit.lane, deposit.account_id, deposit.id, to, from, at],
  );
  return rowCount === 1;
}

export async function expiredDeposits(db: Db, now: Instant, limit: number): Promise<DepositRow[]> {
  const { rows } = await db.query<DepositRow>(
    `SELECT ${DEPOSIT_COLUMNS} FROM deposits
     WHERE state IN ('created', 'pending') AND expires_at < to_timestamp($1 / 1000.0)
     ORDER BY expires_at LIMIT $2`,
    [now, limit],
  );
  return rows;
}

/** Runs with the credit of the money. A payment that came late still counts. */
export const payDeposit: BatchStatement = {
  name: "cashier_10_pay_deposit",
  sql: `UPDATE deposits d SET state = 'paid', paid_at = to_timestamp(u.at / 1000.0)
        FROM jsonb_to_recordset($1) AS u(lane smallint, account_id text, id text, at bigint)
        WHERE d.lane = u.lane AND d.account_id = u.account_id AND d.id = u.id
          AND d.state <> 'paid'`,
  mustAffectEach: true,
};

export interface WithdrawalRow {
  readonly lane: number;
  readonly account_id: string;
  readonly id: string;
  readonly merchant_id: string;
  readonly member_id: string;
  readonly method: string;
  readonly provider: string;
  readonly destination: string;
  readonly currency: string;
  readonly amount_minor: bigint;
  readonly state: WithdrawalState;
  readonly history: readonly { readonly state: WithdrawalState; readonly at: Instant }[];
  readonly created_at: Date;
}

const WITHDRAWAL_COLUMNS = `lane, account_id, id, merchant_id, member_id, method, provider,
  destination, currency, amount_minor, state, history, created_at`;

/**
 * Runs with the hold of the money, so under the lock of the wallet's row: two at the same moment
 * count each other. Checked: one beyond `open_max` undoes its hold.
 */
export const insertWithdrawal: BatchStatement = {
  name: "cashier_20_insert_withdrawal",
  sql: `INSERT INTO withdrawals (lane, account_id, id, merchant_id, member_id, method, provider,
          destination, currency, amount_minor, state, history, created_at)
        SELECT u.lane, u.account_id, u.id, u.merchant_id, u.member_id, u.method, u.provider,
          u.destination, u.currency, u.amount_minor, 'held',
          jsonb_build_array(jsonb_build_object('state', 'held', 'at', u.at)),
          to_timestamp(u.at / 1000.0)
        FROM (SELECT *, row_number() OVER (PARTITION BY lane, account_id) AS place
              FROM jsonb_to_recordset($1) AS r(lane smallint, account_id text, id text,
                merchant_id text, member_id text, method text, provider text, destination text,
                currency text, amount_minor bigint, open_max integer, at bigint)) u
        WHERE u.place + (SELECT count(*) FROM withdrawals w
                         WHERE w.lane = u.lane AND w.account_id = u.account_id
                           AND w.state IN ('held', 'approved', 'sent')) <= u.open_max`,
  mustAffectEach: true,
};

/**
 * Runs with the post (paid) or the void (rejected, failed) of the hold. What went out to the
 * provider can no longer be rejected, and what did not go out cannot be paid or fail.
 */
export const endWithdrawal: BatchStatement = {
  name: "cashier_30_end_withdrawal",
  sql: `UPDATE withdrawals w SET state = u.state,
          history = history || jsonb_build_object('state', u.state, 'at', u.at)
        FROM jsonb_to_recordset($1) AS u(lane smallint, account_id text, id text, state text,
          at bigint)
        WHERE w.lane = u.lane AND w.account_id = u.account_id AND w.id = u.id
          AND CASE u.state WHEN 'rejected' THEN w.state = 'held'
                           ELSE w.state IN ('approved', 'sent') END`,
  mustAffectEach: true,
};

export const addJobs: BatchStatement = {
  name: "cashier_40_add_jobs",
  sql: ADD_JOBS,
  mustAffectEach: false,
};

/** Moves a withdrawal on; false when it was not in the state it should leave. */
export async function moveWithdrawal(
  db: Db,
  row: WithdrawalRow,
  from: WithdrawalState,
  to: WithdrawalState,
  at: Instant,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `UPDATE withdrawals SET state = $5,
       history = history || jsonb_build_object('state', $5::text, 'at', $6::bigint)
     WHERE lane = $1 AND account_id = $2 AND id = $3 AND state = $4`,
    [row.lane, row.account_id, row.id, from, to, at],
  );
  return rowCount === 1;
}

export async function findWithdrawal(
  db: Db,
  account: Account,
  id: string,
): Promise<WithdrawalRow | null> {
  const { rows } = await db.query<WithdrawalRow>(
    `SELECT ${WITHDRAWAL_COLUMNS} FROM withdrawals
     WHERE lane = $1 AND account_id = $2 AND id = $3`,
    [account.lane, account.id, id],
  );
  return rows[0] ?? null;
}

export async function findWithdrawalById(db: Db, id: string): Promise<WithdrawalRow | null> {
  const { rows } = await db.query<WithdrawalRow>(
    `SELECT ${WITHDRAWAL_COLUMNS} FROM withdrawals WHERE id = $1`,
    [id],
  );
  return rows[0] ?? null;
}

export async function listWithdrawals(
  db: Db,
  account: Account,
  page: ListPage,
): Promise<WithdrawalRow[]> {
  const { rows } = await db.query<WithdrawalRow>(
    `SELECT ${WITHDRAWAL_COLUMNS} FROM withdrawals
     WHERE lane = $1 AND account_id = $2
       AND (created_at, id) < (to_timestamp($3 / 1000.0), $4)
     ORDER BY created_at DESC, id DESC LIMIT $5`,
    [account.lane, account.id, page.before?.at ?? FAR_FUTURE, page.before?.id ?? "", page.limit],
  );
  return rows;
}

/** The stored body of a call-back that was taken before, or null. */
export async function findPaymentEvent(
  db: Db,
  provider: string,
  eventId: string,
): Promise<unknown> {
  const { rows } = await db.query<{ body: unknown }>(
    "SELECT body FROM payment_events WHERE provider = $1 AND event_id = $2",
    [provider, eventId],
  );
  return rows[0]?.body ?? null;
}

export async function insertPaymentEvent(
  db: Db,
  provider: string,
  eventId: string,
  body: unknown,
  at: Instant,
): Promise<void> {
  await db.query(
    `INSERT INTO payment_events (provider, event_id, body, at)
     VALUES ($1, $2, $3, to_timestamp($4 / 1000.0)) ON CONFLICT DO NOTHING`,
    [provider, eventId, JSON.stringify(body), at],
  );
}
