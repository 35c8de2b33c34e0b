import { type Instant, MINUTE_MS } from "@perya/kernel/instant";
import type pg from "pg";
import { addJobs, type NewJob } from "./new-job.ts";

/** Between two searches for rows whose job came to nothing. */
const OVERDUE_MS = MINUTE_MS;
const OVERDUE_MAX = 200;

export interface PlannedTable {
  /** The job that ends a row. `word` names a row in error messages. */
  readonly task: string;
  readonly word: string;
  readonly table: string;
  /** The column of the instant at which a row ends, and of the one at which it was ended. */
  readonly dueColumn: string;
  readonly endedColumn: string;
  /** A row is unique by its kind and its time. */
  readonly kindColumn: string;
  readonly timeColumn: string;
}

/** The rows of a table that are planned ahead, each with a job that ends it. */
export class PlannedJobs {
  readonly #pool: pg.Pool;
  readonly #planned: PlannedTable;

  constructor(pool: pg.Pool, planned: PlannedTable) {
    this.#pool = pool;
    this.#planned = planned;
  }

  /** The instants after `from` and up to `until` that have a row of a kind. */
  async plannedTimes(kind: string, from: Instant, until: Instant): Promise<Set<Instant>> {
    const { table, kindColumn, timeColumn } = this.#planned;
    const { rows } = await this.#pool.query<{ at: Date }>(
      `SELECT ${timeColumn} AS at FROM ${table} WHERE ${kindColumn} = $1
         AND ${timeColumn} > to_timestamp($2 / 1000.0)
         AND ${timeColumn} <= to_timestamp($3 / 1000.0)`,
      [kind, from, until],
    );
    return new Set(rows.map(({ at }) => at.getTime()));
  }

  /** Adds the jobs of overdue rows again. */
  async takeUp(now: Instant): Promise<void> {
    const { table, dueColumn, endedColumn } = this.#planned;
    const { rows } = await this.#pool.query<{ id: string }>(
      `SELECT id FROM ${table}
       WHERE ${endedColumn} IS NULL AND ${dueColumn} < to_timestamp($1 / 1000.0)
       ORDER BY ${dueColumn} LIMIT $2`,
      [now - OVERDUE_MS, OVERDUE_MAX],
    );
    const jobs = rows.map(({ id }) => ({ ...this.jobOf(id, now), unlessRunning: true }));
    await addJobs(this.#pool, jobs);
  }

  /**
   * How late the job of a row is.
   * @throws Error before its time: jobs run by the database's clock, and if that is ahead of ours,
   *   the worker tries again later
   */
  lateMs(id: string, due: Date, now: Instant): number {
    const lateMs = now - due.getTime();
    if (lateMs < 0) throw new Error(`${this.#planned.word} ${id} is not due yet`);
    return lateMs;
  }

  jobOf(id: string, runAt: Instant): NewJob {
    const { task } = this.#planned;
    return { task, payload: { id }, key: `${task}:${id}`, runAt };
  }
}
