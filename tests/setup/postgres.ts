import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import type { TestProject } from "vitest/node";
import { migrateJobs } from "../../apps/server/src/platform/jobs.ts";
import { createLogger } from "../../apps/server/src/platform/log.ts";
import { startEmbedded } from "../../apps/server/src/platform/postgres/embedded.ts";
import { migrate } from "../../apps/server/src/platform/postgres/migrate.ts";
import { createPool } from "../../apps/server/src/platform/postgres/pool.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** Superuser's URL of the run's server; empty when it runs without a database. */
    serverUrl: string;
    templateDatabase: string;
  }
}

const PREFIX = "perya-test-";

/**
 * One PostgreSQL for the whole run: an embedded one in a temporary folder, or the server that
 * TEST_DATABASE_URL names (a superuser's URL). `TEST_DATABASE_URL=none` starts none, for
 * tests without a database. Tests get copies of the template, which is migrated and has the job tables.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env.TEST_DATABASE_URL ?? "";
  if (given === "none") {
    project.provide("serverUrl", "");
    project.provide("templateDatabase", "");
    return async () => {};
  }
  const server = given === "" ? await startTestServer() : { url: given, stop: async () => {} };
  const templateDatabase = `perya_template_${process.pid}`;
  await onServer(server.url, `CREATE DATABASE ${templateDatabase}`);
  await migrateAll(databaseOn(server.url, templateDatabase));
  project.provide("serverUrl", server.url);
  project.provide("templateDatabase", templateDatabase);
  return async () => {
    if (given !== "") await dropTemplates(given, templateDatabase);
    await server.stop();
  };
}

/** Migrates like a start of the server: our own tables, and those of the jobs. */
async function migrateAll(url: string): Promise<void> {
  const log = createLogger({ level: "warn" });
  await migrate(url, { log });
  const pool = createPool(url, { max: 1, log });
  await migrateJobs(pool, log);
  await pool.end();
}

/** The name of a template with this filling. */
export function filledTemplate(template: string, filling: string): string {
  return `${template}_${filling}`;
}

async function dropTemplates(serverUrl: string, template: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  const { rows } = await client.query<{ datname: string }>(
    "SELECT datname FROM pg_database WHERE datname = $1 OR starts_with(datname, $2)",
    [template, filledTemplate(template, "")],
  );
  for (const { datname } of rows) await client.query(`DROP DATABASE ${datname} WITH (FORCE)`);
  await client.end();
}

async function startTestServer(): Promise<{ url: string; stop(): Promise<void> }> {
  clearKilledRuns();
  const folder = makeTestFolder();
  const log = createLogger({ level: "warn" });
  const server = await startEmbedded({ dataDir: folder, log, durable: false });
  return {
    url: server.url,
    stop: async () => {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A temporary folder that PostgreSQL's user can enter. */
export function makeTestFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`));
  chmodSync(folder, 0o755);
  return folder;
}

/** A killed run leaves its server and its folder; the next run clears both. */
function clearKilledRuns(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1];
    if (pid === undefined || isAlive(Number(pid))) continue;
    const folder = join(tmpdir(), name);
    const postmaster = postmasterOf(join(folder, "postgres", "cluster"));
    if (postmaster !== null) process.kill(postmaster, "SIGQUIT");
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

/** The process that serves a cluster, if it still runs; only for Linux, like the test machines. */
export function postmasterOf(cluster: string): number | null {
  try {
    const pid = Number(readFileSync(join(cluster, "postmaster.pid"), "utf8").split("\n")[0]);
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(cluster) ? pid : null;
  } catch {
    return null;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

export function databaseOn(serverUrl: string, database: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.toString();
}

/** Runs one statement on the server's own database, as CREATE DATABASE requires. */
export async function onServer(serverUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseOn(serverUrl, "postgres") });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
