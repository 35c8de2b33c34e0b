import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

/**
 * The servers of which each has a database of the same name: one PostgreSQL, or the nodes of a
 * cluster, the coordinator first. Each is a superuser's URL.
 */
export type Servers = readonly string[];

const TRIES = 20;
/** How long a session may take to its end. */
const END_MS = 5_000;

export function databaseOn(serverUrl: string, database: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.toString();
}

/** Runs one statement on the server's own database, as CREATE DATABASE requires. */
export async function onServer(serverUrl: string, statement: string): Promise<void> {
  await inDatabase(databaseOn(serverUrl, "postgres"), [statement]);
}

export async function inDatabase(url: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

export async function onEach(servers: Servers, statement: string): Promise<void> {
  await Promise.all(servers.map((server) => onServer(server, statement)));
}

export async function dropDatabase(servers: Servers, name: string): Promise<void> {
  const statement = `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`;
  await Promise.all(servers.map((server) => onceFree(server, statement)));
}

/**
 * A copy on each server. Those of a cluster's database are again its coordinator's and its workers':
 * Citus notes hosts and ports, and never the name of the database.
 */
export async function copyDatabase(servers: Servers, from: string, name: string): Promise<void> {
  // Copying files is a sixth of the work of writing each page to the log.
  const statement = `CREATE DATABASE ${name} TEMPLATE ${from} STRATEGY FILE_COPY`;
  await Promise.all(servers.map((server) => onceFree(server, statement)));
}

/**
 * Retries: PostgreSQL refuses to copy a template during another copy of it, and Citus may be just
 * about to look after a database that goes.
 */
async function onceFree(server: string, statement: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await onServer(server, statement);
    } catch (error) {
      const busy = error instanceof Error && "code" in error && error.code === "55006";
      if (!busy || tries === TRIES) throw error;
      await sleep(50 * tries);
    }
  }
}

/**
 * Makes a template of a database: nobody enters it any more, and the sessions with which Citus looks
 * after a database end, as nothing can be copied that has a session.
 */
export async function closeDatabase(servers: Servers, name: string): Promise<void> {
  await onEach(servers, `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
  await onEach(
    servers,
    `SELECT pg_terminate_backend(pid, ${END_MS}) FROM pg_stat_activity WHERE datname = '${name}'`,
  );
}
