import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { SECOND_MS } from "@perya/kernel/instant";
import pg from "pg";
import type { Logger } from "../log.ts";
import { isUnavailable } from "./pool.ts";

export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

/** Any number will do as long as every Perya uses the same. */
const LOCK_KEY = 7_270_419;
/** Another process may be running a long migration; then this one waits its turn. */
const LOCK_TIMEOUT_MS = 120_000;
/** A database that starts together with the server is ordinary, and a little later. */
const PATIENCE_MS = 30 * SECOND_MS;
const CONNECT_TIMEOUT_MS = 5 * SECOND_MS;
const BETWEEN_TRIES_MS = SECOND_MS;

export interface MigrateOptions {
  readonly log: Logger;
  readonly migrations?: readonly Migration[];
  /** Ends the waiting for a database that is not there. */
  readonly stopping?: AbortSignal;
  /** How long a database that is not there is asked again; tests have less patience. */
  readonly patienceMs?: number;
  /** How long one that accepts the connection may say nothing. */
  readonly connectTimeoutMs?: number;
}

/**
 * Brings the database to the newest migration, forward only, each in its own transaction.
 * Several processes may call it at once: one works, the others wait and find nothing to do.
 * A database that is not there yet is asked again for a while.
 * @returns how many were applied; null where `stopping` came before the database did
 * @throws Error when an applied migration was edited or is unknown here, or one fails, and where
 *   the database cannot be reached
 */
export async function migrate(
  databaseUrl: string,
  options: MigrateOptions,
): Promise<number | null> {
  const { log, migrations = readMigrations() } = options;
  const client = await connectInTime(databaseUrl, options);
  if (client === null) return null;
  try {
    await client.query(`SET lock_timeout = ${LOCK_TIMEOUT_MS}`);
    await client.query("SELECT pg_advisory_lock($1)", [LOCK_KEY]);
    await client.query(
      `CREATE TABLE IF NOT EXISTS schema_migrations (
         number integer PRIMARY KEY,
         name text NOT NULL,
         checksum text NOT NULL,
         applied_at timestamptz NOT NULL DEFAULT now()
       )`,
    );
    const pending = pendingOf(migrations, await appliedOf(client));
    for (const migration of pending) {
      await apply(client, migration);
      log.info({ migration: migration.name }, "migrated");
    }
    return pending.length;
  } finally {
    // Ending the session gives the advisory lock back.
    await client.end();
  }
}

/** Null where it is told to stop; what another try cannot mend, a wrong password, is thrown at once. */
async function connectInTime(
  databaseUrl: string,
  {
    log,
    stopping = new AbortController().signal,
    patienceMs = PATIENCE_MS,
    connectTimeoutMs = CONNECT_TIMEOUT_MS,
  }: MigrateOptions,
): Promise<pg.Client | null> {
  const patience = AbortSignal.timeout(patienceMs);
  for (let told = false; !stopping.aborted; told = true) {
    const client = new pg.Client({
      connectionString: databaseUrl,
      application_name: "perya",
      connectionTimeoutMillis: connectTimeoutMs,
      keepAlive: true,
    });
    // A connection that breaks tells its statement; unheard, the event would end us.
    client.on("error", () => undefined);
    try {
      await client.connect();
      return client;
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      const reason = reasonOf(error);
      if (patience.aborted) {
        const seconds = patienceMs / SECOND_MS;
        throw new Error(`the database did not answer for ${seconds} s: ${reason}`, {
          cause: error,
        });
      }
      if (!told) log.warn({ reason }, "the database does not answer yet; it is asked again");
    }
    await sleep(BETWEEN_TRIES_MS, undefined, { signal: stopping }).catch(() => undefined);
  }
  return null;
}

/** A name with several addresses fails with all their errors, and no words of its own. */
function reasonOf(error: unknown): string {
  const one = error instanceof AggregateError ? error.errors[0] : error;
  return one instanceof Error ? one.message : String(one);
}

interface Applied {
  readonly number: number;
  readonly name: string;
  readonly checksum: string;
}

async function appliedOf(client: pg.Client): Promise<Applied[]> {
  const { rows } = await client.query<Applied>(
    "SELECT number, name, checksum FROM schema_migrations ORDER BY number",
  );
  return rows;
}

function pendingOf(migrations: readonly Migration[], applied: readonly Applied[]): Migration[] {
  for (const past of applied) {
    const known = migrations.find(({ number }) => number === past.number);
    if (known === undefined) {
      throw new Error(
        `the database has migration ${past.name}, which this version of Perya does not know; ` +
          "start a version at least as new as the one that wrote it",
      );
    }
    if (known.checksum !== past.checksum) {
      throw new Error(
        `migration ${known.name} was edited after it had been applied; ` +
          "restore it and write the change as a new migration",
      );
    }
  }
  return migrations.filter(({ number }) => !applied.some((past) => past.number === number));
}

async function apply(client: pg.Client, { number, name, sql, checksum }: Migration): Promise<void> {
  await client.query("BEGIN");
  try {
    await client.query(sql);
    await client.query(
      "INSERT INTO schema_migrations (number, name, checksum) VALUES ($1, $2, $3)",
      [number, name, checksum],
    );
    await client.query("COMMIT");
  } catch (cause) {
    await client.query("ROLLBACK");
    const words = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`migration ${name} failed: ${words}`, { cause });
  }
}

/**
 * Reads `NNNN_name.sql` files, numbered from 1 without a gap.
 * @throws Error naming a file that breaks the rule
 */
export function readMigrations(folder = migrationsFolder()): Migration[] {
  const files = readdirSync(folder).filter((name) => name.endsWith(".sql"));
  return files.sort().map((file, index) => {
    const number = Number(/^(\d{4})_[a-z0-9_]+\.sql$/.exec(file)?.[1]);
    if (number !== index + 1) {
      throw new Error(`migration ${file}: expected ${String(index + 1).padStart(4, "0")}_name.sql`);
    }
    // A checkout on Windows may change line ends; the statements stay the same.
    const sql = readFileSync(join(folder, file), "utf8").replaceAll("\r\n", "\n");
    return {
      number,
      name: file.slice(0, -".sql".length),
      sql,
      checksum: createHash("sha256").update(sql).digest("hex"),
    };
  });
}

/** The source stands deeper below the server's folder than the bundle in dist, so look upward. */
function migrationsFolder(): string {
  const start = dirname(fileURLToPath(import.meta.url));
  for (let folder = start, up = 0; up < 5; folder = dirname(folder), up++) {
    const candidate = join(folder, "migrations");
    if (existsSync(candidate)) return candidate;
  }
  throw new Error(`no migrations folder above ${start}`);
}
