import type { Instant } from "@perya/kernel/instant";
import type pg from "pg";

type Db = pg.Pool | pg.ClientBase;

export interface OpenSession {
  readonly id: string;
  readonly method: string;
  readonly address: string;
  readonly userAgent: string;
  readonly createdAt: Instant;
  readonly seenAt: Instant;
}

/**
 * True if no session began it, or if nobody has ended the session that did. Checked when the thing
 * is used, so that nothing outlives its session, however that ended and whatever began at that
 * moment. A session that expired unused was not ended: its link may lie in an inbox overnight.
 */
export function whileSessionStands(sessionId: string): string {
  return `(${sessionId} IS NULL OR EXISTS (
    SELECT FROM sessions s WHERE s.id = ${sessionId} AND s.ended_at IS NULL))`;
}

/**
 * The same in a step of the ledger, for what a session requests there: its row is present only if
 * nobody has ended it. A session that was never stored, as the demo's, was not ended.
 */
export const sessionStands = {
  name: "cashier_05_session_stands",
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
  return `(SELECT s.ended_at FROM sessions s WHERE s.id = ${sessionId} AND s.ended_by_owner)`;
}

/** Nobody reads a list to its end; sessions that belong to no member come from bots. */
const LISTED_MAX = 100;

export async function listSessions(
  pool: pg.Pool,
  memberId: string,
  at: Instant,
  idleSince: Instant,
): Promise<OpenSession[]> {
  const { rows } = await pool.query<{
    id: string;
    method: string;
    address: string;
    user_agent: string;
    created_at: Date;
    seen_at: Date;
  }>(
    `SELECT id, method, address, user_agent, created_at, seen_at FROM sessions
     WHERE member_id = $1 AND ended_at IS NULL AND expires_at > to_timestamp($2 / 1000.0)
       AND seen_at >= to_timestamp($3 / 1000.0)
     ORDER BY seen_at DESC, id DESC LIMIT $4`,
    [memberId, at, idleSince, LISTED_MAX],
  );
  return rows.map((row) => ({
    id: row.id,
    method: row.method,
    address: row.address,
    userAgent: row.user_agent,
    createdAt: row.created_at.getTime(),
    seenAt: row.seen_at.getTime(),
  }));
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

/** Whether nobody has ended it. */
export async function readStands(db: Db, id: string): Promise<boolean> {
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

/** Those of many sessions that can no longer be used, in one statement. */
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
