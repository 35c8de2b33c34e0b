import type { Instant } from "@perya/kernel/instant";
import type pg from "pg";

export interface OpenSession {
  readonly id: string;
  readonly method: string;
  readonly address: string;
  readonly userAgent: string;
  readonly createdAt: Instant;
  readonly seenAt: Instant;
}

/** A list that nobody reads to its end; the sessions of a member that is none would be a bot's. */
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

/** The beginning of time for a session that has ended. */
export async function readFreshAt(pool: pg.Pool, id: string): Promise<Instant> {
  const { rows } = await pool.query<{ fresh_at: Date }>(
    "SELECT fresh_at FROM sessions WHERE id = $1 AND ended_at IS NULL",
    [id],
  );
  return rows[0]?.fresh_at.getTime() ?? 0;
}

export async function writeFreshAt(pool: pg.Pool, id: string, at: Instant): Promise<void> {
  await pool.query("UPDATE sessions SET fresh_at = to_timestamp($2 / 1000.0) WHERE id = $1", [
    id,
    at,
  ]);
}

/** Of many sessions those that can be used no more, in one statement. */
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
