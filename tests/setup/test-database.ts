import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { inject } from "vitest";
import { createLogger } from "../../apps/server/src/platform/log.ts";
import {
  type EmbeddedPostgres,
  startEmbedded,
} from "../../apps/server/src/platform/postgres/embedded.ts";
import { migrate } from "../../apps/server/src/platform/postgres/migrate.ts";
import { createPool } from "../../apps/server/src/platform/postgres/pool.ts";
import { databaseOn, makeTestFolder, onServer, postmasterOf } from "./postgres.ts";
import { killTree } from "./process-tree.ts";

const POOL_SIZE = 10;

export interface TestDatabase {
  readonly url: string;
  readonly pool: pg.Pool;
  /** Ends the pool and removes the database. */
  drop(): Promise<void>;
}

/** A migrated, empty database of one's own, copied from the run's template in some 30 ms. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const serverUrl = inject("serverUrl");
  if (serverUrl === "") throw new Error("this run has no database (TEST_DATABASE_URL=none)");
  const name = `perya_test_${randomBytes(6).toString("hex")}`;
  await createFromTemplate(serverUrl, name);
  const url = databaseOn(serverUrl, name);
  const pool = createPool(url, { max: POOL_SIZE, log: createLogger({ level: "silent" }) });
  return {
    url,
    pool,
    drop: async () => {
      await pool.end();
      await onServer(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}

/** PostgreSQL refuses to copy a template that another copy is just reading. */
async function createFromTemplate(serverUrl: string, name: string): Promise<void> {
  const statement = `CREATE DATABASE ${name} TEMPLATE ${inject("templateDatabase")}`;
  for (let tries = 1; ; tries++) {
    try {
      return await onServer(serverUrl, statement);
    } catch (error) {
      const busy = error instanceof Error && "code" in error && error.code === "55006";
      if (!busy || tries === 20) throw error;
      await sleep(50 * tries);
    }
  }
}

export interface KillablePostgres {
  /** The same before and after a restart. */
  readonly url: string;
  /** SIGKILL of the postmaster and every process of it at once, as a power cut would. */
  kill(): Promise<void>;
  /** Starts it again on the same port and folder; recovery replays what was acknowledged. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** A durable (fsync on), migrated server of one's own, for tests that kill it. */
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
