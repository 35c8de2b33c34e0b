import type pg from "pg";
import { demoStands } from "./demo/demo.ts";

const NOT_FOR_PRODUCTION =
  "this database was begun without NODE_ENV=production, and the sandbox's money may be in it; " +
  "production needs a database of its own";
const PRODUCTIONS_OWN =
  "this database is of a production installation; without NODE_ENV=production another one is needed";

/**
 * Keeps production and trial apart for good: the first start writes down which of the two a
 * database is of. In a demo everybody knows the passwords, and in a trial nobody paid for what the
 * wallets hold.
 * @throws Error where the database is of the other one
 */
export async function claimDatabase(pool: pg.Pool, isProduction: boolean): Promise<void> {
  // One that is older than what is written down may hold the demo.
  if (isProduction && (await demoStands(pool))) throw new Error(NOT_FOR_PRODUCTION);
  await pool.query("INSERT INTO installation (is_production) VALUES ($1) ON CONFLICT DO NOTHING", [
    isProduction,
  ]);
  const { rows } = await pool.query<{ is_production: boolean }>(
    "SELECT is_production FROM installation",
  );
  if (rows[0]?.is_production === isProduction) return;
  throw new Error(isProduction ? NOT_FOR_PRODUCTION : PRODUCTIONS_OWN);
}
