import type { Instant } from "@perya/kernel/instant";
import type pg from "pg";

/** What a sweep deletes: the rows of a table that a time or a day column makes old. */
export interface Sweep {
  readonly table: string;
  /** A column that an index begins with, unless the table stays small. */
  readonly by: string;
  /** An additional condition in SQL, if the index is a partial one. */
  readonly where?: string;
}

/** A sweep of a table that stands on every node of a cluster, where a row's place is its node's. */
export interface KeyedSweep extends Sweep {
  /** The column of the table's key. */
  readonly key: string;
}

/** Deleted in a tenth of a second, far from any statement's limit. */
const SLICE_ROWS = 2_000;
/** Twenty million rows; the next run does the rest. */
const SLICES_MAX = 10_000;

/**
 * Deletes what is as old as `upTo` or older, in slices that are committed separately: if a run is
 * cut off, the next one has less to do. A held row is left for the next run.
 * @returns how many rows were deleted
 */
export function sweep(
  pool: pg.Pool,
  { table, by, where = "true" }: Sweep,
  upTo: Instant,
  sliceRows = SLICE_ROWS,
): Promise<number> {
  const text = `WITH slice AS MATERIALIZED (
      SELECT ctid AS place, ${by} AS passed FROM ${table}
      WHERE ${by} <= $1 AND ${by} >= $2 AND ${where}
      ORDER BY ${by} LIMIT $3 FOR UPDATE SKIP LOCKED
    ), gone AS (
      DELETE FROM ${table} WHERE ctid = ANY (ARRAY(SELECT place FROM slice))
    )
    SELECT count(*)::int AS rows, max(passed)::text AS passed FROM slice`;
  const last = new Date(upTo).toISOString();
  return bySlices(sliceRows, async (from) => {
    const { rows } = await pool.query<Slice>(text, [last, from, sliceRows]);
    return rows[0] ?? { rows: 0, passed: null };
  });
}

/** As `sweep`, with rows found by their key, in two statements a slice. */
export function sweepByKey(
  pool: pg.Pool,
  { table, by, key, where = "true" }: KeyedSweep,
  upTo: Instant,
  sliceRows = SLICE_ROWS,
): Promise<number> {
  const last = new Date(upTo).toISOString();
  return bySlices(sliceRows, async (from) => {
    const { rows } = await pool.query<{ key: string; passed: string }>(
      `SELECT ${key} AS key, ${by}::text AS passed FROM ${table}
       WHERE ${by} <= $1 AND ${by} >= $2 AND ${where}
       ORDER BY ${by} LIMIT $3 FOR UPDATE SKIP LOCKED`,
      [last, from, sliceRows],
    );
    // Nothing holds the rows between the two statements, so each is judged again.
    await pool.query(`DELETE FROM ${table} WHERE ${key} = ANY ($1) AND ${by} <= $2 AND ${where}`, [
      rows.map((row) => row.key),
      last,
    ]);
    return { rows: rows.length, passed: rows.at(-1)?.passed ?? null };
  });
}

/** One slice: how many rows it took, and how far it came; null where it took none. */
interface Slice {
  readonly rows: number;
  readonly passed: string | null;
}

async function bySlices(
  sliceRows: number,
  take: (from: string) => Promise<Slice>,
): Promise<number> {
  let total = 0;
  // Each slice begins where the last one ended: what it deleted is not walked over again.
  for (let slices = 0, from = "-infinity"; slices < SLICES_MAX; slices++) {
    const { rows, passed } = await take(from);
    total += rows;
    if (rows < sliceRows || passed === null) break;
    from = passed;
  }
  return total;
}
