import type pg from "pg";

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
 * Changes the rows that nobody holds just now; waits for none. They are found first and then taken
 * lane by lane, each by its key, so that one form serves a cluster as well.
 */
export async function changeFreeRows<Row extends pg.QueryResultRow>(
  db: pg.Pool | pg.ClientBase,
  { table, where, set, returning, first = "" }: FreeRowsChange,
  values: readonly unknown[],
): Promise<Row[]> {
  const { rows: found } = await db.query<{ lane: number; account_id: string; id: string }>(
    `SELECT lane, account_id, id FROM ${table} WHERE ${where} ${first}`,
    [...values],
  );
  const [lane, accounts, ids] = [1, 2, 3].map((more) => `$${values.length + more}`);
  const text = `UPDATE ${table} SET ${set}
    WHERE lane = ${lane} AND (account_id, id) IN (
      SELECT account_id, id FROM ${table}
      WHERE lane = ${lane} AND (account_id, id) IN (
          SELECT * FROM unnest(${accounts}::text[], ${ids}::text[]))
        AND ${where}
      FOR UPDATE SKIP LOCKED)
    RETURNING ${returning}`;
  const changed: Row[] = [];
  for (const [one, those] of byLane(found)) {
    const accountIds = those.map((row) => row.account_id);
    const rowIds = those.map((row) => row.id);
    const { rows } = await db.query<Row>(text, [...values, one, accountIds, rowIds]);
    changed.push(...rows);
  }
  return changed;
}
