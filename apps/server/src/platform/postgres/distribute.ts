import type pg from "pg";
import type { Logger } from "../log.ts";

/** The comment by which a migration marks a table that stands on every node of a cluster. */
const ON_EVERY_NODE = "on every node";
/** The comment that marks the table like which all others with a lane are placed. */
const SPREAD_FIRST = "spread first";

/**
 * Where each of our tables belongs: on every node, spread by lane, or on the coordinator alone. Citus
 * loses the mark of a table while it brings it to every node.
 */
const PLACES = `
  SELECT c.oid, c.relname AS name, t.citus_table_type AS stands,
    CASE WHEN t.citus_table_type = 'reference'
           OR obj_description(c.oid, 'pg_class') = '${ON_EVERY_NODE}' THEN 'every node'
         WHEN EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid
           AND a.attname = 'lane' AND NOT a.attisdropped) THEN 'by lane'
         ELSE 'coordinator' END AS place,
    coalesce(obj_description(c.oid, 'pg_class') = '${SPREAD_FIRST}', false) AS is_first
  FROM pg_class c LEFT JOIN citus_tables t ON t.table_name = c.oid
  WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace`;

/** Those that are not there yet: those of every node first, since keys of others lead to them. */
const WAITING = `
  SELECT p.name, p.place FROM (${PLACES}) p
  WHERE p.place <> 'coordinator' AND coalesce(p.stands NOT IN ('reference', 'distributed'), true)
  ORDER BY p.place DESC, NOT p.is_first, p.name`;

/** A table that is spread; all are placed alike. */
const SPREAD = `SELECT p.name FROM (${PLACES}) p WHERE p.stands = 'distributed' LIMIT 1`;

const TORN_KEYS = `
  WITH p AS MATERIALIZED (${PLACES})
  SELECT holder.name, k.conname AS key FROM pg_constraint k
  JOIN p holder ON holder.oid = k.conrelid JOIN p target ON target.oid = k.confrelid
  WHERE k.contype = 'f' AND (holder.place = 'coordinator') <> (target.place = 'coordinator')`;

/** Tables of the coordinator with this column. */
const ON_COORDINATOR = `
  SELECT p.name FROM (${PLACES}) p JOIN pg_attribute a ON a.attrelid = p.oid
  WHERE p.place = 'coordinator' AND a.attname = $1 AND NOT a.attisdropped ORDER BY p.name`;

/** What each pool's database is. A server that joins a cluster does so by its next start. */
const known = new WeakMap<pg.Pool | pg.ClientBase, boolean>();

/** Whether the database is the coordinator of a Citus cluster, or a server that may become one. */
export async function isCluster(db: pg.Pool | pg.ClientBase): Promise<boolean> {
  const before = known.get(db);
  if (before !== undefined) return before;
  const { rowCount } = await db.query("SELECT FROM pg_extension WHERE extname = 'citus'");
  known.set(db, rowCount !== 0);
  return rowCount !== 0;
}

/**
 * Spreads the tables over a Citus cluster, where the database is the coordinator of one: by lane
 * what has a lane, and to every node what a migration marks so. All else stays on the coordinator
 * and is what it is without a cluster, which foreign keys to other nodes would change: they go.
 * Rows that were there before move with their table. Elsewhere it does nothing.
 */
export async function distribute(client: pg.Client, log: Logger): Promise<void> {
  if (!(await isCluster(client))) return;
  const { rows: torn } = await client.query<{ name: string; key: string }>(TORN_KEYS);
  for (const { name, key } of torn) {
    await client.query(`ALTER TABLE ${name} DROP CONSTRAINT ${key}`);
  }
  const { rows } = await client.query<{ name: string; place: string }>(WAITING);
  for (const { name, place } of rows) {
    if (place === "every node") await client.query("SELECT create_reference_table($1)", [name]);
    else await spread(client, name);
    log.info({ table: name, place }, "spread over the cluster");
  }
}

/**
 * So that a lane is on one node, the table is placed like one that is spread already. Citus copies the
 * table's rows to their nodes; the copies left on the coordinator go.
 */
async function spread(client: pg.Client, name: string): Promise<void> {
  const { rows } = await client.query<{ name: string }>(SPREAD);
  const like = rows[0]?.name ?? "default";
  await client.query("SELECT create_distributed_table($1, 'lane', colocate_with => $2)", [
    name,
    like,
  ]);
  await client.query("SELECT truncate_local_data_after_distributing_table($1)", [name]);
}

/**
 * On a cluster, whether a row of the coordinator names in that column what is to be deleted on the
 * nodes. Elsewhere a foreign key refuses such a deletion by itself.
 */
export async function isNamedOnCoordinator(
  db: pg.Pool | pg.ClientBase,
  column: string,
  id: string,
): Promise<boolean> {
  if (!(await isCluster(db))) return false;
  const { rows: tables } = await db.query<{ name: string }>(ON_COORDINATOR, [column]);
  const names = tables.map(({ name }) => `EXISTS (SELECT FROM ${name} WHERE ${column} = $1)`);
  const { rows } = await db.query<{ named: boolean }>(
    `SELECT ${["false", ...names].join(" OR ")} AS named`,
    [id],
  );
  return rows[0]?.named === true;
}
