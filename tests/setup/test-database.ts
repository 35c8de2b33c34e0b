import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { present } from "@perya/kernel/assert";
import pg from "pg";
import { afterAll, inject } from "vitest";
import { createLogger } from "../../apps/server/src/platform/log.ts";
import {
  type EmbeddedPostgres,
  startEmbedded,
} from "../../apps/server/src/platform/postgres/embedded.ts";
import { migrate } from "../../apps/server/src/platform/postgres/migrate.ts";
import { createPool } from "../../apps/server/src/platform/postgres/pool.ts";
import { filledTemplate, makeTestFolder, postmasterOf } from "./postgres.ts";
import { killTree } from "./process-tree.ts";
import { closeDatabase, copyDatabase, databaseOn, dropDatabase, onEach } from "./servers.ts";

const POOL_SIZE = 10;

/** Whether this run's databases are spread over a cluster. */
export function isOnCluster(): boolean {
  return inject("servers").length > 1;
}

export interface TestDatabase {
  readonly url: string;
  readonly pool: pg.Pool;
  /** Ends the pool and removes the database. */
  drop(): Promise<void>;
}

/**
 * A separate database: migrated and empty, copied from the run's template in some 30 ms, or a copy
 * of one that `fill` has filled when this run first asked for it.
 */
export async function createTestDatabase(filled?: Filling): Promise<TestDatabase> {
  const servers = inject("servers");
  const [server] = servers;
  if (server === undefined) throw new Error("this run has no database (TEST_DATABASE_URL=none)");
  const template = filled === undefined ? inject("templateDatabase") : await fillOnce(filled);
  const name = `perya_test_${randomBytes(6).toString("hex")}`;
  await copyDatabase(servers, template, name);
  const url = databaseOn(server, name);
  const pool = createPool(url, { max: POOL_SIZE, log: createLogger({ level: "silent" }) });
  return {
    url,
    pool,
    drop: async () => {
      await pool.end();
      await dropDatabase(servers, name);
    },
  };
}

/** The database of a whole test file: it is dropped after the file's tests. */
export async function databaseOfFile(filled?: Filling): Promise<TestDatabase> {
  const db = await createTestDatabase(filled);
  afterAll(db.drop);
  return db;
}

/** The contents of a database that is filled once per run. */
export interface Filling {
  /** Only letters; part of the database's name. */
  readonly name: string;
  /** It must leave no connection open. */
  readonly fill: (url: string) => Promise<void>;
}

/** The filled template's name; the first of all test files that ask at once fills it. */
async function fillOnce({ name, fill }: Filling): Promise<string> {
  const servers = inject("servers");
  const server = present(servers[0], "a server");
  const filled = filledTemplate(inject("templateDatabase"), name);
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    await client.query("SELECT pg_advisory_lock(hashtext($1))", [filled]);
    const { rowCount } = await client.query("SELECT FROM pg_database WHERE datname = $1", [filled]);
    if (rowCount === 0) {
      // It has another name until it is complete: a failed fill leaves nothing to copy.
      const unfinished = `${filled}_${randomBytes(4).toString("hex")}`;
      await copyDatabase(servers, inject("templateDatabase"), unfinished);
      await fill(databaseOn(server, unfinished));
      await closeDatabase(servers, unfinished);
      await onEach(servers, `ALTER DATABASE ${unfinished} RENAME TO ${filled}`);
    }
  } finally {
    await client.end();
  }
  return filled;
}

export interface KillablePostgres {
  /** The address, the same before and after a restart. */
  readonly url: string;
  /** SIGKILL of the postmaster and all its processes at once, like a power cut. */
  kill(): Promise<void>;
  /** Starts it again on the same port and folder; recovery replays all acknowledged commits. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** A separate durable (fsync on), migrated server, for tests that kill it. */
export async function startKillablePostgres(): Promise<KillablePostgres> {
  const dataDir = makeTestFolder();
  const log = createLogger({ level: "silent" });
  let server: EmbeddedPostgres = await startEmbedded({ dataDir, log });
  const { url } = server;
  const port = Number(new URL(url).port);
  await migrate(url, { log });
  return {
    url,
    kill: async () => {
      const postmaster = postmasterOf(join(dataDir, "postgres", "cluster"));
      if (postmaster !== server.pid) throw new Error("the server to kill does not run");
      killTree(postmaster);
      await server.ended;
    },
    restart: async () => {
      server = await startEmbedded({ dataDir, log, port });
    },
    stop: async () => {
      await server.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
