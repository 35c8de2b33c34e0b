import type pg from "pg";
import { isCluster } from "./distribute.ts";

/** Rows of each lane, lanes in order: on a cluster a statement that locks rows names one lane. */
export function byLane<Row extends { readonly lane: number }>(
  rows: readonly Row[],
): [number, Row[]][] {
  const lanes = new Map<number, Row[]>();
  for (const row of rows) {
    const those = lanes.get(row.lane);
    if (those === undefined) lanes.set(row.lane, [row]);
    else those.push(row);
  }
  return [...lanes].sort(([a], [b]) => a - b);
}

/** A change, in SQL, of rows whose key is lane, account and id. */
export interface FreeRowsChange {
  readonly table: string;
  /** Which rows; it names all of the values, `$1` and on. */
  readonly where: string;
  readonly set: string;
  readonly returning: string;
  /** Which rows first, and how many at most. */
  readonly first?: string;
}

/**
 * Changes the rows that nobody locks at the moment, and waits for none. On a cluster they are found
 * first and then taken lane by lane, so fewer than asked for may come although more are free.
 * @param client of `pool`, for a change within a transaction
 */
export async function changeFreeRows<Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  { table, where, set, returning, first = "" }: FreeRowsChange,
  values: readonly unknown[],
  client: pg.Pool | pg.ClientBase = pool,
): Promise<Row[]> {
  const found = `SELECT lane, account_id, id FROM ${table} WHERE ${where} ${first}`;
  if (!(await isCluster(pool))) {
    const { rows } = await client.query<Row>(
      `WITH free AS MATERIALIZED (${found} FOR UPDATE SKIP LOCKED)
       UPDATE ${table} SET ${set} WHERE (lane, account_id, id) IN (SELECT * FROM free)
       RETURNING ${returning}`,
      [...values],
    );
    return rows;
  }
  const [lane, accounts, ids] = [1, 2, 3].map((more) => `$${values.length + more}`);
  const ofLane = `UPDATE ${table} SET ${set}
    WHERE lane = ${lane} AND (account_id, id) IN (
      SELECT account_id, id FROM ${table}
      WHERE lane = ${lane} AND (account_id, id) IN (
          SELECT * FROM unnest(${accounts}::text[], ${ids}::text[]))
        AND ${where}
      FOR UPDATE SKIP LOCKED)
    RETURNING ${returning}`;
  const { rows: all } = await client.query<{ lane: number; account_id: string; id: string }>(
    found,
    [...values],
  );
  const changed: Row[] = [];
  for (const [one, those] of byLane(all)) {
    const accountIds = those.map((row) => row.account_id);
    const rowIds = those.map((row) => row.id);
    const { rows } = await client.query<Row>(ofLane, [...values, one, accountIds, rowIds]);
    changed.push(...rows);
  }
  return changed;
}
