import type pg from "pg";
import type { Logger } from "../log.ts";

/** The comment by which a migration marks a table that stands on every node of a cluster. */
const ON_EVERY_NODE = "on every node";
/** What money stands behind is spread like this table, so that one lane is on one node. */
const FIRST = "ledger_accounts";

/** Tables that are not spread yet: those of every node first, since keys of others lead to them. */
const WAITING = `
  SELECT c.relname AS name, placed.everywhere
  FROM pg_class c
  CROSS JOIN LATERAL (SELECT obj_description(c.oid, 'pg_class') IS NOT DISTINCT FROM $1) AS
    placed (everywhere)
  WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace
    AND (placed.everywhere OR EXISTS (
      SELECT FROM pg_attribute a
      WHERE a.attrelid = c.oid AND a.attname = 'lane' AND NOT a.attisdropped))
    AND NOT EXISTS (
      SELECT FROM citus_tables t
      WHERE t.table_name = c.oid AND t.citus_table_type IN ('reference', 'distributed'))
  ORDER BY placed.everywhere DESC, c.relname <> $2, c.relname`;

/**
 * Spreads the tables over a Citus cluster, where the database is the coordinator of one: by lane
 * what has a lane, and to every node what a migration marks so. All else stays on the coordinator.
 * Rows that were there before move with their table. Elsewhere it does nothing.
 */
export async function distribute(client: pg.Client, log: Logger): Promise<void> {
  const { rowCount } = await client.query("SELECT FROM pg_extension WHERE extname = 'citus'");
  if (rowCount === 0) return;
  const { rows } = await client.query<{ name: string; everywhere: boolean }>(WAITING, [
    ON_EVERY_NODE,
    FIRST,
  ]);
  for (const { name, everywhere } of rows) {
    if (everywhere) await client.query("SELECT create_reference_table($1)", [name]);
    else await spread(client, name);
    log.info({ table: name, everywhere }, "spread over the cluster");
  }
}

/** The rows of before are copied to their nodes; what stays behind on the coordinator goes. */
async function spread(client: pg.Client, name: string): Promise<void> {
  await client.query("SELECT create_distributed_table($1, 'lane', colocate_with => $2)", [
    name,
    name === FIRST ? "default" : FIRST,
  ]);
  await client.query("SELECT truncate_local_data_after_distributing_table($1)", [name]);
}
