import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createLogger } from "../../apps/server/src/platform/log.ts";
import { migrate } from "../../apps/server/src/platform/postgres/migrate.ts";
import { type ClusterDatabase, createClusterDatabase } from "../setup/cluster-database.ts";

/** A database that lived alone first, with a row of each kind, and joined a cluster then. */
const log = createLogger({ level: "warn" });
let database: ClusterDatabase;
let client: pg.Client;

beforeAll(async () => {
  const url = process.env.TEST_CITUS_URL ?? "";
  database = await createClusterDatabase(url, `perya_distribute_${process.pid}`);
  await migrate(database.url, { log });
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(
    `INSERT INTO ledger_lane_totals (lane, counter_account, currency, amount)
     SELECT lane, 'vendor:BGS', 'PHP', lane FROM generate_series(0, 63) AS l(lane)`,
  );
  await database.join();
  await migrate(database.url, { log });
});

afterAll(async () => {
  await client?.end();
  await database?.drop();
});

it("A table with a lane is spread by it, together with all others that have one", async () => {
  const { rows } = await client.query(
    `SELECT DISTINCT citus_table_type AS type, distribution_column AS by, colocation_id AS together
     FROM citus_tables WHERE table_name IN (
       SELECT attrelid FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
       WHERE attname = 'lane' AND NOT attisdropped AND c.relkind = 'r')`,
  );
  expect(rows).toEqual([{ type: "distributed", by: "lane", together: expect.any(Number) }]);
  expect(await tables("distributed")).toEqual(
    expect.arrayContaining(["deposits", "ledger_accounts", "saranggola_bets", "vendor_rounds"]),
  );
});

it("A table that a migration marks stands on every node", async () => {
  const migrations = filesIn("../../apps/server/migrations");
  const marked = migrations.flatMap((sql) =>
    [...sql.matchAll(/COMMENT ON TABLE (\w+) IS 'on every node'/g)].map(([, name]) => name),
  );
  expect(marked).toContain("members");
  expect(await tables("reference")).toEqual(marked.sort());
});

it("No other table is known to the cluster, as its statements stay as they are", async () => {
  const { rows } = await client.query(
    "SELECT FROM citus_tables WHERE citus_table_type NOT IN ('distributed', 'reference')",
  );
  expect(rows).toEqual([]);
});

it("Earlier rows are kept, and none of them stays behind on the coordinator", async () => {
  const { rows } = await client.query(
    "SELECT count(*)::int AS rows, sum(amount)::int AS sum FROM ledger_lane_totals",
  );
  expect(rows).toEqual([{ rows: 64, sum: (63 * 64) / 2 }]);
  await client.query("SET citus.override_table_visibility TO off");
  const { rows: nodes } = await client.query<{ rows: number }>(
    `SELECT sum(result::int)::int AS rows
     FROM run_command_on_shards('ledger_lane_totals', 'SELECT count(*) FROM %s')`,
  );
  expect(nodes).toEqual([{ rows: 64 }]);
});

it("A foreign key is kept where both of its tables are on the nodes", async () => {
  const keys = await foreignKeys();
  expect(keys).toContain("sessions to members");
  expect(keys).toContain("live_models to games");
  expect(keys).not.toContain("withdrawals to operators");
});

it("A second run changes nothing", async () => {
  const shards = () =>
    client.query("SELECT shardid, table_name::text, nodeport FROM citus_shards ORDER BY 1, 3");
  const { rows: before } = await shards();
  const keys = await foreignKeys();
  expect(before.length).toBeGreaterThan(50);
  expect(await migrate(database.url, { log })).toBe(0);
  expect((await shards()).rows).toEqual(before);
  expect(await foreignKeys()).toEqual(keys);
});

async function foreignKeys(): Promise<string[]> {
  const { rows } = await client.query<{ key: string }>(
    `SELECT conrelid::regclass || ' to ' || confrelid::regclass AS key FROM pg_constraint
     WHERE contype = 'f' ORDER BY key`,
  );
  return rows.map(({ key }) => key);
}

function filesIn(folder: string): string[] {
  const path = fileURLToPath(new URL(folder, import.meta.url));
  return readdirSync(path).map((name) => readFileSync(join(path, name), "utf8"));
}

async function tables(type: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    "SELECT table_name::text AS name FROM citus_tables WHERE citus_table_type = $1 ORDER BY 1",
    [type],
  );
  return rows.map(({ name }) => name);
}
