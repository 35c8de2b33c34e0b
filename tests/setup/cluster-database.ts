import pg from "pg";
import { databaseOn, dropDatabase, inDatabase, onEach, onServer, type Servers } from "./servers.ts";

/**
 * A database of one's own on the coordinator that the URL names, a superuser's, and on its workers.
 * It is one like on any other server until `join` makes it the coordinator's.
 */
export interface ClusterDatabase {
  readonly url: string;
  join(): Promise<void>;
  drop(): Promise<void>;
}

/** Fewer shards than an operator's: each costs a file per index on every start. */
const SHARDS = 4;

export async function createClusterDatabase(
  clusterUrl: string,
  name: string,
): Promise<ClusterDatabase> {
  const database = await clusterDatabase(clusterUrl, name);
  await database.create();
  return database;
}

/** One that is there, or is to be made. */
export async function clusterDatabase(
  clusterUrl: string,
  name: string,
): Promise<ClusterDatabase & { create(): Promise<void> }> {
  const nodes = await nodesOf(clusterUrl);
  const [coordinator = clusterUrl, ...workers] = nodes;
  const url = databaseOn(coordinator, name);
  return {
    url,
    async create() {
      await onEach(nodes, `CREATE DATABASE ${name}`);
      await onServer(coordinator, `ALTER DATABASE ${name} SET citus.shard_count = ${SHARDS}`);
    },
    async join() {
      for (const node of nodes)
        await inDatabase(databaseOn(node, name), ["CREATE EXTENSION citus"]);
      await inDatabase(url, [
        `SELECT citus_set_coordinator_host(${placeOf(coordinator)})`,
        ...workers.map((worker) => `SELECT citus_add_node(${placeOf(worker)})`),
      ]);
    },
    async drop() {
      await dropDatabase(nodes, name);
    },
  };
}

function placeOf(node: string): string {
  const { hostname, port } = new URL(node);
  return `'${hostname}', ${port}`;
}

/** The coordinator first. */
export async function nodesOf(clusterUrl: string): Promise<Servers> {
  const client = new pg.Client({ connectionString: clusterUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ host: string; port: number }>(
      "SELECT nodename AS host, nodeport AS port FROM pg_dist_node ORDER BY groupid",
    );
    return rows.map(({ host, port }) => {
      const url = new URL(clusterUrl);
      url.hostname = host;
      url.port = String(port);
      return url.href;
    });
  } finally {
    await client.end();
  }
}
