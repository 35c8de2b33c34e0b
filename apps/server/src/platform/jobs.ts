import { Logger as JobLogger, parseCronItems, run, runMigrations, runOnce } from "graphile-worker";
import pg from "pg";
import type { Logger } from "./log.ts";

/** A job's work; it may run twice and must be idempotent. */
export type Task = (payload: unknown) => Promise<void>;

export interface JobsOptions {
  readonly pool: pg.Pool;
  readonly log: Logger;
  readonly tasks: Readonly<Record<string, Task>>;
  /** Tasks without payload that run by the clock: name to a cron pattern. */
  readonly schedule: Readonly<Record<string, string>>;
}

const CONCURRENCY = 4;
/** New jobs are announced by the database; polling only catches what was missed. */
const POLL_MS = 2_000;

/** Creates or upgrades the job tables; call it after our own migrations. */
export async function migrateJobs(pool: pg.Pool, log: Logger): Promise<void> {
  await runMigrations({ pgPool: pool, logger: jobLogger(log) });
}

export interface Jobs {
  stop(): Promise<void>;
}

export async function startJobs({ pool, log, tasks, schedule }: JobsOptions): Promise<Jobs> {
  const own = workerPool(pool, log);
  const runner = await run({
    pgPool: own,
    logger: jobLogger(log),
    concurrency: CONCURRENCY,
    pollInterval: POLL_MS,
    noHandleSignals: true,
    taskList: tasksOf(tasks),
    parsedCronItems: parseCronItems(
      Object.entries(schedule).map(([task, match]) => ({ task, match })),
    ),
  });
  return {
    stop: async () => {
      await runner.stop();
      await own.end();
    },
  };
}

/** Runs what is due and returns; for tests, which fix the clock themselves. */
export async function runDueJobs({ pool, log, tasks }: Omit<JobsOptions, "schedule">) {
  const own = workerPool(pool, log);
  try {
    await runOnce({
      pgPool: own,
      logger: jobLogger(log),
      noHandleSignals: true,
      taskList: tasksOf(tasks),
    });
  } finally {
    await own.end();
  }
}

/**
 * The worker reads `bigint` columns as pg does by itself: it writes failed jobs back as JSON,
 * which has no bigint, so one failed job over our pool would end the process.
 */
function workerPool(pool: pg.Pool, log: Logger): pg.Pool {
  const own = new pg.Pool({ ...pool.options, types: pg.types, max: CONCURRENCY + 2 });
  // A checked-out connection tells its statement of its loss; unheard, the event would end us.
  own.on("connect", (client) => void client.on("error", () => undefined));
  own.on("error", (error) => log.warn({ err: error }, "idle job connection lost"));
  return own;
}

/** A row of the addJob statement. A job key makes adding idempotent. */
export interface NewJob {
  readonly task: string;
  readonly payload: unknown;
  readonly key: string;
  readonly runAt: number;
}

/** Adds jobs in the transaction of whoever runs it; `$1` is a jsonb array of NewJob. */
export const ADD_JOBS = `SELECT graphile_worker.add_job(u.task, u.payload, job_key := u.key,
    run_at := to_timestamp(u."runAt" / 1000.0), max_attempts := 25)
  FROM jsonb_to_recordset($1) AS u(task text, payload json, key text, "runAt" bigint)`;

export async function addJob(db: pg.Pool | pg.ClientBase, job: NewJob): Promise<void> {
  await db.query(ADD_JOBS, [JSON.stringify([job])]);
}

function tasksOf(tasks: Readonly<Record<string, Task>>) {
  return Object.fromEntries(
    Object.entries(tasks).map(([name, task]) => [name, (payload: unknown) => task(payload)]),
  );
}

/** The worker's own chatter is for debugging; its errors and warnings are not. */
function jobLogger(log: Logger): JobLogger {
  return new JobLogger(() => (level, message) => {
    if (level === "error") log.error({ job: true }, message);
    else if (level === "warning") log.warn({ job: true }, message);
    else log.debug({ job: true }, message);
  });
}
