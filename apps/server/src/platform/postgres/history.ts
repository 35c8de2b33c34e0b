import type pg from "pg";

/** PostgreSQL counts its timelines in the names of its log's files. */
const NOW = `SELECT (SELECT system_identifier::text FROM pg_control_system()) AS system_identifier,
  ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint AS timeline`;

interface History {
  readonly system_identifier: string;
  readonly timeline: bigint;
}

/**
 * Does what a database needs that goes on from an earlier moment: one that was restored, or a
 * standby that took over and may not have heard of the last commits. Idempotent, and done again
 * until it was done whole. A database that is seen for the first time needs nothing.
 * @returns whether it was another history than the one known
 */
export async function onNewHistory(pool: pg.Pool, renew: () => Promise<void>): Promise<boolean> {
  const { rows } = await pool.query<History>(NOW);
  const [now] = rows;
  if (now === undefined) throw new Error("a database tells its history");
  const known = await pool.query<History>(
    "SELECT system_identifier, timeline FROM database_history",
  );
  const [before] = known.rows;
  const isAnother =
    before !== undefined &&
    (before.system_identifier !== now.system_identifier || before.timeline !== now.timeline);
  if (isAnother) await renew();
  if (isAnother || before === undefined) {
    await pool.query(
      `INSERT INTO database_history (system_identifier, timeline, noted_at)
       VALUES ($1, $2, now())
       ON CONFLICT (is_only) DO UPDATE SET system_identifier = excluded.system_identifier,
         timeline = excluded.timeline, noted_at = excluded.noted_at`,
      [now.system_identifier, now.timeline.toString()],
    );
  }
  return isAnother;
}
