import type pg from "pg";
import { isOnCluster } from "../setup/test-database.ts";

const HERE = `SELECT FROM pg_stat_activity a
  WHERE datname = current_database() AND wait_event_type = 'Lock'`;
/** What waits on a node waits for the session at the coordinator that sent it there. */
const ON_NODES = `WITH sessions AS MATERIALIZED (SELECT * FROM citus_stat_activity)
  SELECT FROM sessions a WHERE datname = current_database() AND NOT is_worker_query
    AND EXISTS (SELECT FROM sessions w
      WHERE w.global_pid = a.global_pid AND w.wait_event_type = 'Lock')`;

/** How many sessions of this database wait for a lock: all, or those of a name or a statement. */
export async function lockWaits(
  db: pg.Pool | pg.ClientBase,
  { application = "%", statement = "%" }: { application?: string; statement?: string } = {},
): Promise<number> {
  const { rowCount } = await db.query(
    `${isOnCluster() ? ON_NODES : HERE} AND a.application_name LIKE $1 AND a.query LIKE $2`,
    [application, statement],
  );
  return rowCount ?? 0;
}
