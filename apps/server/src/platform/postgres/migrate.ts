import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { SECOND_MS } from "@perya/kernel/instant";
import pg from "pg";
import type { Logger } from "../log.ts";
import { distribute } from "./distribute.ts";
import { IDLE_TRANSACTION_TIMEOUT_MS, isUnavailable } from "./pool.ts";
import { unhurried, WatchfulClient } from "./watchful-client.ts";

export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

/** Any number will do as long as every Perya uses the same. */
const LOCK_KEY = 7_270_419;
/** Another process may be running a long migration; then this one waits its turn. */
const TURN_PATIENCE_MS = 120 * SECOND_MS;
/**
 * Callers that need a table queue behind the lock that a migration waits for, so it waits for less
 * than a caller's patience, and lets everybody pass before the next try.
 */
const LOCK_TIMEOUT_MS = SECOND_MS;
const BETWEEN_LOCKS_MS = 3 * SECOND_MS;
const LOCK_PATIENCE_MS = 120 * SECOND_MS;
/** A lock that was not given in time, and one that could never have been given. */
const HELD_CODES = new Set(["55P03", "40P01"]);
/** A database that starts together with the server is ordinary, and a little later. */
const PATIENCE_MS = 30 * SECOND_MS;
const CONNECT_TIMEOUT_MS = 5 * SECOND_MS;
/** Of the statements around the migrations, which wait for a lock at most. */
const ANSWER_TIMEOUT_MS = 30 * SECOND_MS;
/**
 * A paused process gives the others its turn, after longer than between two locks; a session with
 * an open transaction ends sooner still.
 */
const IDLE_TIMEOUT_MS = 30 * SECOND_MS;
const BETWEEN_TRIES_MS = SECOND_MS;
/** A statement of a process that is gone ends within this time, and frees its tables. */
const LOOK_FOR_CLIENT_MS = SECOND_MS;
/** How long the request to end a statement may take, over a connection of its own. */
const HANG_UP_MS = 2 * SECOND_MS;

export interface MigrateOptions {
  readonly log: Logger;
  readonly migrations?: readonly Migration[];
  /** Ends the start at once, whatever it waits for; uncommitted work is undone. */
  readonly stopping?: AbortSignal;
  /** Throws if this process must not migrate the database; then nothing is migrated. */
  readonly admit?: (client: pg.Client) => Promise<void>;
  /** How long an absent database is tried again; tests set a shorter time. */
  readonly patienceMs?: number;
  /** How long one that accepts the connection may say nothing. */
  readonly connectTimeoutMs?: number;
  /** How long held tables are tried again. */
  readonly lockPatienceMs?: number;
}

/**
 * Brings the database to the newest migration, forward only, each in its own transaction. Old
 * processes serve meanwhile, so a file never holds for long a table that others read: in a file
 * that alters an existing table nothing slow follows, and what is slow (an index, a copy of rows)
 * is in the next file, or comes before the alteration if that waits for nobody. Several processes
 * may call it at once: one works, the others wait and find nothing to do. A database that is not
 * there yet is tried again for a while, and so is a held table.
 * @returns how many were applied; null if `stopping` came before the end
 * @throws Error if an applied migration was edited or is unknown here, or one fails, and if
 *   the database cannot be reached
 */
export async function migrate(
  databaseUrl: string,
  options: MigrateOptions,
): Promise<number | null> {
  const { stopping = NEVER } = options;
  const client = await connectInTime(databaseUrl, options);
  if (client === null) return null;
  let session: number | null = null;
  let hungUp: Promise<void> | null = null;
  const hangUp = () => {
    const ended = session === null ? Promise.resolve() : endSession(databaseUrl, session);
    hungUp = ended.finally(() => client.end());
  };
  stopping.addEventListener("abort", hangUp, { once: true });
  try {
    stopping.throwIfAborted();
    session = await idOf(client);
    return await migrateOver(client, options);
  } catch (error) {
    if (stopping.aborted) return null;
    throw error;
  } finally {
    stopping.removeEventListener("abort", hangUp);
    await hungUp;
    // Ending the session releases the advisory lock.
    await client.end();
  }
}

/**
 * Ends a session with its present statement: PostgreSQL would go on with it, and with all that
 * follows in its file, for a caller who has hung up. If the request cannot be made in time,
 * PostgreSQL finds out by itself.
 */
async function endSession(databaseUrl: string, session: number): Promise<void> {
  const other = new pg.Client({
    connectionString: databaseUrl,
    application_name: "perya",
    connectionTimeoutMillis: HANG_UP_MS,
    query_timeout: HANG_UP_MS,
  });
  other.on("error", () => undefined);
  try {
    await other.connect();
    await other.query("SELECT pg_terminate_backend($1)", [session]);
  } catch {
    // The request has been made if possible.
  } finally {
    other.end().catch(() => undefined);
  }
}

/** PostgreSQL's own: a proxy in between gives out others. */
async function idOf(client: pg.Client): Promise<number | null> {
  const { rows } = await client.query<{ id: number }>("SELECT pg_backend_pid() AS id");
  return rows[0]?.id ?? null;
}

/** Refused before PostgreSQL 14 and if its machine cannot tell; then a statement goes on. */
async function lookForClient(client: pg.Client): Promise<void> {
  const set = `SET client_connection_check_interval = ${LOOK_FOR_CLIENT_MS}`;
  await client.query(set).catch((error: unknown) => {
    if (!(error instanceof pg.DatabaseError)) throw error;
  });
}

const NEVER = new AbortController().signal;

async function migrateOver(client: pg.Client, options: MigrateOptions): Promise<number> {
  const { log, migrations = readMigrations() } = options;
  await client.query(`SET lock_timeout = ${LOCK_TIMEOUT_MS}`);
  await lookForClient(client);
  await takeTurn(client, options);
  await options.admit?.(client);
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
    await applyInTime(client, migration, options);
    log.info({ migration: migration.name }, "migrated");
  }
  await distribute(client, log);
  return pending.length;
}

/** Waits in many short turns: the statement of a process that ended meanwhile is over soon. */
async function takeTurn(client: pg.Client, { log }: MigrateOptions): Promise<void> {
  const patience = AbortSignal.timeout(TURN_PATIENCE_MS);
  for (let told = false; ; told = true) {
    try {
      await client.query("SELECT pg_advisory_lock($1)", [LOCK_KEY]);
      return;
    } catch (error) {
      if (!isHeld(error) || patience.aborted) throw error;
      if (!told) log.info("another process migrates the database; its end is waited for");
    }
  }
}

/** Tries again while somebody holds what it needs, for as long as there is patience. */
async function applyInTime(
  client: pg.Client,
  migration: Migration,
  { log, stopping = NEVER, lockPatienceMs = LOCK_PATIENCE_MS }: MigrateOptions,
): Promise<void> {
  const patience = AbortSignal.timeout(lockPatienceMs);
  for (let tries = 1; ; tries++) {
    try {
      return await apply(client, migration);
    } catch (error) {
      if (!isHeld(error) || patience.aborted) throw error;
      log.warn(
        { migration: migration.name, tries, reason: reasonOf(error) },
        "somebody holds a table that a migration needs; it is tried again",
      );
    }
    await sleep(BETWEEN_LOCKS_MS, undefined, { signal: stopping });
  }
}

function isHeld(error: unknown): boolean {
  const causes = error instanceof Error ? [error, error.cause] : [];
  return causes.some((one) => one instanceof pg.DatabaseError && HELD_CODES.has(one.code ?? ""));
}

/** Null if it is told to stop; errors that no other try mends, as a wrong password, are thrown. */
async function connectInTime(
  databaseUrl: string,
  {
    log,
    stopping = NEVER,
    patienceMs = PATIENCE_MS,
    connectTimeoutMs = CONNECT_TIMEOUT_MS,
  }: MigrateOptions,
): Promise<pg.Client | null> {
  const patience = AbortSignal.timeout(patienceMs);
  for (let told = false; !stopping.aborted; told = true) {
    const client = new WatchfulClient({
      connectionString: databaseUrl,
      application_name: "perya",
      connectionTimeoutMillis: connectTimeoutMs,
      query_timeout: ANSWER_TIMEOUT_MS,
      idle_in_transaction_session_timeout: IDLE_TRANSACTION_TIMEOUT_MS,
      options: `-c idle_session_timeout=${IDLE_TIMEOUT_MS}`,
    });
    // A connection that breaks tells its statement; unhandled, the event would end us.
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

/** A name with several addresses fails with all their errors, and no message of its own. */
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
    await client.query(unhurried(sql));
    await client.query(
      "INSERT INTO schema_migrations (number, name, checksum) VALUES ($1, $2, $3)",
      [number, name, checksum],
    );
    await client.query("COMMIT");
  } catch (cause) {
    // A connection that is gone has rolled back already.
    await client.query("ROLLBACK").catch(() => undefined);
    throw new Error(`migration ${name} failed: ${reasonOf(cause)}`, { cause });
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

/** The source is deeper below the server's folder than the bundle in dist, so look upward. */
function migrationsFolder(): string {
  const start = dirname(fileURLToPath(import.meta.url));
  for (let folder = start, up = 0; up < 5; folder = dirname(folder), up++) {
    const candidate = join(folder, "migrations");
    if (existsSync(candidate)) return candidate;
  }
  throw new Error(`no migrations folder above ${start}`);
}
