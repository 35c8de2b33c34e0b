import type { Instant } from "@perya/kernel/instant";
import type pg from "pg";

/** A row of the addJob statement. A job key makes adding idempotent. */
export interface NewJob {
  readonly task: string;
  readonly payload: unknown;
  readonly key: string;
  /**
   * For a planned one: the instant. Null: at once, or after `afterMs`, by the database's clock; so
   * a process whose clock is ahead causes no wait.
   */
  readonly runAt: Instant | null;
  readonly afterMs?: number;
  /** A waiting job that is added again keeps its place in the queue. */
  readonly keepsPlace?: boolean;
  /** Among due jobs of its task a lower one goes first; 0 by default. */
  readonly priority?: number;
  /** Not added while one under the same key is running. */
  readonly unlessRunning?: boolean;
}

/** As `jsonb_to_recordset` makes rows of NewJob. */
export const NEW_JOB_COLUMNS = `task text, payload json, key text, "runAt" bigint, "afterMs" integer,
    "keepsPlace" boolean, priority integer, "unlessRunning" boolean`;

const DUE = `coalesce(to_timestamp(u."runAt" / 1000.0),
    now() + coalesce(u."afterMs", 0) * interval '1 ms')`;

/** Adds jobs in the caller's transaction; `$1` is a jsonb array of NewJob. */
export const ADD_JOBS = addJobsOf(`jsonb_to_recordset($1) AS u(${NEW_JOB_COLUMNS})`);

/**
 * The statement that adds the rows of `source`, which is called `u`. A place further ahead than the
 * requested one comes from a wrong clock, and is not kept.
 */
export function addJobsOf(source: string): string {
  return `SELECT graphile_worker.add_job(u.task, u.payload, job_key := u.key,
    run_at := ${DUE}, max_attempts := 25,
    priority := u.priority,
    job_key_mode := CASE WHEN u."keepsPlace" AND NOT EXISTS (
        SELECT FROM graphile_worker.jobs j
        WHERE j.key = u.key AND j.run_at > ${DUE})
      THEN 'preserve_run_at' ELSE 'replace' END)
  FROM ${source}
  WHERE u."unlessRunning" IS NOT TRUE OR NOT EXISTS (
    SELECT FROM graphile_worker.jobs j WHERE j.key = u.key AND j.locked_at IS NOT NULL)`;
}

/** In one statement, in key order: of two that add the same at once, one waits for the other. */
export async function addJobs(db: pg.Pool | pg.ClientBase, jobs: readonly NewJob[]): Promise<void> {
  if (jobs.length === 0) return;
  const inOrder = jobs.toSorted((a, b) => (a.key < b.key ? -1 : 1));
  await db.query(ADD_JOBS, [JSON.stringify(inOrder)]);
}

export async function addJob(db: pg.Pool | pg.ClientBase, job: NewJob): Promise<void> {
  await addJobs(db, [job]);
}
