import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { present } from "@perya/kernel/assert";
import pg from "pg";
import type { TestProject } from "vitest/node";
import { migrateJobs } from "../../apps/server/src/platform/jobs.ts";
import { createLogger } from "../../apps/server/src/platform/log.ts";
import { startEmbedded } from "../../apps/server/src/platform/postgres/embedded.ts";
import { migrate } from "../../apps/server/src/platform/postgres/migrate.ts";
import { createPool } from "../../apps/server/src/platform/postgres/pool.ts";
import { createClusterDatabase, nodesOf } from "./cluster-database.ts";
import { closeDatabase, databaseOn, dropDatabase, onServer, type Servers } from "./servers.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** None when the run has no database. */
    servers: Servers;
    templateDatabase: string;
  }
}

const PREFIX = "perya-test-";

/**
 * One PostgreSQL for the whole run: an embedded one in a temporary folder, or the server that
 * TEST_DATABASE_URL names (a superuser's URL). With TEST_CITUS_URL it is the cluster whose coordinator
 * that URL names, and all databases are spread over it. `TEST_DATABASE_URL=none` starts none, for
 * tests without a database. Tests get copies of the template, which is migrated and has the job tables.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env.TEST_DATABASE_URL ?? "";
  const cluster = process.env.TEST_CITUS_URL ?? "";
  if (given === "none") {
    project.provide("servers", []);
    project.provide("templateDatabase", "");
    return async () => {};
  }
  const { servers, stop } = await serversOf(cluster, given);
  const template = `perya_template_${process.pid}`;
  if (cluster === "") await fillTemplate(present(servers[0], "a server"), template);
  else await fillClusterTemplate(cluster, servers, template);
  project.provide("servers", servers);
  project.provide("templateDatabase", template);
  return () => stop(template);
}

async function serversOf(
  cluster: string,
  given: string,
): Promise<{ servers: Servers; stop(template: string): Promise<void> }> {
  if (cluster === "" && given === "") return startTestServer();
  const servers = cluster === "" ? [given] : await nodesOf(cluster);
  return { servers, stop: (template) => dropTemplates(servers, template) };
}

async function fillTemplate(server: string, template: string): Promise<void> {
  await onServer(server, `CREATE DATABASE ${template}`);
  await migrateAll(databaseOn(server, template));
}

/** It lives alone until it has its tables: the migrations are many times faster there. */
async function fillClusterTemplate(
  cluster: string,
  servers: Servers,
  template: string,
): Promise<void> {
  const database = await createClusterDatabase(cluster, template);
  await migrateAll(database.url);
  await database.join();
  await migrateAll(database.url);
  await closeDatabase(servers, template);
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

async function dropTemplates(servers: Servers, template: string): Promise<void> {
  const client = new pg.Client({ connectionString: present(servers[0], "a server") });
  await client.connect();
  const { rows } = await client.query<{ datname: string }>(
    "SELECT datname FROM pg_database WHERE datname = $1 OR starts_with(datname, $2)",
    [template, filledTemplate(template, "")],
  );
  await client.end();
  for (const { datname } of rows) await dropDatabase(servers, datname);
}

async function startTestServer(): Promise<{ servers: Servers; stop(): Promise<void> }> {
  clearKilledRuns();
  const folder = makeTestFolder();
  const log = createLogger({ level: "warn" });
  const server = await startEmbedded({ dataDir: folder, log, durable: false });
  return {
    servers: [server.url],
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
