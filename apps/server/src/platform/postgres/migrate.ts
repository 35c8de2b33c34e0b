import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import pg from "pg";
import type { Logger } from "../log.ts";

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

/**
 * Brings the database to the newest migration, forward only, each in its own transaction.
 * Several processes may call it at once: one works, the others wait and find nothing to do.
 * @returns how many were applied
 * @throws Error when an applied migration was edited or is unknown here, or one fails
 */
export async function migrate(
  databaseUrl: string,
  { log, migrations = readMigrations() }: { log: Logger; migrations?: readonly Migration[] },
): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: "perya" });
  await client.connect();
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
