import type { Instant } from "@perya/kernel/instant";
import type pg from "pg";

export interface ConnectionRow {
  readonly vendor: string;
  readonly protocol: string;
  readonly launch_url: string;
  readonly sealed_secret: string;
}

/** As many as there are vendors: a few dozen. */
export async function readConnections(pool: pg.Pool): Promise<ConnectionRow[]> {
  const { rows } = await pool.query<ConnectionRow>(
    "SELECT vendor, protocol, launch_url, sealed_secret FROM vendor_connections ORDER BY vendor",
  );
  return rows;
}

export async function putConnection(pool: pg.Pool, row: ConnectionRow, at: Instant): Promise<void> {
  await pool.query(
    `INSERT INTO vendor_connections (vendor, protocol, launch_url, sealed_secret, changed_at)
     VALUES ($1, $2, $3, $4, to_timestamp($5 / 1000.0))
     ON CONFLICT (vendor) DO UPDATE SET protocol = excluded.protocol,
       launch_url = excluded.launch_url, sealed_secret = excluded.sealed_secret,
       changed_at = excluded.changed_at`,
    [row.vendor, row.protocol, row.launch_url, row.sealed_secret, at],
  );
}

/** @returns whether there was one */
export async function deleteConnection(pool: pg.Pool, vendor: string): Promise<boolean> {
  const { rowCount } = await pool.query("DELETE FROM vendor_connections WHERE vendor = $1", [
    vendor,
  ]);
  return rowCount === 1;
}
