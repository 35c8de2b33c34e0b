import type { WaitReason, WithdrawalState } from "@perya/contract/cashier";
import type { Instant } from "@perya/kernel/instant";
import type pg from "pg";
import { ADD_JOBS } from "../../platform/jobs.ts";
import type { Db } from "../../platform/postgres/pool.ts";
import { type Account, type BatchStatement, checkByLane } from "../ledger/ledger.ts";
import {
  accountChangedAt,
  FIRST_LOOK_MS,
  IS_CHANGED,
  OPEN_STATES,
  openFor,
  paymentRows,
} from "./payments.store.ts";
import { type ApprovalFacts, SUM_WINDOW_MS, type Verdict } from "./withdrawal-rule.ts";

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

export const WITHDRAWAL_COLUMNS = `lane, account_id, id, merchant_id, member_id, method, provider,
  destination, currency, amount_minor, state, history, wait_reasons, device, reason,
  first_approver, taken_over_at, created_at`;

export const withdrawalRows = paymentRows<WithdrawalRow>("withdrawals", WITHDRAWAL_COLUMNS);

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

/**
 * Stores the first and the second operator who approved it. The caller holds `lockHeldWithdrawal`.
 */
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
  type Facts = Omit<ApprovalFacts, "namedAt"> & { readonly named_at: Date };
  const { rows } = await client.query<Facts>(
    `WITH w AS MATERIALIZED (
       SELECT * FROM withdrawals
       WHERE lane = $1 AND account_id = $2 AND id = $3 AND state = 'held')
     SELECT m.blocked, ${accountChangedAt("w")} IS NOT NULL AS "accountChanged",
       (${sum} WHERE p.lane = $1 AND p.account_id = $2 AND ${lately}) AS "playerMinor",
       (${sum} WHERE p.merchant_id = ${its("merchant_id")}
          AND p.destination = ${its("destination")} AND ${lately}) AS "destinationMinor",
       (${sum} WHERE p.merchant_id = ${its("merchant_id")} AND p.device = ${its("device")}
          AND ${lately}) AS "deviceMinor",
       (${sum} WHERE p.merchant_id = ${its("merchant_id")} AND p.network = ${its("network")}
          AND ${lately}) AS "networkMinor",
       (SELECT min(p.created_at) FROM withdrawals p JOIN identity_members m ON m.id = p.member_id
        WHERE p.lane = $1 AND p.account_id = $2 AND p.destination = ${its("destination")}
          AND p.state <> 'rejected'
          AND (p.id = $3 OR ${accountChangedAt("p")} IS NULL)) AS named_at,
       EXISTS (SELECT 1 FROM withdrawals p
        WHERE p.lane = $1 AND p.account_id = $2 AND p.destination = ${its("destination")}
          AND p.state = 'paid') AS "paidThere"
     FROM w JOIN identity_members m ON m.id = w.member_id`,
    [row.lane, row.account_id, row.id, now],
  );
  if (rows[0] === undefined) return null;
  const { named_at, ...facts } = rows[0];
  // It was named by now, whatever a wrong clock wrote.
  return { ...facts, namedAt: Math.min(named_at.getTime(), now) };
}

/**
 * Whether no earlier withdrawal named the destination. Rejected ones do not count. Those requested
 * before the last change of the account count only if they were paid.
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

export interface PayoutAccount {
  readonly destination: string;
  /** None of the brand's other accounts was paid more there, or as much and earlier. */
  readonly isOwn: boolean;
}

/** More accounts than a person has. */
const DESTINATIONS_MAX = 50;

/**
 * Where a member's money has gone, most first. Mere requests name no destination: anyone can
 * request a payment to anyone's number and get the money back. Ordered by sum, since a player who
 * hides a destination among others must pay more than that to each of fifty.
 */
export async function listDestinations(db: Db, { lane, id }: Account): Promise<PayoutAccount[]> {
  const { rows } = await db.query<PayoutAccount>(
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
         AND (o.total, d.first_at, $2::text) > (d.total, o.first_at, o.account_id)) AS "isOwn"
     FROM d ORDER BY d.total DESC, d.destination`,
    [lane, id, DESTINATIONS_MAX],
  );
  return rows;
}

export const withdrawalBook = checkByLane(
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
);
