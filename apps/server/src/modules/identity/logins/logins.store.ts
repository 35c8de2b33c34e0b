import { DAY_MS, type Instant } from "@perya/kernel/instant";
import type pg from "pg";
import { eachByItself } from "../../../platform/each-by-itself.ts";
import type { TimeAndId } from "../../../platform/http/cursor.ts";
import type { Db } from "../../../platform/postgres/pool.ts";
import { sweep } from "../../../platform/postgres/sweep.ts";

/** The longest memory of the login gate's policies. */
const FAILURES_KEPT_MS = DAY_MS;
const LOGINS_KEPT_MS = 365 * DAY_MS;

export interface Failures {
  readonly failures: number;
  readonly lastAt: Instant;
}

export async function readFailures(
  db: Db,
  merchantId: string,
  subjects: readonly string[],
): Promise<ReadonlyMap<string, Failures>> {
  const { rows } = await db.query<{ subject: string; failures: number; last_at: Date }>(
    `SELECT subject, failures, last_at FROM login_failures
     WHERE merchant_id = $1 AND subject = ANY ($2::text[])`,
    [merchantId, subjects],
  );
  return new Map(
    rows.map((row) => [row.subject, { failures: row.failures, lastAt: row.last_at.getTime() }]),
  );
}

/** Locks the subjects' rows in one order, inserts missing ones, and answers them. */
export async function lockFailures(
  client: pg.ClientBase,
  merchantId: string,
  subjects: readonly string[],
): Promise<ReadonlyMap<string, Failures>> {
  const { rows } = await client.query<{ subject: string; failures: number; last_at: Date }>(
    `INSERT INTO login_failures AS f (merchant_id, subject, failures, last_at)
     SELECT $1, subject, 0, to_timestamp(0) FROM unnest($2::text[]) AS subject ORDER BY subject
     ON CONFLICT (merchant_id, subject) DO UPDATE SET failures = f.failures
     RETURNING subject, failures, last_at`,
    [merchantId, subjects],
  );
  return new Map(
    rows.map((row) => [row.subject, { failures: row.failures, lastAt: row.last_at.getTime() }]),
  );
}

export async function countTries(
  client: pg.ClientBase,
  merchantId: string,
  counted: readonly { readonly subject: string; readonly failures: number }[],
  at: Instant,
): Promise<void> {
  await client.query(
    `UPDATE login_failures f
     SET failures = counted.failures, last_at = to_timestamp($4 / 1000.0)
     FROM unnest($2::text[], $3::int[]) AS counted (subject, failures)
     WHERE f.merchant_id = $1 AND f.subject = counted.subject`,
    [
      merchantId,
      counted.map(({ subject }) => subject),
      counted.map(({ failures }) => failures),
      at,
    ],
  );
}

export async function uncountTry(
  db: Db,
  merchantId: string,
  subjects: readonly string[],
): Promise<void> {
  // In the order in which a try locks them; otherwise the two could deadlock.
  await db.query(
    `UPDATE login_failures f SET failures = greatest(f.failures - 1, 0)
     FROM (SELECT merchant_id, subject FROM login_failures
           WHERE merchant_id = $1 AND subject = ANY ($2) ORDER BY subject FOR UPDATE) locked
     WHERE f.merchant_id = locked.merchant_id AND f.subject = locked.subject`,
    [merchantId, subjects],
  );
}

export async function forgetFailures(
  db: Db,
  merchantId: string,
  subjects: readonly string[],
): Promise<void> {
  await db.query("DELETE FROM login_failures WHERE merchant_id = $1 AND subject = ANY ($2)", [
    merchantId,
    subjects,
  ]);
}

export interface NewLoginEvent {
  readonly id: string;
  readonly merchantId: string;
  readonly memberId: string | null;
  readonly method: string;
  readonly outcome: "done" | "wrong" | "second_factor_wrong" | "refused";
  readonly address: string;
  readonly userAgent: string;
}

export async function insertLoginEvent(db: Db, event: NewLoginEvent, at: Instant): Promise<void> {
  await db.query(
    `INSERT INTO login_events (id, merchant_id, member_id, method, outcome, address, user_agent, at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, to_timestamp($8 / 1000.0))`,
    [
      event.id,
      event.merchantId,
      event.memberId,
      event.method,
      event.outcome,
      event.address,
      event.userAgent,
      at,
    ],
  );
}

export interface LoginEventRow {
  readonly id: string;
  readonly method: string;
  readonly outcome: NewLoginEvent["outcome"];
  readonly address: string;
  readonly userAgent: string;
  readonly at: Date;
}

export async function listLogins(
  db: Db,
  memberId: string,
  after: TimeAndId | null,
  limit: number,
): Promise<LoginEventRow[]> {
  const { rows } = await db.query<LoginEventRow>(
    `SELECT id, method, outcome, address, user_agent AS "userAgent", at FROM login_events
     WHERE member_id = $1
       AND ($2::bigint IS NULL OR (at, id) < (to_timestamp($2 / 1000.0), $3))
     ORDER BY at DESC, id DESC LIMIT $4`,
    [memberId, after?.at ?? null, after?.id ?? null, limit],
  );
  return rows;
}

/** A job runs this: it deletes what had its time (docs/kept-times.md). */
export function sweepLogins(pool: pg.Pool, at: Instant): Promise<void> {
  const forgottenBefore = at - FAILURES_KEPT_MS;
  const known = { table: "login_events", by: "at", where: "member_id IS NOT NULL" };
  const unknown = { table: "login_events", by: "at", where: "member_id IS NULL" };
  return eachByItself({
    failures: () => sweep(pool, { table: "login_failures", by: "last_at" }, forgottenBefore),
    "log-ins of nobody": () => sweep(pool, unknown, forgottenBefore),
    "log-ins of members": () => sweep(pool, known, at - LOGINS_KEPT_MS),
  });
}
