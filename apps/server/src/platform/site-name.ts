import type pg from "pg";
import { derivedKey } from "./derived-key.ts";

/** A take-over by a standby changes neither. */
const DATABASE = `SELECT system_identifier || '/' || current_database() AS database
  FROM pg_control_system()`;

/**
 * What all processes of one site call themselves where others may do too, as in a shared Redis. A
 * site of another secret has another name, and so has one of another database: one that was copied
 * with its whole cluster has the same, and differs by its secret alone. It tells neither of them.
 */
export async function siteName(pool: pg.Pool, secret: string): Promise<string> {
  const { rows } = await pool.query<{ database: string }>(DATABASE);
  return `perya:${derivedKey(secret, `site ${rows[0]?.database}`)}`;
}
