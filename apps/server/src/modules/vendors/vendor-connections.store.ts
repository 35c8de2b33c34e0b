import type { Instant } from "@perya/kernel/instant";
import type pg from "pg";

export interface ConnectionRow {
  readonly vendor: string;
  readonly protocol: string;
  readonly launch_url: string;
  readonly sealed_secret: string;
  readonly sealed_former_secret: string | null;
  readonly former_until: Date | null;
}

type ChangedRow = Pick<ConnectionRow, "vendor" | "protocol" | "launch_url" | "sealed_secret">;

/** As many as there are vendors: a few dozen. */
export async function readConnections(pool: pg.Pool): Promise<ConnectionRow[]> {
  const { rows } = await pool.query<ConnectionRow>(
    `SELECT vendor, protocol, launch_url, sealed_secret, sealed_former_secret, former_until
     FROM vendor_connections ORDER BY vendor`,
  );
  return rows;
}

/** @param formerUntil how long the secret that this one replaces is still accepted; null: no longer */
export async function putConnection(
  pool: pg.Pool,
  row: ChangedRow,
  at: Instant,
  formerUntil: Instant | null,
): Promise<void> {
  await pool.query(
    `INSERT INTO vendor_connections (vendor, protocol, launch_url, sealed_secret, changed_at)
     VALUES ($1, $2, $3, $4, to_timestamp($5 / 1000.0))
     ON CONFLICT (vendor) DO UPDATE SET protocol = excluded.protocol,
       launch_url = excluded.launch_url, sealed_secret = excluded.sealed_secret,
       sealed_former_secret = CASE WHEN $6::bigint IS NULL THEN NULL
         WHEN excluded.sealed_secret = vendor_connections.sealed_secret
           THEN vendor_connections.sealed_former_secret
         ELSE vendor_connections.sealed_secret END,
       former_until = CASE WHEN $6::bigint IS NULL THEN NULL
         WHEN excluded.sealed_secret = vendor_connections.sealed_secret
           THEN vendor_connections.former_until
         ELSE to_timestamp($6 / 1000.0) END,
       changed_at = excluded.changed_at`,
    [row.vendor, row.protocol, row.launch_url, row.sealed_secret, at, formerUntil],
  );
}

/** Deletes former secrets whose time is over. */
export async function dropFormerSecrets(pool: pg.Pool, now: Instant): Promise<void> {
  await pool.query(
    `UPDATE vendor_connections SET sealed_former_secret = NULL, former_until = NULL
     WHERE former_until <= to_timestamp($1 / 1000.0)`,
    [now],
  );
}

/** @returns whether there was one */
export async function deleteConnection(pool: pg.Pool, vendor: string): Promise<boolean> {
  const { rowCount } = await pool.query("DELETE FROM vendor_connections WHERE vendor = $1", [
    vendor,
  ]);
  return rowCount === 1;
}
