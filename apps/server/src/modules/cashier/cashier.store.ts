import type { DepositState, WaitReason, WithdrawalState } from "@perya/contract/cashier";
import { CLOCKS_APART_MS, DAY_MS, HOUR_MS, type Instant, MINUTE_MS } from "@perya/kernel/instant";
import type pg from "pg";
import { FAR_FUTURE, type TimeAndId } from "../../platform/http/cursor.ts";
import { ADD_JOBS } from "../../platform/jobs.ts";
import { changeFreeRows } from "../../platform/postgres/lanes.ts";
import type { Db } from "../../platform/postgres/pool.ts";
import { endedByOwnerAt, proofsChangedAt } from "../identity/identity.ts";
import {
  type Account,
  type BatchStatement,
  type BookCheck,
  checkByLane,
} from "../ledger/ledger.ts";
import { type ApprovalFacts, SUM_WINDOW_MS, type Verdict } from "./withdrawal-rule.ts";

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

const DEPOSIT_COLUMNS = `lane, account_id, id, merchant_id, member_id, method, provider, currency,
  amount_minor, state, session_id, pay_url, received_minor, reason, created_at, expires_at,
  paid_at, failed_at`;

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

/** By then payments that move on by themselves have done so; the sweep checks the others. */
const FIRST_LOOK_MS = MINUTE_MS;

/**
 * False if the id is another account's payment. Runs in the transaction that writes the deposit, so
 * that a refusal leaves no claim. It waits for another claim of the same moment.
 */
export async function claimPaymentId(db: pg.ClientBase, id: string, { id: accountId }: Account) {
  const { rows } = await db.query<{ account_id: string }>(
    `INSERT INTO payment_ids AS p (id, account_id) VALUES ($1, $2)
     ON CONFLICT (id) DO UPDATE SET account_id = p.account_id RETURNING account_id`,
    [id, accountId],
  );
  return rows[0]?.account_id === accountId;
}

/**
 * As `claimPaymentId`, together with the hold of a withdrawal's money. Checked: if two accounts
 * name one id, even in one batch, the second one's hold is undone.
 */
export const claimPaymentIds: BatchStatement = {
  name: "cashier_15_claim_payment_ids",
  // In one order, so that many at once do not deadlock.
  sql: `INSERT INTO payment_ids AS p (id, account_id)
        SELECT DISTINCT ON (id) id, account_id
        FROM jsonb_to_recordset($1) AS u(id text, account_id text) ORDER BY id, account_id
        ON CONFLICT (id) DO UPDATE SET account_id = p.account_id
          WHERE p.account_id = excluded.account_id`,
  mustAffectEach: true,
};

export async function insertDeposit(db: Db, deposit: NewDeposit): Promise<void> {
  await db.query(
    `INSERT INTO deposits (lane, account_id, id, merchant_id, member_id, method, provider, currency,
       amount_minor, state, created_at, expires_at, look_at, session_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, to_timestamp($11 / 1000.0),
       to_timestamp($12 / 1000.0), to_timestamp($13 / 1000.0), $14)
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
      deposit.state,
      deposit.createdAt,
      deposit.expiresAt,
      deposit.createdAt + FIRST_LOOK_MS,
      deposit.sessionId,
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

export function isSameDeposit(
  existing: DepositRow,
  account: Account,
  given: { readonly method: string; readonly amount: { readonly minor: bigint } },
): boolean {
  return (
    existing.account_id === account.id &&
    existing.amount_minor === given.amount.minor &&
    existing.method === given.method
  );
}

export interface ListPage {
  readonly before: TimeAndId | null;
  readonly limit: number;
}

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

const OPEN_STATES = {
  deposits: "('created', 'pending')",
  withdrawals: "('held', 'approved', 'sent')",
};

/** All opened since the account was changed number this many times `openMax` at most. */
const OPEN_ALL_TIMES = 4;
/** With those from before the change, they number this many times `openMax` at most. */
const OPEN_EVER_TIMES = 16;

/**
 * In SQL over open payments `p` beside their member `m`: how many count for a request in a session
 * (docs/payments.md, "How many are open").
 * @param mayCount in SQL: if false of a payment, only the multiples of `openMax` count it
 */
function openFor(sessionId: string, table: "deposits" | "withdrawals", mayCount = "true"): string {
  const changedAt = table === "deposits" ? changedSince("p") : accountChangedAt("p");
  const isOfBefore = `${proofsChangedAt("m")} > p.created_at`;
  return `greatest(count(*) / ${OPEN_EVER_TIMES},
    count(*) FILTER (WHERE (${isOfBefore}) IS NOT TRUE) / ${OPEN_ALL_TIMES},
    count(*) FILTER (WHERE (p.session_id = ${sessionId} OR ${changedAt} IS NULL) AND ${mayCount}))`;
}

/** By then a provider has answered, or nobody waits for it any more. */
const PROVIDER_MS = MINUTE_MS;
const MAY_BE_TAKEN = `(p.state <> 'created' OR p.pay_url IS NOT NULL
    OR (p.created_at > to_timestamp($5 / 1000.0) AND p.created_at <= to_timestamp($6 / 1000.0)))`;

/**
 * Deposits that wait for their payment, or withdrawals that are under way, as they count for a
 * session (`openFor`); without the one under `exceptId`, which may exist already if it is sent
 * again.
 */
export async function countOpen(
  db: Db,
  account: Account,
  table: "deposits" | "withdrawals",
  { sessionId, exceptId, at }: AskedOpen,
): Promise<number> {
  const isDeposit = table === "deposits";
  const mayCount = isDeposit ? MAY_BE_TAKEN : undefined;
  const { rows } = await db.query<{ open: number }>(
    `SELECT ${openFor("$4", table, mayCount)}::int AS open FROM ${table} p JOIN identity_members m ON m.id = p.member_id
     WHERE p.lane = $1 AND p.account_id = $2 AND p.state IN ${OPEN_STATES[table]} AND p.id <> $3`,
    [
      account.lane,
      account.id,
      exceptId,
      sessionId,
      ...(isDeposit ? [at - PROVIDER_MS, at + CLOCKS_APART_MS] : []),
    ],
  );
  return rows[0]?.open ?? 0;
}

interface AskedOpen {
  readonly sessionId: string | null;
  readonly exceptId: string;
  readonly at: Instant;
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
  /** Why the rule did not let it out. */
  readonly wait_reasons: readonly WaitReason[];
  readonly device: string | null;
  /** The reason given for a rejection or a failure; null if none was given. */
  readonly reason: string | null;
  readonly first_approver: string | null;
  /** Since when operators, and not its provider, say how it ends; null while the provider does. */
  readonly taken_over_at: Date | null;
  readonly created_at: Date;
}

const WITHDRAWAL_COLUMNS = `lane, account_id, id, merchant_id, member_id, method, provider,
  destination, currency, amount_minor, state, history, wait_reasons, device, reason,
  first_approver, taken_over_at, created_at`;

/**
 * Runs with the hold of the money, so under the lock of the wallet's row: two at the same moment
 * count each other. Checked: one beyond `open_max` undoes its hold.
 */
export const insertWithdrawal: BatchStatement = {
  name: "cashier_20_insert_withdrawal",
  sql: `INSERT INTO withdrawals (lane, account_id, id, merchant_id, member_id, session_id, method,
          provider, destination, device, network, currency, amount_minor, state, history, created_at,
          look_at)
        SELECT u.lane, u.account_id, u.id, u.merchant_id, u.member_id, u.session_id, u.method,
          u.provider, u.destination, u.device, u.network, u.currency, u.amount_minor, 'held',
          jsonb_build_array(jsonb_build_object('state', 'held', 'at', u.at)),
          to_timestamp(u.at / 1000.0), to_timestamp((u.at + ${FIRST_LOOK_MS}) / 1000.0)
        FROM (SELECT *, row_number() OVER (PARTITION BY lane, account_id) AS place
              FROM jsonb_to_recordset($1) AS r(lane smallint, account_id text, id text,
                merchant_id text, member_id text, session_id text, method text, provider text,
                destination text, device text, network text, currency text, amount_minor bigint,
                open_max integer, at bigint)) u
        JOIN ledger_wallets a ON a.lane = u.lane AND a.id = u.account_id
        WHERE u.place + (SELECT ${openFor("u.session_id", "withdrawals")}
                         FROM withdrawals p JOIN identity_members m ON m.id = p.member_id
                         WHERE p.lane = a.lane AND p.account_id = a.id
                           AND p.state IN ${OPEN_STATES.withdrawals}) <= u.open_max`,
  mustAffectEach: true,
};

/**
 * Runs with the post (paid) or the void (rejected, failed) of the hold. What was sent to the
 * provider can no longer be rejected, and what was not sent cannot be paid or fail. A payment that
 * operators took over from a provider ends by their word alone (`by_people`).
 */
export const endWithdrawal: BatchStatement = {
  name: "cashier_30_end_withdrawal",
  sql: `UPDATE withdrawals w SET state = u.state, reason = u.reason, look_at = NULL,
          first_approver = CASE WHEN u.state = 'paid' THEN w.first_approver END,
          second_approver = CASE WHEN u.state = 'paid' THEN w.second_approver END,
          history = history || u.step
        FROM jsonb_to_recordset($1) AS u(lane smallint, account_id text, id text, state text,
          reason text, by_people boolean, step jsonb)
        WHERE w.lane = u.lane AND w.account_id = u.account_id AND w.id = u.id
          AND (w.taken_over_at IS NULL OR u.by_people)
          AND CASE WHEN u.state = 'rejected' THEN w.state = 'held'
                   ELSE w.state IN ('approved', 'sent') END`,
  mustAffectEach: true,
};

export const addJobs: BatchStatement = {
  name: "cashier_40_add_jobs",
  sql: ADD_JOBS,
  mustAffectEach: false,
};

/**
 * Moves a withdrawal on; false if it was not in the expected state. Letting one out decides about
 * the present block, and not about a later one.
 */
export async function moveWithdrawal(
  db: Db,
  row: WithdrawalRow,
  from: WithdrawalState,
  to: WithdrawalState,
  at: Instant,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `UPDATE withdrawals SET state = $5, look_at = to_timestamp($7 / 1000.0),
       approved_at = CASE WHEN $5 = 'approved' THEN to_timestamp($6 / 1000.0) ELSE approved_at END,
       wait_reasons = CASE WHEN $5 = 'approved' AND NOT (SELECT blocked FROM identity_members
           WHERE id = member_id) THEN array_remove(wait_reasons, 'member_blocked')
         ELSE wait_reasons END,
       history = history || $8::jsonb
     WHERE lane = $1 AND account_id = $2 AND id = $3 AND state = $4`,
    [
      ...[row.lane, row.account_id, row.id, from, to, at, at + FIRST_LOOK_MS],
      JSON.stringify({ state: to, at }),
    ],
  );
  return rowCount === 1;
}

/**
 * In SQL beside its member `m`, when the account was last changed after the payment under this
 * alias was requested, or when its owner ended the session that requested it; null for never. The
 * person who requested it may not be the one who has the account now.
 */
function changedSince(payment: string): string {
  const changedAt = proofsChangedAt("m");
  return `greatest(CASE WHEN ${changedAt} > ${payment}.created_at THEN ${changedAt} END,
    ${endedByOwnerAt(`${payment}.session_id`)})`;
}

/** The same for a withdrawal, which stores the latest change that its reasons name. */
export function accountChangedAt(withdrawal: string): string {
  return `greatest(${withdrawal}.account_changed_at, ${changedSince(withdrawal)})`;
}

/** In SQL beside `w` and `m`: whether the reasons do not name the account's latest change yet. */
export const IS_CHANGED = `(${accountChangedAt("w")} IS DISTINCT FROM w.account_changed_at)`;

/** Locks it until the transaction ends; null if it is not held. */
export async function lockHeldWithdrawal(
  client: pg.ClientBase,
  { lane, account_id, id }: Pick<WithdrawalRow, "lane" | "account_id" | "id">,
): Promise<WithdrawalRow | null> {
  const { rows } = await client.query<WithdrawalRow>(
    `SELECT ${WITHDRAWAL_COLUMNS} FROM withdrawals
     WHERE lane = $1 AND account_id = $2 AND id = $3 AND state = 'held' FOR NO KEY UPDATE`,
    [lane, account_id, id],
  );
  return rows[0] ?? null;
}

/** Under `lockHeldWithdrawal`: who says that it may go, and who says so as well. */
export async function noteApprovers(
  client: pg.ClientBase,
  id: string,
  first: string,
  second: string | null,
): Promise<void> {
  await client.query(
    "UPDATE withdrawals SET first_approver = $2, second_approver = $3 WHERE id = $1",
    [id, first, second],
  );
}

/** Approvals by rule of one brand wait here for each other until the transaction ends. */
export async function lockApprovals(client: pg.ClientBase, merchantId: string): Promise<void> {
  await client.query("INSERT INTO approval_gates VALUES ($1) ON CONFLICT DO NOTHING", [merchantId]);
  await client.query("SELECT FROM approval_gates WHERE merchant_id = $1 FOR UPDATE", [merchantId]);
}

/** Read under `lockApprovals`; null if the withdrawal is no longer held. */
export async function readApprovalFacts(
  client: pg.ClientBase,
  row: WithdrawalRow,
  now: Instant,
): Promise<ApprovalFacts | null> {
  const its = (column: string) => `(SELECT ${column} FROM w)`;
  const lately = `p.currency = ${its("currency")} AND p.state IN ('approved', 'sent', 'paid')
    AND p.approved_at > to_timestamp(($4::bigint - ${SUM_WINDOW_MS}) / 1000.0)`;
  const sum = "SELECT coalesce(sum(p.amount_minor), 0)::bigint FROM withdrawals p";
  const { rows } = await client.query<{
    blocked: boolean;
    changed: boolean;
    player: bigint;
    destination: bigint;
    device: bigint;
    network: bigint;
    named_at: Date;
    paid_there: boolean;
  }>(
    `WITH w AS MATERIALIZED (
       SELECT * FROM withdrawals
       WHERE lane = $1 AND account_id = $2 AND id = $3 AND state = 'held')
     SELECT m.blocked, ${accountChangedAt("w")} IS NOT NULL AS changed,
       (${sum} WHERE p.lane = $1 AND p.account_id = $2 AND ${lately}) AS player,
       (${sum} WHERE p.merchant_id = ${its("merchant_id")}
          AND p.destination = ${its("destination")} AND ${lately}) AS destination,
       (${sum} WHERE p.merchant_id = ${its("merchant_id")} AND p.device = ${its("device")}
          AND ${lately}) AS device,
       (${sum} WHERE p.merchant_id = ${its("merchant_id")} AND p.network = ${its("network")}
          AND ${lately}) AS network,
       (SELECT min(p.created_at) FROM withdrawals p JOIN identity_members m ON m.id = p.member_id
        WHERE p.lane = $1 AND p.account_id = $2 AND p.destination = ${its("destination")}
          AND p.state <> 'rejected'
          AND (p.id = $3 OR ${accountChangedAt("p")} IS NULL)) AS named_at,
       EXISTS (SELECT 1 FROM withdrawals p
        WHERE p.lane = $1 AND p.account_id = $2 AND p.destination = ${its("destination")}
          AND p.state = 'paid') AS paid_there
     FROM w JOIN identity_members m ON m.id = w.member_id`,
    [row.lane, row.account_id, row.id, now],
  );
  const [facts] = rows;
  if (facts === undefined) return null;
  return {
    blocked: facts.blocked,
    accountChanged: facts.changed,
    playerMinor: facts.player,
    destinationMinor: facts.destination,
    deviceMinor: facts.device,
    networkMinor: facts.network,
    // It was named by now, whatever a wrong clock wrote.
    namedAt: Math.min(facts.named_at.getTime(), now),
    paidThere: facts.paid_there,
  };
}

/**
 * Whether no earlier withdrawal named the destination, as the rule counts: a rejected one names
 * none, nor does one from before the account was changed, unless it was paid.
 */
export async function isFirstThere(
  db: Db,
  row: Pick<WithdrawalRow, "lane" | "account_id" | "destination" | "id"> & { readonly at: number },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `SELECT 1 FROM withdrawals p JOIN identity_members m ON m.id = p.member_id
     WHERE p.lane = $1 AND p.account_id = $2 AND p.destination = $3
       AND (p.created_at, p.id) < (to_timestamp($4 / 1000.0), $5)
       AND (p.state = 'paid' OR p.state <> 'rejected' AND ${accountChangedAt("p")} IS NULL)
     LIMIT 1`,
    [row.lane, row.account_id, row.destination, row.at, row.id],
  );
  return rowCount === 0;
}

export function maskDestination(destination: string): string {
  return destination.slice(-4).padStart(destination.length, "•");
}

/**
 * What the rule said of a withdrawal that it does not let out. The first approver must approve anew
 * if they could not know of a block or a change of the account.
 */
export async function noteWait(
  client: pg.ClientBase,
  row: WithdrawalRow,
  { reasons, lookAgainAt }: Verdict,
): Promise<void> {
  await client.query(
    `UPDATE withdrawals w SET wait_reasons = $4, look_at = to_timestamp($5 / 1000.0),
       account_changed_at = CASE WHEN 'account_changed' = ANY ($4) THEN ${accountChangedAt("w")} END,
       first_approver = CASE WHEN ${IS_CHANGED} OR 'member_blocked' = ANY ($4)
         AND NOT 'member_blocked' = ANY (w.wait_reasons) THEN NULL ELSE first_approver END
     FROM identity_members m
     WHERE w.lane = $1 AND w.account_id = $2 AND w.id = $3 AND w.state = 'held'
       AND m.id = w.member_id`,
    [row.lane, row.account_id, row.id, reasons, lookAgainAt],
  );
}

/** What was taken for a check is due again after this, unless the check finishes (`lookLater`). */
const TAKEN_MS = MINUTE_MS;

/**
 * Takes what has waited too long, longest first, so that no other process checks it as well: for a
 * minute, since the process that took it may die or fail. A payment that is still open after its
 * check is taken again: soon while it is new, every hour in the end. A check that is further ahead
 * than the next one would be was planned by a wrong clock, and is due; but a rule may make a
 * withdrawal wait for longer.
 */
export async function takeDueWithdrawals(
  pool: pg.Pool,
  now: Instant,
  limit: number,
): Promise<WithdrawalRow[]> {
  return takeDue<WithdrawalRow>(pool, "withdrawals", WITHDRAWAL_COLUMNS, now, limit);
}

/**
 * As `takeDueWithdrawals`, for deposits. One that expired or failed is seldom paid, and its
 * provider is asked ever more seldom, for the last time after three days: nobody pays it later. An
 * operator's word on one that was paid by hand may come at any time.
 */
export async function takeDueDeposits(
  pool: pg.Pool,
  now: Instant,
  limit: number,
): Promise<DepositRow[]> {
  return takeDue<DepositRow>(pool, "deposits", DEPOSIT_COLUMNS, now, limit);
}

/** How long an abandoned payment page may still bring money without a call-back. */
const DEPOSIT_LOOKED_AT_MS = 3 * DAY_MS;

/**
 * After the check of what was taken at `takenAt`: plans the next one, or none. What moved on
 * meanwhile, or was taken anew, is checked as that planned it, or after the minute.
 */
export async function lookLater(
  db: Db,
  table: "deposits" | "withdrawals",
  row: Taken,
  takenAt: Instant,
): Promise<void> {
  await db.query(
    `UPDATE ${table} SET look_at = to_timestamp($6 / 1000.0)
     WHERE lane = $2 AND account_id = $3 AND id = $4 AND state = $5 AND look_at = ${UNTIL_TAKEN}`,
    [takenAt, row.lane, row.account_id, row.id, row.state, plannedLook(table, row, takenAt)],
  );
}

/** In SQL, for what was taken at `$1`. */
const UNTIL_TAKEN = `to_timestamp($1 / 1000.0) + interval '${TAKEN_MS} milliseconds'`;

function takeDue<Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  table: "deposits" | "withdrawals",
  columns: string,
  now: Instant,
  limit: number,
): Promise<Row[]> {
  const byRule = table === "withdrawals" ? "state = 'held' AND wait_reasons <> '{}'" : "false";
  return changeFreeRows<Row>(
    pool,
    {
      table,
      where: `(look_at <= to_timestamp($1 / 1000.0)
        OR look_at > ${nextLook(table)} AND NOT (${byRule}))`,
      first: `ORDER BY look_at LIMIT ${limit}`,
      set: `look_at = ${UNTIL_TAKEN}`,
      returning: columns,
    },
    [now],
  );
}

type Taken = Pick<DepositRow, "lane" | "account_id" | "id" | "provider" | "created_at"> & {
  readonly state: string;
};

/** After a look: how long until the next one at the latest, by the payment's age. */
const PAUSE_MIN_MS = MINUTE_MS;
const PAUSE_MAX_MS = HOUR_MS;

/** When the next look after the one at `at` is planned; null where that was the last. */
function plannedLook(
  table: "deposits" | "withdrawals",
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
function nextLook(table: "deposits" | "withdrawals"): string {
  const age = "to_timestamp($1 / 1000.0) - created_at";
  const pauseMax =
    table === "withdrawals"
      ? "interval '1 hour'"
      : `CASE WHEN state IN ('expired', 'failed')
              THEN interval '${DEPOSIT_LOOKED_AT_MS} milliseconds' - (${age})
              ELSE interval '1 hour' END`;
  return `to_timestamp($1 / 1000.0) + greatest(least(${age}, ${pauseMax}), interval '1 minute')`;
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

export const cashierBooks: readonly BookCheck[] = [
  checkByLane(
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
  ),
  checkByLane(
    "each withdrawal stands as its entries say",
    `SELECT coalesce(w.account_id, e.account_id) || ' ' || coalesce(w.id, e.ref, '') AS subject,
            'withdrawal ' || concat_ws('/', w.held, w.paid, w.given_back) ||
              ', entries ' || concat_ws('/', e.held, e.paid, e.given_back) AS found
     FROM (SELECT account_id, id, 'payment:' || provider AS counter_account, amount_minor AS held,
             CASE WHEN state = 'paid' THEN amount_minor ELSE 0 END AS paid,
             CASE WHEN state IN ('rejected', 'failed') THEN amount_minor ELSE 0 END AS given_back
           FROM withdrawals WHERE lane = $1) w
     FULL JOIN (
       SELECT account_id, ref, min(counter_account) AS first, max(counter_account) AS last,
         coalesce(sum(held_change) FILTER (WHERE kind = 'hold'), 0)::bigint AS held,
         coalesce(-sum(amount) FILTER (WHERE kind = 'withdrawal'), 0)::bigint AS paid,
         coalesce(-sum(held_change) FILTER (WHERE kind = 'void'), 0)::bigint AS given_back
       FROM ledger_booked WHERE lane = $1 AND counter_account LIKE 'payment:%'
         AND kind IN ('hold', 'withdrawal', 'void')
       GROUP BY account_id, ref) e
       ON e.account_id = w.account_id AND e.ref = w.id
     WHERE w.account_id IS NULL OR e.account_id IS NULL
       OR w.held <> e.held OR w.paid <> e.paid OR w.given_back <> e.given_back
       OR w.counter_account <> e.first OR w.counter_account <> e.last`,
  ),
];

/** More accounts than a person has. */
const DESTINATIONS_MAX = 50;

export async function hasPaidDeposit(db: Db, { lane, id }: Account): Promise<boolean> {
  const { rowCount } = await db.query(
    "SELECT FROM deposits WHERE lane = $1 AND account_id = $2 AND state = 'paid' LIMIT 1",
    [lane, id],
  );
  return rowCount === 1;
}

export interface PayoutAccount {
  readonly destination: string;
  /** None of the brand's other accounts was paid more there, or as much and earlier. */
  readonly isOwn: boolean;
}

/**
 * Where a member's money has gone, most first. Mere requests name no destination: anyone can
 * request a payment to anyone's number and get the money back. Ordered by sum, since a player who
 * hides a destination among others must pay more than that to each of fifty.
 */
export async function listDestinations(db: Db, { lane, id }: Account): Promise<PayoutAccount[]> {
  const { rows } = await db.query<{ destination: string; is_own: boolean }>(
    `WITH d AS MATERIALIZED (
       SELECT merchant_id, destination, sum(amount_minor) AS total, min(created_at) AS first_at
       FROM withdrawals WHERE lane = $1 AND account_id = $2 AND state = 'paid'
       GROUP BY merchant_id, destination
       ORDER BY total DESC, destination LIMIT $3),
     others AS MATERIALIZED (
       SELECT o.merchant_id, o.destination, o.account_id, sum(o.amount_minor) AS total,
         min(o.created_at) AS first_at
       FROM d JOIN withdrawals o ON o.merchant_id = d.merchant_id
         AND o.destination = d.destination
       WHERE o.approved_at IS NOT NULL AND o.state = 'paid'
         AND (o.lane, o.account_id) <> ($1, $2)
       GROUP BY o.merchant_id, o.destination, o.lane, o.account_id)
     SELECT d.destination, NOT EXISTS (
       SELECT FROM others o
       WHERE o.merchant_id = d.merchant_id AND o.destination = d.destination
         AND (o.total, d.first_at, $2::text) > (d.total, o.first_at, o.account_id)) AS is_own
     FROM d ORDER BY d.total DESC, d.destination`,
    [lane, id, DESTINATIONS_MAX],
  );
  return rows.map(({ destination, is_own }) => ({ destination, isOwn: is_own }));
}
