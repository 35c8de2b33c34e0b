import pg from "pg";
import { databaseOn, onServer } from "./postgres.ts";

interface Node {
  readonly host: string;
  readonly port: number;
  readonly isCoordinator: boolean;
}

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
  const urlOf = ({ host, port }: Node) => {
    const url = new URL(databaseOn(clusterUrl, name));
    url.hostname = host;
    url.port = String(port);
    return url.href;
  };
  const url = databaseOn(clusterUrl, name);
  return {
    url,
    async create() {
      for (const node of nodes) await onServer(urlOf(node), `CREATE DATABASE ${name}`);
      await onServer(clusterUrl, `ALTER DATABASE ${name} SET citus.shard_count = ${SHARDS}`);
    },
    async join() {
      for (const node of nodes) await inDatabaseAt(urlOf(node), ["CREATE EXTENSION citus"]);
      const added = nodes.map(({ host, port, isCoordinator }) =>
        isCoordinator
          ? `SELECT citus_set_coordinator_host('${host}', ${port})`
          : `SELECT citus_add_node('${host}', ${port})`,
      );
      await inDatabaseAt(url, added);
    },
    async drop() {
      for (const node of nodes) {
        await onServer(urlOf(node), `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      }
    },
  };
}

/** The coordinator first. */
async function nodesOf(clusterUrl: string): Promise<Node[]> {
  const client = new pg.Client({ connectionString: clusterUrl });
  await client.connect();
  try {
    const { rows } = await client.query<Node>(
      `SELECT nodename AS host, nodeport AS port, groupid = 0 AS "isCoordinator"
       FROM pg_dist_node ORDER BY groupid`,
    );
    return rows;
  } finally {
    await client.end();
  }
}

async function inDatabaseAt(url: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
