import { present } from "@perya/kernel/assert";
import type pg from "pg";
import { hasDemo } from "./demo/demo.ts";
import type { Db } from "./platform/postgres/pool.ts";

const NOT_FOR_PRODUCTION =
  "this database was begun without NODE_ENV=production, and the sandbox's money may be in it; " +
  "production needs a database of its own";
const PRODUCTIONS_OWN =
  "this database is of a production installation; without NODE_ENV=production another one is needed";

/**
 * Keeps production and development apart for good: the first start stores which of the two a
 * database belongs to. In a demo everybody knows the passwords, and in development nobody paid for
 * what the wallets hold.
 * @throws Error if the database belongs to the other one
 */
export async function claimDatabase(pool: pg.Pool, isProduction: boolean): Promise<void> {
  await refuseOthers(pool, isProduction);
  await pool.query("INSERT INTO installation (is_production) VALUES ($1) ON CONFLICT DO NOTHING", [
    isProduction,
  ]);
  // If two processes claim a new database at once, only one row is stored: the other may be refused.
  await refuseOthers(pool, isProduction);
}

/**
 * Checked before the database is migrated too: its own processes do not start on a schema that is
 * newer than theirs.
 * @throws Error if the database belongs to the other one
 */
export async function refuseOthers(db: Db, isProduction: boolean): Promise<void> {
  const { rows } = await db.query<{ installation: boolean; merchants: boolean }>(
    `SELECT to_regclass('installation') IS NOT NULL AS installation,
       to_regclass('merchants') IS NOT NULL AS merchants`,
  );
  const has = present(rows[0] ?? null, "what a database has");
  // A database older than this record may hold the demo.
  const isDemo = isProduction && has.merchants && (await hasDemo(db));
  const written = has.installation
    ? await db.query<{ is_production: boolean }>("SELECT is_production FROM installation")
    : { rows: [] };
  const [row = null] = written.rows;
  if (!isDemo && (row === null || row.is_production === isProduction)) return;
  throw new Error(isProduction ? NOT_FOR_PRODUCTION : PRODUCTIONS_OWN);
}
