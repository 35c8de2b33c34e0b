import { EventEmitter } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import {
  Logger as JobLogger,
  parseCronItems,
  type Runner,
  run,
  runMigrations,
  runOnce,
  type WorkerEvents,
} from "graphile-worker";
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
  /** How long the jobs of a dead process lie; tests wait less long than operators do. */
  readonly beats?: Beats;
  /** Told with every beat how long the oldest job that is due has waited, whoever is to run it. */
  readonly onBeat?: (oldestDueMs: number) => void;
}

/** The jobs of a process that died run again after `deadAfterMs + everyMs + POLL_MS` at most. */
export interface Beats {
  readonly everyMs: number;
  /** Silence after which a process counts as dead: several beats, for one may come late. */
  readonly deadAfterMs: number;
}

export const BEATS: Beats = { everyMs: 10_000, deadAfterMs: 35_000 };
const CONCURRENCY = 4;
/** One for each job, one that listens, one that beats, one for the clock's jobs. */
const CONNECTIONS = CONCURRENCY + 3;
/** New jobs are announced by the database; polling only catches what was missed. */
export const POLL_MS = 2_000;
/** Between two tries to run again after the database was lost. */
const RESTART_MS = 500;
/** As many beats in a row, and this process's worker is at fault. */
const FAILED_BEATS_MAX = 3;
/** How long a runner that lost its connection may end what it runs before it is released. */
const RETIRE_MS = 15_000;

/** Creates or upgrades the job tables; call it after our own migrations. */
export async function migrateJobs(pool: pg.Pool, log: Logger): Promise<void> {
  await runMigrations({ pgPool: pool, logger: jobLogger(log) });
}

export interface JobsHealth {
  /** Whether this process takes jobs. */
  readonly running: boolean;
  /** How long the oldest job that is due has waited, whoever is to run it; 0 for none. */
  readonly oldestDueMs: number;
}

export interface Jobs {
  /** As the last beat found it. */
  health(): JobsHealth;
  stop(): Promise<void>;
}

/** Takes jobs until it is stopped, through every loss of the database. */
export async function startJobs(options: JobsOptions): Promise<Jobs> {
  const runners = new Runners(options);
  await runners.start();
  return runners;
}

/** One run of the library: its workers lock jobs under one id, and end with their first loss. */
interface RunningJobs {
  readonly id: string;
  readonly runner: Runner;
  /** Resolves as soon as no task runs. */
  idle(): Promise<void>;
}

/**
 * Keeps one runner going. After a lost connection nobody knows whether a lock was taken or a job
 * was marked as done, so the runner is replaced by one of another id, and what the old one holds
 * when its tasks are over is released; jobs are idempotent.
 */
class Runners implements Jobs {
  readonly #options: JobsOptions;
  readonly #beats: Beats;
  readonly #pool: pg.Pool;
  #current: RunningJobs | null = null;
  /** Those whose last tasks still run; they beat too. */
  readonly #ending = new Set<string>();
  /** Those whose locks are to be released. */
  readonly #ended = new Set<string>();
  #stopping = false;
  #beating: Promise<void> = Promise.resolve();
  #wake: () => void = () => undefined;
  #failedBeats = 0;
  #oldestDueMs = 0;

  constructor(options: JobsOptions) {
    this.#options = options;
    this.#beats = options.beats ?? BEATS;
    this.#pool = workerPool(options.pool, options.log);
  }

  async start(): Promise<void> {
    await this.#begin();
    this.#beating = this.#keepBeating();
  }

  health(): JobsHealth {
    const running = this.#current !== null && this.#failedBeats < FAILED_BEATS_MAX;
    return { running, oldestDueMs: this.#oldestDueMs };
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    this.#wake();
    await this.#beating;
    const last = this.#current;
    if (last !== null) {
      await inTime(RETIRE_MS, stopped(last));
      await inTime(
        RETIRE_MS,
        this.#pool.query(RELEASE, [[last.id]]).catch(() => undefined),
      );
    }
    await this.#pool.end();
  }

  async #begin(): Promise<void> {
    const { log, tasks, schedule } = this.#options;
    const events: WorkerEvents = new EventEmitter();
    const { list, idle } = watchedTasks(tasks);
    let id = "";
    let lost = false;
    const onLoss = () => {
      lost = true;
      if (this.#current?.id === id) void this.#replace(this.#current);
    };
    events.once("pool:create", ({ workerPool }) => {
      id = workerPool.id;
    });
    for (const event of LOSSES) events.on(event, onLoss);
    const runner = await run({
      pgPool: this.#pool,
      logger: jobLogger(log),
      events,
      concurrency: CONCURRENCY,
      pollInterval: POLL_MS,
      noHandleSignals: true,
      taskList: list,
      parsedCronItems: parseCronItems(
        Object.entries(schedule).map(([task, match]) => ({ task, match })),
      ),
      // Without batches the library leaves the promise of a job's completion to nobody, and a
      // connection lost at that moment would end the process.
      preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
    });
    this.#current = { id, runner, idle };
    void runner.promise.then(onLoss, onLoss);
    if (lost) onLoss();
    if (this.#stopping) void stopped(this.#current);
  }

  /** Ends a runner that lost something, and begins another as soon as the database lets it. */
  async #replace(old: RunningJobs): Promise<void> {
    if (this.#stopping) return;
    this.#current = null;
    this.#options.log.warn({ job: true }, "the jobs lost their database; they begin anew");
    void this.#retire(old);
    while (!this.#stopping && this.#current === null) {
      await sleep(RESTART_MS);
      await this.#begin().catch(() => undefined);
    }
    this.#wake();
  }

  async #retire(old: RunningJobs): Promise<void> {
    this.#ending.add(old.id);
    void stopped(old);
    await inTime(RETIRE_MS, old.idle());
    this.#ending.delete(old.id);
    this.#ended.add(old.id);
    this.#wake();
  }

  async #keepBeating(): Promise<void> {
    while (!this.#stopping) {
      await this.#beat().then(
        () => {
          this.#failedBeats = 0;
        },
        (error: unknown) => {
          this.#failedBeats++;
          this.#options.log.warn({ err: error, job: true }, "a beat of the jobs failed");
        },
      );
      await this.#rest();
    }
  }

  async #beat(): Promise<void> {
    const ended = [...this.#ended];
    if (ended.length > 0) await this.#pool.query(RELEASE, [ended]);
    for (const id of ended) this.#ended.delete(id);
    const alive = [...this.#ending, ...(this.#current === null ? [] : [this.#current.id])];
    await this.#pool.query(BEAT, [alive]);
    const { rows } = await this.#pool.query<{ released: number; oldest_due_ms: number }>(
      RELEASE_DEAD,
      [this.#beats.deadAfterMs],
    );
    const { released = 0, oldest_due_ms = 0 } = rows[0] ?? {};
    this.#oldestDueMs = oldest_due_ms;
    this.#options.onBeat?.(oldest_due_ms);
    if (released > 0) {
      this.#options.log.warn({ job: true, released }, "jobs of a dead process run again");
    }
  }

  /** Until the next beat, or until somebody has something to tell. */
  #rest(): Promise<void> {
    if (this.#stopping) return Promise.resolve();
    return new Promise((done) => {
      const timer = setTimeout(done, this.#ended.size > 0 ? RESTART_MS : this.#beats.everyMs);
      this.#wake = () => {
        clearTimeout(timer);
        done();
      };
    });
  }
}

/** It may have stopped by itself already. */
async function stopped({ runner }: RunningJobs): Promise<void> {
  await runner.stop().catch(() => undefined);
}

/** The tasks for the library, and when none of them runs. */
function watchedTasks(tasks: Readonly<Record<string, Task>>) {
  let running = 0;
  const waiting: (() => void)[] = [];
  const watched = (task: Task) => async (payload: unknown) => {
    running++;
    try {
      await task(payload);
    } finally {
      running--;
      if (running === 0) for (const done of waiting.splice(0)) done();
    }
  };
  return {
    list: Object.fromEntries(Object.entries(tasks).map(([name, task]) => [name, watched(task)])),
    idle: () =>
      running === 0 ? Promise.resolve() : new Promise<void>((done) => waiting.push(done)),
  };
}

/** What may leave a lock behind that nobody knows of, or a runner that hears of no new job. */
const LOSSES = [
  "pool:fatalError",
  "pool:listen:error",
  "worker:getJob:error",
  "worker:fatalError",
] as const;

const BEAT = `INSERT INTO worker_processes (id, beat_at) SELECT id, now() FROM unnest($1::text[]) AS id
  ON CONFLICT (id) DO UPDATE SET beat_at = excluded.beat_at`;

const RELEASE = `WITH gone AS (DELETE FROM worker_processes WHERE id = ANY ($1::text[]))
  SELECT graphile_worker.force_unlock_workers($1::text[])`;

/**
 * Releases what is locked by nobody who beats, in any number of processes at once: whoever comes
 * second finds the locks gone or another's. A lock that is younger than the bound is left alone,
 * for its runner may be about to beat for the first time.
 */
const RELEASE_DEAD = `WITH gone AS (
    DELETE FROM worker_processes WHERE beat_at < now() - $1 * interval '1 ms'
  ), dead AS (
    SELECT array_agg(DISTINCT j.locked_by) AS ids, count(*)::int AS released
    FROM graphile_worker.jobs j
    WHERE j.locked_by IS NOT NULL AND j.locked_at < now() - $1 * interval '1 ms'
      AND NOT EXISTS (SELECT FROM worker_processes w
                      WHERE w.id = j.locked_by AND w.beat_at >= now() - $1 * interval '1 ms')
  )
  SELECT released, graphile_worker.force_unlock_workers(coalesce(ids, '{}')),
    (SELECT coalesce(extract(epoch FROM now() - min(run_at)) * 1000, 0)::float8
     FROM graphile_worker.jobs WHERE run_at <= now() AND attempts < max_attempts) AS oldest_due_ms
  FROM dead`;

/** Runs what is due and returns; for tests, which fix the clock themselves. */
export async function runDueJobs({ pool, log, tasks }: Omit<JobsOptions, "schedule">) {
  const own = workerPool(pool, log);
  try {
    await runOnce({
      pgPool: own,
      logger: jobLogger(log),
      noHandleSignals: true,
      taskList: watchedTasks(tasks).list,
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
  const own = new pg.Pool({ ...pool.options, types: pg.types, max: CONNECTIONS });
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

async function inTime(ms: number, work: Promise<unknown>): Promise<void> {
  const patience = new AbortController();
  const { signal } = patience;
  await Promise.race([work, sleep(ms, undefined, { signal }).catch(() => undefined)]);
  patience.abort();
}

/** The worker's own chatter is for debugging; its errors and warnings are not. */
function jobLogger(log: Logger): JobLogger {
  return new JobLogger(() => (level, message) => {
    if (level === "error") log.error({ job: true }, message);
    else if (level === "warning") log.warn({ job: true }, message);
    else log.debug({ job: true }, message);
  });
}
