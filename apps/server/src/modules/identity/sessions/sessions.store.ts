import { DAY_MS, type Instant } from "@perya/kernel/instant";
import type pg from "pg";
import type { Db } from "../../../platform/postgres/pool.ts";
import { sweepByKey } from "../../../platform/postgres/sweep.ts";
import type { MemberRow } from "../members/members.store.ts";
import type { SessionMethod } from "./session.ts";

type OfMember = "id" | "merchant_id" | "username" | "nickname" | "type" | "blocked";

export interface SessionRow extends Pick<MemberRow, OfMember> {
  readonly session_id: string;
  readonly currency: string;
  readonly cookie_half_hash: Buffer;
  readonly session_created_at: Date;
  readonly seen_at: Date;
  readonly expires_at: Date;
  readonly ended_at: Date | null;
}

export async function findSession(
  db: Db,
  merchantId: string,
  storageHalfHash: Buffer,
): Promise<SessionRow | null> {
  const { rows } = await db.query<SessionRow>({
    name: "identity_session",
    text: `SELECT s.id AS session_id, s.cookie_half_hash, s.created_at AS session_created_at,
                  s.seen_at, s.expires_at, s.ended_at, b.currency, m.id, m.merchant_id, m.username,
                  m.nickname, m.type, m.blocked
           FROM sessions s JOIN members m ON m.id = s.member_id
                           JOIN brand_merchants b ON b.id = s.merchant_id
           WHERE s.storage_half_hash = $2 AND s.merchant_id = $1 AND m.merchant_id = $1`,
    values: [merchantId, storageHalfHash],
  });
  return rows[0] ?? null;
}

export interface NewSession {
  readonly id: string;
  readonly merchantId: string;
  readonly memberId: string;
  readonly storageHalfHash: Buffer;
  readonly cookieHalfHash: Buffer;
  readonly userAgent: string;
  readonly address: string;
  readonly method: SessionMethod;
  readonly expiresAt: Instant;
}

export async function insertSession(db: Db, session: NewSession, at: Instant): Promise<void> {
  await db.query(
    `INSERT INTO sessions (id, merchant_id, member_id, storage_half_hash, cookie_half_hash,
       user_agent, address, method, created_at, seen_at, expires_at)
     SELECT $1, $2, $3, $4, $5, $6, $7, $8, t.now, t.now, to_timestamp($10 / 1000.0)
     FROM (SELECT to_timestamp($9 / 1000.0) AS now) AS t`,
    [
      session.id,
      session.merchantId,
      session.memberId,
      session.storageHalfHash,
      session.cookieHalfHash,
      session.userAgent,
      session.address,
      session.method,
      at,
      session.expiresAt,
    ],
  );
}

export async function touchSession(db: Db, id: string, at: Instant): Promise<void> {
  await db.query("UPDATE sessions SET seen_at = to_timestamp($2 / 1000.0) WHERE id = $1", [id, at]);
}

/** By itself, unless its owner ends it from elsewhere. */
export async function endSession(
  db: Db,
  id: string,
  at: Instant,
  isByOwner = false,
): Promise<void> {
  await db.query(
    `UPDATE sessions SET ended_at = to_timestamp($2 / 1000.0), ended_by_owner = $3
     WHERE id = $1 AND ended_at IS NULL`,
    [id, at, isByOwner],
  );
}

/** Ends the session whose cookie half the browser shows; answers its id, if any. */
export async function endSessionByCookie(
  db: Db,
  merchantId: string,
  cookieHalfHash: Buffer,
  at: Instant,
): Promise<string | null> {
  const { rows } = await db.query<{ id: string }>(
    `UPDATE sessions SET ended_at = to_timestamp($3 / 1000.0)
     WHERE cookie_half_hash = $2 AND merchant_id = $1 AND ended_at IS NULL RETURNING id`,
    [merchantId, cookieHalfHash, at],
  );
  return rows[0]?.id ?? null;
}

/** Ends all sessions of a member but one, as their owner does from elsewhere; answers which. */
export async function endSessionsOf(
  db: Db,
  memberId: string,
  except: string | null,
  at: Instant,
): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `UPDATE sessions SET ended_at = to_timestamp($3 / 1000.0), ended_by_owner = true
     WHERE member_id = $1 AND ended_at IS NULL AND id IS DISTINCT FROM $2 RETURNING id`,
    [memberId, except, at],
  );
  return rows.map((row) => row.id);
}

export interface OpenSession {
  readonly id: string;
  readonly method: string;
  readonly address: string;
  readonly userAgent: string;
  readonly createdAt: Instant;
  readonly seenAt: Instant;
}

/**
 * In SQL, true if no session began it, or if nobody has ended the session that did. Checked when the
 * thing is used, so that nothing outlives its session, however that ended and whatever began at that
 * moment. A session that expired unused was not ended: its link may lie in an inbox overnight. For a
 * SELECT alone: a cluster refuses it in a change of a table that is on the coordinator.
 */
export function whileSessionIsOpen(sessionId: string): string {
  return `(${sessionId} IS NULL OR EXISTS (
    SELECT FROM sessions s WHERE s.id = ${sessionId} AND s.ended_at IS NULL))`;
}

/** The same by itself, after a change that took the thing. */
export async function isSessionOpen(db: Db, id: string | null): Promise<boolean> {
  return id === null || (await readIsOpen(db, id));
}

/**
 * The same in a step of the ledger, for what a session requests there: its row is present only if
 * nobody has ended it. A session that was never stored, as the demo's, was not ended.
 */
export const sessionIsOpen = {
  sql: `SELECT FROM jsonb_to_recordset($1) AS u(session_id text)
        WHERE NOT EXISTS (
          SELECT FROM sessions s WHERE s.id = u.session_id AND s.ended_at IS NOT NULL)`,
  mustAffectEach: true,
} as const;

/**
 * In SQL, when the owner of a session ended it from elsewhere, null if nobody did: a session that
 * they do not know may have requested what they did not. Neither a log-out of the session itself
 * nor another log-in in its browser counts.
 */
export function endedByOwnerAt(sessionId: string): string {
  return `(SELECT s.ended_at FROM identity_sessions s WHERE s.id = ${sessionId} AND s.ended_by_owner)`;
}

/** Nobody reads a list to its end; sessions that belong to no member come from bots. */
const LISTED_MAX = 100;

export async function listSessions(
  pool: pg.Pool,
  memberId: string,
  at: Instant,
  idleSince: Instant,
): Promise<OpenSession[]> {
  const { rows } = await pool.query<
    Omit<OpenSession, "createdAt" | "seenAt"> & { created_at: Date; seen_at: Date }
  >(
    `SELECT id, method, address, user_agent AS "userAgent", created_at, seen_at FROM sessions
     WHERE member_id = $1 AND ended_at IS NULL AND expires_at > to_timestamp($2 / 1000.0)
       AND seen_at >= to_timestamp($3 / 1000.0)
     ORDER BY seen_at DESC, id DESC LIMIT $4`,
    [memberId, at, idleSince, LISTED_MAX],
  );
  return rows.map(({ created_at, seen_at, ...row }) => {
    return { ...row, createdAt: created_at.getTime(), seenAt: seen_at.getTime() };
  });
}

/**
 * When the player last proved who they are in a session. For an account with nothing to prove by,
 * the log-in counts as a proof until another is noted. The beginning of time if there is none, and
 * for a session that has ended.
 */
export async function readProvenAt(db: Db, id: string): Promise<Instant> {
  const { rows } = await db.query<{ proven_at: Date | null }>(
    `SELECT coalesce(s.proven_at, CASE
       WHEN m.password_hash IS NULL AND m.payment_password_hash IS NULL AND NOT EXISTS (
         SELECT FROM member_totp t WHERE t.member_id = m.id AND t.confirmed_at IS NOT NULL)
       THEN s.created_at END) AS proven_at
     FROM sessions s JOIN members m ON m.id = s.member_id
     WHERE s.id = $1 AND s.ended_at IS NULL`,
    [id],
  );
  return rows[0]?.proven_at?.getTime() ?? 0;
}

export async function readIsOpen(db: Db, id: string): Promise<boolean> {
  const { rowCount } = await db.query("SELECT FROM sessions WHERE id = $1 AND ended_at IS NULL", [
    id,
  ]);
  return rowCount === 1;
}

export async function writeProvenAt(db: Db, id: string, at: Instant): Promise<void> {
  await db.query("UPDATE sessions SET proven_at = to_timestamp($2 / 1000.0) WHERE id = $1", [
    id,
    at,
  ]);
}

export async function readEnded(
  pool: pg.Pool,
  ids: readonly string[],
  at: Instant,
  idleSince: Instant,
): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>({
    name: "identity_sessions_ended",
    text: `SELECT given.id FROM unnest($1::text[]) AS given (id)
           WHERE NOT EXISTS (
             SELECT FROM sessions s
             WHERE s.id = given.id AND s.ended_at IS NULL
               AND s.expires_at > to_timestamp($2 / 1000.0)
               AND s.seen_at >= to_timestamp($3 / 1000.0))`,
    values: [ids, at, idleSince],
  });
  return rows.map(({ id }) => id);
}

export async function deleteSessionsOf(client: pg.ClientBase, memberId: string): Promise<void> {
  await client.query("DELETE FROM sessions WHERE member_id = $1", [memberId]);
}

/** For so long an expired session shows its member and the house who was in, and from where. */
const KEPT_MS = 30 * DAY_MS;

export async function sweepSessions(pool: pg.Pool, at: Instant): Promise<void> {
  await sweepByKey(pool, { table: "sessions", by: "expires_at", key: "id" }, at - KEPT_MS);
}
