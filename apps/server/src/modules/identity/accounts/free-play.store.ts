import type { Instant } from "@perya/kernel/instant";
import type pg from "pg";
import { TRIAL_TYPE } from "../members/member-type.ts";

/** Free-play accounts that nobody has used since and that no run has looked at, oldest first. */
export async function findUnusedTrials(
  pool: pg.Pool,
  since: Instant,
  limit: number,
): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `SELECT id FROM members m
     WHERE type = ${TRIAL_TYPE} AND trial_kept IS NULL AND created_at <= to_timestamp($1 / 1000.0)
       AND NOT EXISTS (SELECT FROM sessions s
                       WHERE s.member_id = m.id AND s.seen_at > to_timestamp($1 / 1000.0))
     ORDER BY created_at, id LIMIT $2`,
    [since, limit],
  );
  return rows.map(({ id }) => id);
}
