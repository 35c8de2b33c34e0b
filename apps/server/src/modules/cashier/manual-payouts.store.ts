import type { PayoutState } from "@perya/contract/cashier";
import { present } from "@perya/kernel/assert";
import type { Instant } from "@perya/kernel/instant";
import type pg from "pg";
import type { Db } from "../../platform/postgres/pool.ts";
import { accountChangedAt, IS_CHANGED, type OperatorPage } from "./payments.store.ts";
import { ARRIVES_MS } from "./withdrawal-gate.ts";
import type { WithdrawalRow } from "./withdrawals.store.ts";

/** A withdrawal in a list for operators. */
interface Listed
  extends Pick<WithdrawalRow, "id" | "member_id" | "method" | "provider" | "destination">,
    Pick<WithdrawalRow, "amount_minor" | "currency"> {
  readonly username: string;
}

export interface HeldRow
  extends Listed,
    Pick<WithdrawalRow, "wait_reasons" | "device" | "created_at"> {
  /** The operator who lets it out, if a second one must say so too. */
  readonly approver: string | null;
  /** By hand: from before it was held again. */
  readonly earlier_claims: readonly EarlierClaim[];
}

export async function listHeldWithdrawals(
  db: Db,
  merchantId: string,
  page: OperatorPage,
): Promise<HeldRow[]> {
  const { rows } = await db.query<HeldRow>(
    `WITH w AS MATERIALIZED (
       SELECT w.id, w.member_id, m.username, w.method, w.provider, w.destination, w.amount_minor,
         w.currency, w.wait_reasons, w.device, w.created_at, w.first_approver
       FROM withdrawals w JOIN identity_members m ON m.id = w.member_id
       WHERE w.merchant_id = $1 AND w.state = 'held'
         AND (w.created_at, w.id) > (to_timestamp($2 / 1000.0), $3)
       ORDER BY w.created_at, w.id LIMIT $4)
     SELECT w.id, w.member_id, w.username, w.method, w.provider, w.destination, w.amount_minor,
       w.currency, w.wait_reasons, w.device, w.created_at, o.name AS approver,
       ${earlierClaims("w.id")}
     FROM w LEFT JOIN operators_names o ON o.id = w.first_approver
     ORDER BY w.created_at, w.id`,
    [merchantId, page.after?.at ?? 0, page.after?.id ?? "", page.limit],
  );
  return rows;
}

export interface ManualPayout {
  readonly withdrawal_id: string;
  readonly merchant_id: string;
  readonly member_id: string;
  readonly amount_minor: bigint;
  readonly currency: string;
  readonly state: PayoutState;
  readonly claimed_by: string | null;
  readonly bank_reference: string | null;
  readonly bank_key: string | null;
  readonly marked_by: string | null;
  readonly confirmed_by: string | null;
  readonly reason: string | null;
  readonly queued_at: Date;
  /** Its provider before operators took it over; "manual" for one that is paid by hand. */
  readonly provider: string;
  readonly taken_over_at: Date | null;
  /** When that provider was called last; null for never. */
  readonly tried_at: Date | null;
  readonly earlier_claims: readonly EarlierClaim[];
}

/** The time for which an operator, by name, had the pay-out and then released it. */
interface EarlierClaim {
  readonly by: string;
  readonly from: Instant;
  readonly until: Instant;
}

/** In SQL, of the withdrawal under this id, oldest first. */
function earlierClaims(id: string): string {
  const ms = (column: string) => `(extract(epoch FROM r.${column}) * 1000)::bigint`;
  return `(SELECT coalesce(jsonb_agg(jsonb_build_object('by', o.name,
      'from', ${ms("claimed_at")}, 'until', ${ms("released_at")})
      ORDER BY r.claimed_at, r.claimed_by), '[]')
    FROM payout_releases r JOIN operators_names o ON o.id = r.claimed_by
    WHERE r.withdrawal_id = ${id}) AS earlier_claims`;
}

/** Beside `w`, the withdrawal, which comes from `withdrawals` in a part of its own. */
const PAYOUT = `q.withdrawal_id, q.merchant_id, w.member_id, q.amount_minor, q.currency, q.state, q.claimed_by,
  q.bank_reference, q.bank_key, q.marked_by, q.confirmed_by, q.reason, q.queued_at,
  w.provider, w.taken_over_at, w.tried_at, ${earlierClaims("q.withdrawal_id")}`;

/**
 * Only what is on its way out: one that was taken back meanwhile stays out of the queue, since this
 * waits for a row that is being changed.
 */
export async function queuePayout(
  db: Db,
  row: {
    readonly id: string;
    readonly merchantId: string;
    readonly amountMinor: bigint;
    readonly currency: string;
  },
  at: Instant,
): Promise<void> {
  const { rows } = await db.query<{ lane: number; account_id: string }>(
    "SELECT lane, account_id FROM withdrawals WHERE id = $1",
    [row.id],
  );
  const { lane, account_id } = present(rows[0], "a withdrawal that is on its way");
  await db.query(
    `INSERT INTO manual_payouts (withdrawal_id, merchant_id, amount_minor, currency, state,
       queued_at)
     SELECT w.id, $2, $3, $4, 'queued', to_timestamp($5 / 1000.0) FROM withdrawals w
     WHERE w.lane = $6 AND w.account_id = $7 AND w.id = $1 AND w.state IN ('approved', 'sent')
     FOR SHARE ON CONFLICT DO NOTHING`,
    [row.id, row.merchantId, row.amountMinor, row.currency, at, lane, account_id],
  );
}

/**
 * In SQL beside `w`, where `$2` are the configured providers and `$3` is now: on its way through a
 * provider that is gone, or that has had it for as long as a call may take to arrive.
 */
const IS_STUCK = `w.state IN ('approved', 'sent') AND w.provider <> 'manual'
  AND w.taken_over_at IS NULL AND (w.provider <> ALL ($2)
    OR w.approved_at < to_timestamp(($3::bigint - ${ARRIVES_MS}) / 1000.0))`;

export interface StuckRow extends Listed {
  readonly state: WithdrawalRow["state"];
  readonly blocked: boolean;
  readonly approved_at: Date;
  readonly tried_at: Date | null;
}

/** What may be taken over (`takeOver`), longest waiting first. */
export async function listStuckPayouts(
  db: Db,
  merchantId: string,
  page: OperatorPage,
  given: { readonly wired: readonly string[]; readonly now: Instant },
): Promise<StuckRow[]> {
  const { rows } = await db.query<StuckRow>(
    // The sweep's index covers everything that is on its way, so this finds it.
    `SELECT w.id, w.member_id, m.username, m.blocked, w.method, w.provider, w.destination,
       w.amount_minor, w.currency, w.state, w.approved_at, w.tried_at
     FROM withdrawals w JOIN identity_members m ON m.id = w.member_id
     WHERE w.merchant_id = $1 AND w.look_at IS NOT NULL AND ${IS_STUCK}
       AND (w.approved_at, w.id) > (to_timestamp($4 / 1000.0), $5)
     ORDER BY w.approved_at, w.id LIMIT $6`,
    [merchantId, given.wired, given.now, page.after?.at ?? 0, page.after?.id ?? "", page.limit],
  );
  return rows;
}

/**
 * From now on the pay-out is the operator's, who says how it ended: its provider is neither called
 * for it nor believed. False if it is not on its way, or was taken over before.
 */
export async function takeOver(
  client: pg.ClientBase,
  id: string,
  by: string,
  given: { readonly wired: readonly string[]; readonly now: Instant },
): Promise<boolean> {
  const { rows } = await client.query<{
    merchant_id: string;
    amount_minor: bigint;
    currency: string;
  }>(
    `UPDATE withdrawals w SET taken_over_at = to_timestamp($3 / 1000.0)
     WHERE w.id = $1 AND ${IS_STUCK} RETURNING w.merchant_id, w.amount_minor, w.currency`,
    [id, given.wired, given.now],
  );
  const [taken] = rows;
  if (taken === undefined) return false;
  await client.query(
    `INSERT INTO manual_payouts (withdrawal_id, merchant_id, amount_minor, currency, state,
       queued_at, claimed_by, claimed_at)
     SELECT $1, $2, $3, $4, 'claimed', t.now, $5, t.now
     FROM (SELECT to_timestamp($6 / 1000.0) AS now) t`,
    [id, taken.merchant_id, taken.amount_minor, taken.currency, by, given.now],
  );
  return true;
}

export async function findPayout(db: Db, id: string): Promise<ManualPayout | null> {
  const { rows } = await db.query<ManualPayout>(
    `WITH w AS MATERIALIZED (
       SELECT id, member_id, provider, taken_over_at, tried_at FROM withdrawals WHERE id = $1)
     SELECT ${PAYOUT} FROM manual_payouts q JOIN w ON w.id = q.withdrawal_id`,
    [id],
  );
  return rows[0] ?? null;
}

export async function lockPayout(
  client: pg.ClientBase,
  merchantId: string,
  id: string,
): Promise<ManualPayout | null> {
  const { rowCount } = await client.query(
    "SELECT FROM manual_payouts WHERE withdrawal_id = $1 AND merchant_id = $2 FOR UPDATE",
    [id, merchantId],
  );
  return rowCount === 0 ? null : findPayout(client, id);
}

/** Under `lockPayout`, in the queue: nobody pays it, unless it is let out anew. */
export async function dropPayout(client: pg.ClientBase, id: string): Promise<void> {
  await client.query("DELETE FROM manual_payouts WHERE withdrawal_id = $1", [id]);
}

/**
 * Under `lockPayout`: true if the account was changed since the pay-out was let out and its holder
 * was not told; they count as told from then on. It is no approval: the next operator who claims it
 * is refused.
 */
export async function noteChangeTold(client: pg.ClientBase, id: string): Promise<boolean> {
  // As text, which has the microseconds.
  const { rows } = await client.query<{ changed_at: string | null }>(
    `SELECT ${accountChangedAt("w")}::text AS changed_at
     FROM withdrawals w JOIN identity_members m ON m.id = w.member_id
     WHERE w.id = $1 AND ${IS_CHANGED}`,
    [id],
  );
  if (rows[0] === undefined) return false;
  const { rowCount } = await client.query(
    `UPDATE manual_payouts SET change_told_at = $2::timestamptz
     WHERE withdrawal_id = $1 AND change_told_at IS DISTINCT FROM $2::timestamptz`,
    [id, rows[0].changed_at],
  );
  return rowCount === 1;
}

export type PayoutChange = Partial<
  Pick<
    ManualPayout,
    "state" | "claimed_by" | "bank_reference" | "bank_key" | "marked_by" | "confirmed_by" | "reason"
  >
>;

/** Writes the payout after a change, under `lockPayout`; its earlier holder is recorded. */
export async function writePayout(
  client: pg.ClientBase,
  before: ManualPayout,
  change: PayoutChange,
  at: Instant,
): Promise<void> {
  const row = { ...before, ...change };
  if (before.claimed_by !== null && row.claimed_by === null) {
    await client.query(
      `INSERT INTO payout_releases AS r
       SELECT withdrawal_id, claimed_by, claimed_at, to_timestamp($2 / 1000.0)
       FROM manual_payouts WHERE withdrawal_id = $1
       ON CONFLICT (withdrawal_id, claimed_by) DO UPDATE SET released_at = excluded.released_at`,
      [row.withdrawal_id, at],
    );
  }
  await client.query(
    `UPDATE manual_payouts SET state = $2, claimed_by = $3, bank_reference = $4, bank_key = $5,
       paid_key = $5, marked_by = $6, confirmed_by = $7, reason = $8,
       claimed_at = CASE WHEN claimed_by IS DISTINCT FROM $3 THEN to_timestamp($9 / 1000.0) ELSE claimed_at END,
       marked_at = CASE WHEN $2 IN ('marked', 'marked_failed', 'marked_released')
         THEN to_timestamp($9 / 1000.0) ELSE marked_at END,
       ended_at = CASE WHEN $2 IN ('paid', 'failed') THEN to_timestamp($9 / 1000.0) END
     WHERE withdrawal_id = $1`,
    [
      row.withdrawal_id,
      row.state,
      row.claimed_by,
      row.bank_reference,
      row.bank_key,
      row.marked_by,
      row.confirmed_by,
      row.reason,
      at,
    ],
  );
  await client.query("UPDATE withdrawals SET look_at = to_timestamp($2 / 1000.0) WHERE id = $1", [
    row.withdrawal_id,
    at,
  ]);
}

export interface WaitingPayoutRow extends ManualPayout {
  readonly username: string;
  readonly blocked: boolean;
  /** Since it was let out, which nobody knew then. */
  readonly account_changed: boolean;
  readonly method: string;
  readonly destination: string;
  readonly claimer: string | null;
  readonly marker: string | null;
}

export async function listWaitingPayouts(
  db: Db,
  merchantId: string,
  page: OperatorPage,
): Promise<WaitingPayoutRow[]> {
  const { rows } = await db.query<WaitingPayoutRow>(
    `WITH w AS MATERIALIZED (
       SELECT w.id, w.member_id, w.provider, w.taken_over_at, w.tried_at, w.method, w.destination,
         m.username, m.blocked, ${IS_CHANGED} AS account_changed
       FROM withdrawals w JOIN identity_members m ON m.id = w.member_id
       WHERE w.id IN (
         SELECT q.withdrawal_id FROM manual_payouts q
         WHERE q.merchant_id = $1
           AND q.state IN ('queued', 'claimed', 'marked', 'marked_failed', 'marked_released')
           AND (q.queued_at, q.withdrawal_id) > (to_timestamp($2 / 1000.0), $3)
         ORDER BY q.queued_at, q.withdrawal_id LIMIT $4))
     SELECT ${PAYOUT}, w.username, w.blocked, w.account_changed, w.method, w.destination,
       c.name AS claimer, k.name AS marker
     FROM manual_payouts q JOIN w ON w.id = q.withdrawal_id
       LEFT JOIN operators_names c ON c.id = q.claimed_by
       LEFT JOIN operators_names k ON k.id = q.marked_by
     ORDER BY q.queued_at, q.withdrawal_id`,
    [merchantId, page.after?.at ?? 0, page.after?.id ?? "", page.limit],
  );
  return rows;
}
