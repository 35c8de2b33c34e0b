import type pg from "pg";
import { derivedKey } from "./derived-key.ts";

/** A take-over by a standby changes neither. */
const DATABASE = `SELECT system_identifier || '/' || current_database() AS database
  FROM pg_control_system()`;

/**
 * The name of all processes of one site where others may be too, as in a shared Redis. A site with
 * another secret has another name, and so has one with another database; a database that was copied
 * with its whole cluster has the same, and differs only by its secret. It reveals neither of them.
 */
export async function siteName(pool: pg.Pool, secret: string): Promise<string> {
  const { rows } = await pool.query<{ database: string }>(DATABASE);
  return `perya:${derivedKey(secret, `site ${rows[0]?.database}`)}`;
}
