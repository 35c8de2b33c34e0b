import type { Instant } from "@perya/kernel/instant";
import type pg from "pg";

export interface MerchantRow {
  readonly id: string;
  readonly code: string;
  readonly name: string;
  readonly currency: string;
  readonly zone: string;
  readonly hosts: readonly string[];
  readonly settings: unknown;
}

const MERCHANT = `m.id, m.code, m.name, m.currency, m.zone, m.settings,
  ARRAY(SELECT own.host FROM merchant_hosts own WHERE own.merchant_id = m.id
        ORDER BY own.host) AS hosts`;

/** The brand of the host, else of the host `*`, else null. */
export async function findMerchantByHost(pool: pg.Pool, host: string): Promise<MerchantRow | null> {
  const { rows } = await pool.query<MerchantRow>(
    `SELECT ${MERCHANT}
     FROM merchant_hosts h JOIN merchants m ON m.id = h.merchant_id
     WHERE h.host IN ($1, '*') ORDER BY h.host = '*' LIMIT 1`,
    [host],
  );
  return rows[0] ?? null;
}

export async function findMerchantById(pool: pg.Pool, id: string): Promise<MerchantRow | null> {
  const { rows } = await pool.query<MerchantRow>(
    `SELECT ${MERCHANT} FROM merchants m WHERE m.id = $1`,
    [id],
  );
  return rows[0] ?? null;
}

export async function findMerchants(pool: pg.Pool): Promise<MerchantRow[]> {
  const { rows } = await pool.query<MerchantRow>(
    `SELECT ${MERCHANT} FROM merchants m ORDER BY m.id`,
  );
  return rows;
}

export async function findInMaintenance(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    "SELECT id FROM merchants WHERE settings -> 'maintenance' = 'true'",
  );
  return rows.map(({ id }) => id);
}

export async function insertMerchant(
  client: pg.Pool | pg.ClientBase,
  brand: MerchantRow,
  at: Instant,
): Promise<void> {
  await client.query(
    `INSERT INTO merchants (id, code, name, currency, zone, settings, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, to_timestamp($7 / 1000.0))`,
    [
      brand.id,
      brand.code,
      brand.name,
      brand.currency,
      brand.zone,
      JSON.stringify(brand.settings),
      at,
    ],
  );
  await client.query(
    `INSERT INTO merchant_hosts (host, merchant_id) SELECT lower(host), $2
     FROM unnest($1::text[]) AS host`,
    [brand.hosts, brand.id],
  );
}
