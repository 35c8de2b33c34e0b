import { EventEmitter } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { HOUR_MS, MINUTE_MS } from "@perya/kernel/instant";
import {
  Logger as JobLogger,
  type Runner,
  run,
  runMigrations,
  type WorkerEvents,
} from "graphile-worker";
import pg from "pg";
import { systemElapsed } from "./clock.ts";
import { inTime } from "./in-time.ts";
import type { Logger } from "./log.ts";
import { PLANNED_KEY, Schedule } from "./schedule.ts";

export { ADD_JOBS, addJob, addJobs, type NewJob } from "./new-job.ts";

/** A job's work; it may run twice and must be idempotent. */
export type Task = (payload: unknown) => Promise<void>;

export interface JobsOptions {
  readonly pool: pg.Pool;
  readonly log: Logger;
  readonly tasks: Readonly<Record<string, Task>>;
  /** Tasks that wait for an outside service: each has a slot of its own, and delays no others. */
  readonly outside?: Readonly<Record<string, Task>>;
  /** Tasks without payload that run by the database's clock: name to a cron pattern, in UTC. */
  readonly schedule: Readonly<Record<string, string>>;
  /** How long the jobs of a dead process are left; tests wait for less than operators do. */
  readonly beats?: Beats;
  /** Called with every beat, also one that could not look. */
  readonly onBeat?: (waits: JobWaits) => void;
}

/** How long the oldest job of each kind has been due; 0 for none. */
export interface JobWaits {
  /** As `JobsHealth.oldestDueMs`. */
  readonly oldestDueMs: number;
  /** Of jobs that wait for an outside service, also if we make them late. */
  readonly oldestOutsideMs: number;
  /** Of tasks that this process does not have: another version's, or of an earlier provider. */
  readonly oldestUntakenMs: number;
}

/** The jobs of a process that died run again after `deadAfterMs + everyMs + POLL_MS` at most. */
export interface Beats {
  readonly everyMs: number;
  /** Silence after which a process counts as dead: several beats, since one may be late. */
  readonly deadAfterMs: number;
}

export const BEATS: Beats = { everyMs: 8_000, deadAfterMs: 28_000 };
const CONCURRENCY = 4;
/** One for each job, one that listens, one that beats, one that plans. */
const CONNECTIONS = CONCURRENCY + 3;
const OUTSIDE_CONNECTIONS = 2;
/** New jobs are announced by the database; polling only catches what was missed. */
export const POLL_MS = 2_000;
/** Between two tries to run again after the database was lost. */
const RESTART_MS = 500;
/** After so many failed beats in a row, this process's worker is at fault. */
const FAILED_BEATS_MAX = 3;
/** Errors of a beat that waits too long for a lock, or behind its holder. */
const HELD_CODES = new Set(["57014", "55P03"]);
/** pg-pool's words; a database that takes no connection has others. */
const POOL_IS_FULL = "timeout exceeded when trying to connect";
/** How long a runner that lost its connection may finish its work before it is released. */
const RETIRE_MS = 15_000;
/** A job that nobody here takes may be another version's; after this time it is named. */
const UNTAKEN_MS = 5 * MINUTE_MS;
const UNTAKEN_NAMED_EVERY_MS = HOUR_MS;
/** A database that has not answered by then is not waited for at the end. */
const ANSWER_MS = 2_000;

/** Creates or upgrades the job tables; call it after our own migrations. */
export async function migrateJobs(pool: pg.Pool, log: Logger): Promise<void> {
  await runMigrations({ pgPool: pool, logger: jobLogger(log) });
}

/** @throws Error if a job's payload names no id */
export function idOf(payload: unknown): string {
  const id = typeof payload === "object" && payload !== null ? Reflect.get(payload, "id") : null;
  if (typeof id !== "string") throw new Error("a job's payload names an id");
  return id;
}

export interface JobsHealth {
  readonly running: boolean;
  /**
   * How long the oldest due job has waited, among this process's tasks, run by any process; 0 for
   * none. One that waits for an outside service is late through us only since that task was last
   * begun; a planned one waits from when it should have been added.
   */
  readonly oldestDueMs: number;
}

export interface Jobs {
  /** As the last beat found it; while none can look, due jobs grow older. */
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
interface LockingRunner {
  readonly id: string;
  readonly runner: Runner;
}

/** Those of one time, which are replaced together. */
interface RunningJobs {
  readonly runners: readonly LockingRunner[];
  /** Resolves as soon as no task runs. */
  idle(): Promise<void>;
}

/**
 * Keeps the runners going. After a lost connection nobody knows whether a lock was taken or a job
 * was marked as done, so they are replaced by others with other ids, and what the old ones hold
 * when their tasks are over is released; jobs are idempotent.
 */
class Runners implements Jobs {
  readonly #options: JobsOptions;
  readonly #beats: Beats;
  readonly #pool: pg.Pool;
  readonly #schedule: Schedule;
  readonly #planner = new AbortController();
  #current: RunningJobs | null = null;
  /** Those whose last tasks still run; they beat too. */
  readonly #ending = new Set<string>();
  /** Those whose locks must be released. */
  readonly #ended = new Set<string>();
  #stopping = false;
  #replacing = false;
  #beating: Promise<void> = Promise.resolve();
  #planning: Promise<void> = Promise.resolve();
  #wake: () => void = () => undefined;
  #failedBeats = 0;
  /** When the last runners were lost, on the monotonic clock. */
  #lostAt = Number.NEGATIVE_INFINITY;
  #waits: JobWaits = { oldestDueMs: 0, oldestOutsideMs: 0, oldestUntakenMs: 0 };
  /** On the monotonic clock. */
  #seenAt = systemElapsed();
  #untakenNamedUntil = Number.NEGATIVE_INFINITY;

  constructor(options: JobsOptions) {
    this.#options = options;
    this.#beats = options.beats ?? BEATS;
    this.#pool = workerPool(options.pool, options.log, Object.keys(options.outside ?? {}));
    this.#schedule = new Schedule({
      pool: this.#pool,
      log: options.log,
      patterns: options.schedule,
      everyMs: this.#beats.everyMs,
    });
  }

  async start(): Promise<void> {
    await this.#begin();
    this.#planning = this.#schedule.follow(this.#planner.signal);
    this.#beating = this.#keepBeating();
  }

  health(): JobsHealth {
    const patienceMs = FAILED_BEATS_MAX * this.#beats.everyMs;
    // Others begin within seconds, as a rule.
    const isReplaced = systemElapsed() - this.#lostAt < patienceMs;
    const takes = this.#current !== null || isReplaced;
    const running = takes && this.#failedBeats < FAILED_BEATS_MAX;
    return { running, oldestDueMs: this.#waits.oldestDueMs };
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    this.#planner.abort();
    this.#wake();
    // A silent database accepts no job's end either: nothing is waited for that needs it.
    const answers = await inTime(ANSWER_MS, this.#pool.query("SELECT 1"));
    const patience = answers ? RETIRE_MS : ANSWER_MS;
    await inTime(patience, Promise.all([this.#beating, this.#planning]));
    const last = this.#current;
    if (last !== null) {
      await inTime(patience, stopped(last));
      await inTime(ANSWER_MS, this.#pool.query(RELEASE, [idsOf(last)]));
    }
    await inTime(ANSWER_MS, this.#pool.end());
  }

  async #begin(): Promise<void> {
    const { tasks, outside = {} } = this.#options;
    const { watched, idle } = watchedTasks();
    let current: RunningJobs | null = null;
    let lost = false;
    const onLoss = () => {
      lost = true;
      if (current !== null && this.#current === current) void this.#replace(current);
    };
    const begun = await Promise.allSettled([
      this.#run(watched(tasks), CONCURRENCY, onLoss),
      ...Object.entries(outside).map(([name, task]) =>
        this.#run(watched({ [name]: task }), 1, onLoss),
      ),
    ]);
    const runners = begun.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    current = { runners, idle };
    const failed = begun.find((one) => one.status === "rejected");
    if (failed !== undefined) {
      // A job that one of them has taken by now is released like that of any that ended.
      void this.#retire(current);
      throw failed.reason;
    }
    this.#current = current;
    if (lost) onLoss();
    if (this.#stopping) void stopped(current);
  }

  async #run(
    taskList: Readonly<Record<string, Task>>,
    concurrency: number,
    onLoss: () => void,
  ): Promise<LockingRunner> {
    const events: WorkerEvents = new EventEmitter();
    let id = "";
    events.once("pool:create", ({ workerPool }) => {
      id = workerPool.id;
    });
    for (const event of LOSSES) events.on(event, onLoss);
    events.on("worker:getJob:error", ({ error }) => {
      // A statement that was given up took nothing, and the library asks again.
      if (!isHeldUp(error)) onLoss();
    });
    const runner = await run({
      pgPool: this.#pool,
      logger: jobLogger(this.#options.log),
      events,
      concurrency,
      pollInterval: POLL_MS,
      noHandleSignals: true,
      taskList,
      // The library plans by this machine's clock; ours plans by the database's.
      parsedCronItems: [],
      // Without batches the library leaves the promise of a job's completion unhandled, and a
      // connection lost at that moment would end the process.
      preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
    });
    void runner.promise.then(onLoss, onLoss);
    return { id, runner };
  }

  /**
   * Ends runners of which one lost something; others begin as soon as the database allows it. If
   * some lose something while they begin, the replacement that is under way handles that: of two at
   * once, nobody would hold the runners of one.
   */
  async #replace(old: RunningJobs): Promise<void> {
    if (this.#stopping) return;
    this.#current = null;
    if (!this.#replacing) this.#lostAt = systemElapsed();
    void this.#retire(old);
    if (this.#replacing) return;
    this.#replacing = true;
    this.#options.log.warn({ job: true }, "the jobs lost their database; they begin anew");
    while (!this.#stopping && this.#current === null) {
      await sleep(RESTART_MS);
      await this.#beginWhereWritten().catch(() => undefined);
    }
    this.#replacing = false;
    this.#wake();
  }

  /** Runners of a database that takes no writes would only end again, each with its connections. */
  async #beginWhereWritten(): Promise<void> {
    await this.#pool.query(BEAT, [[]]);
    await this.#begin();
  }

  async #retire(old: RunningJobs): Promise<void> {
    const ids = idsOf(old);
    for (const id of ids) this.#ending.add(id);
    void stopped(old);
    await inTime(RETIRE_MS, old.idle());
    for (const id of ids) {
      this.#ending.delete(id);
      this.#ended.add(id);
    }
    this.#wake();
  }

  async #keepBeating(): Promise<void> {
    while (!this.#stopping) {
      await this.#beat().then(
        () => {
          this.#failedBeats = 0;
        },
        (error: unknown) => {
          // A holder of the table delays every process.
          this.#failedBeats = isHeldUp(error) ? 0 : this.#failedBeats + 1;
          this.#options.log.warn({ err: error, job: true }, "a beat of the jobs failed");
          this.#tellUnseen();
        },
      );
      await this.#rest();
    }
  }

  async #beat(): Promise<void> {
    const ended = [...this.#ended];
    if (ended.length > 0) await this.#pool.query(RELEASE, [ended]);
    for (const id of ended) this.#ended.delete(id);
    const alive = [...this.#ending, ...(this.#current === null ? [] : idsOf(this.#current))];
    await this.#pool.query(BEAT, [alive]);
    const { tasks, outside = {} } = this.#options;
    const outsideNames = Object.keys(outside);
    const names = [...Object.keys(tasks), ...outsideNames];
    const { rows } = await this.#pool.query<Beaten>(RELEASE_DEAD, [
      this.#beats.deadAfterMs,
      outsideNames,
      names,
    ]);
    const { released = 0, oldest_due_ms = 0, oldest_outside_ms = 0 } = rows[0] ?? {};
    this.#waits = {
      oldestDueMs: Math.max(oldest_due_ms, await this.#schedule.overdueMs()),
      oldestOutsideMs: oldest_outside_ms,
      oldestUntakenMs: await this.#lookForUntaken(names),
    };
    this.#seenAt = systemElapsed();
    this.#options.onBeat?.(this.#waits);
    await this.#pool.query(RETRY_IN_TIME);
    await this.#pool.query(RUN_AT_ONCE);
    await this.#pool.query(REMOVE_REPLACED);
    if (released > 0) {
      this.#options.log.warn({ job: true, released }, "jobs of a dead process run again");
    }
  }

  /** If nobody could look, due jobs may have waited since the last look, or longer. */
  #tellUnseen(): void {
    const { oldestDueMs } = this.#waits;
    const now = systemElapsed();
    this.#waits = { ...this.#waits, oldestDueMs: Math.round(oldestDueMs + now - this.#seenAt) };
    this.#seenAt = now;
    this.#options.onBeat?.(this.#waits);
  }

  /** Jobs of tasks that this process does not have say nothing about it: they count apart. */
  async #lookForUntaken(names: readonly string[]): Promise<number> {
    const { rows } = await this.#pool.query<{ task: string; waited_ms: number }>(UNTAKEN, [
      names,
      PLANNED_KEY,
    ]);
    const oldestMs = Math.max(0, ...rows.map(({ waited_ms }) => waited_ms));
    if (oldestMs > UNTAKEN_MS && systemElapsed() >= this.#untakenNamedUntil) {
      this.#untakenNamedUntil = systemElapsed() + UNTAKEN_NAMED_EVERY_MS;
      const tasks = rows.map(({ task }) => task);
      this.#options.log.warn({ job: true, tasks, oldestMs }, "jobs wait that nobody here takes");
    }
    return oldestMs;
  }

  /** Until the next beat, or until there is something to tell. */
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

function idsOf({ runners }: RunningJobs): string[] {
  return runners.map(({ id }) => id);
}

async function stopped({ runners }: RunningJobs): Promise<void> {
  await Promise.all(runners.map(({ runner }) => runner.stop().catch(() => undefined)));
}

/** Makes tasks for the library, and tells when none of them runs. */
export function watchedTasks() {
  let running = 0;
  const waiting: (() => void)[] = [];
  const one = (task: Task) => async (payload: unknown) => {
    running++;
    try {
      await task(payload);
    } finally {
      running--;
      if (running === 0) for (const done of waiting.splice(0)) done();
    }
  };
  return {
    watched: (tasks: Readonly<Record<string, Task>>) =>
      Object.fromEntries(Object.entries(tasks).map(([name, task]) => [name, one(task)])),
    idle: () =>
      running === 0 ? Promise.resolve() : new Promise<void>((done) => waiting.push(done)),
  };
}

/** What may leave an unknown lock behind, or a runner that hears of no new job. */
const LOSSES = ["pool:fatalError", "pool:listen:error", "worker:fatalError"] as const;

const BEAT = `INSERT INTO worker_processes (id, beat_at) SELECT id, now() FROM unnest($1::text[]) AS id
  ON CONFLICT (id) DO UPDATE SET beat_at = excluded.beat_at`;

const RELEASE = `WITH gone AS (DELETE FROM worker_processes WHERE id = ANY ($1::text[]))
  SELECT graphile_worker.force_unlock_workers($1::text[])`;

/**
 * Releases what is locked by nobody who beats, in any number of processes at once: the second finds
 * the locks gone or another's. A lock that is younger than the limit is left alone, since its
 * runner may be about to beat for the first time. A wrong clock wrote a time that is ahead of now.
 * Such a beat counts from now: a living runner overwrites it, a dead one times out. Such a lock
 * counts as expired, if it is ahead by more than transactions overlap.
 */
const RELEASE_DEAD = `WITH gone AS (
    DELETE FROM worker_processes WHERE beat_at < now() - $1 * interval '1 ms'
  ), ahead AS (
    UPDATE worker_processes SET beat_at = now() WHERE beat_at > now()
  ), dead AS (
    SELECT array_agg(DISTINCT j.locked_by) AS ids, count(*)::int AS released
    FROM graphile_worker.jobs j
    WHERE j.locked_by IS NOT NULL
      AND (j.locked_at < now() - $1 * interval '1 ms' OR j.locked_at > now() + interval '1 s')
      AND NOT EXISTS (SELECT FROM worker_processes w
                      WHERE w.id = j.locked_by AND w.beat_at >= now() - $1 * interval '1 ms')
  )
  SELECT released, graphile_worker.force_unlock_workers(coalesce(ids, '{}')),
    (SELECT coalesce(extract(epoch FROM now() - min(since)) * 1000, 0)::float8
     FROM (SELECT CASE WHEN task_identifier <> ALL ($2::text[]) THEN run_at
                       ELSE greatest(run_at, max(locked_at) OVER (PARTITION BY task_identifier))
                  END AS since
           FROM graphile_worker.jobs
           WHERE task_identifier = ANY ($3::text[])
             AND run_at <= now() AND (attempts < max_attempts OR locked_at IS NOT NULL)) due
    ) AS oldest_due_ms,
    (SELECT coalesce(extract(epoch FROM now() - min(run_at)) * 1000, 0)::float8
     FROM graphile_worker.jobs
     WHERE task_identifier = ANY ($2::text[]) AND run_at <= now()
       AND (attempts < max_attempts OR locked_at IS NOT NULL)) AS oldest_outside_ms
  FROM dead`;

interface Beaten {
  readonly released: number;
  readonly oldest_due_ms: number;
  readonly oldest_outside_ms: number;
}

/** Abandoned planned jobs are dropped elsewhere (`schedule.ts`). */
const UNTAKEN = `SELECT task_identifier AS task,
    (extract(epoch FROM now() - min(run_at)) * 1000)::float8 AS waited_ms
  FROM graphile_worker.jobs
  WHERE task_identifier <> ALL ($1::text[]) AND coalesce(NOT starts_with(key, $2), true)
    AND run_at <= now() AND (attempts < max_attempts OR locked_at IS NOT NULL)
  GROUP BY task_identifier ORDER BY task_identifier`;

/** A failed job waits at most from now on: a clock that was ahead made it wait for longer. */
const RETRY_IN_TIME = `SELECT graphile_worker.reschedule_jobs(array_agg(id),
    run_at := now() + exp(least(attempts, 10)) * interval '1 s')
  FROM graphile_worker.jobs
  WHERE attempts > 0 AND locked_at IS NULL
    AND run_at > now() + exp(least(attempts, 10)) * interval '1 s' + interval '1 s'
  GROUP BY attempts`;

/** A job that was due when it was added is due, also if the clock was ahead then. */
const RUN_AT_ONCE = `SELECT graphile_worker.reschedule_jobs(array_agg(id), run_at := now())
  FROM graphile_worker.jobs
  WHERE attempts = 0 AND locked_at IS NULL
    AND run_at > now() + interval '1 s' AND run_at <= updated_at HAVING count(*) > 0`;

/**
 * A job that is added again while it runs gives its key to the new one and has no further try: if
 * its process died meanwhile, it would stay for ever.
 */
const REMOVE_REPLACED = `SELECT graphile_worker.complete_jobs(array_agg(id))
  FROM graphile_worker.jobs
  WHERE key IS NULL AND attempts >= max_attempts AND locked_at IS NULL HAVING count(*) > 0`;

type Connected = Parameters<pg.Pool["connect"]>[0];

/**
 * The worker gives the listening connection back twice if it is lost as the worker stops, and gives
 * back one that it never got if it stops while it waits for one. Nobody handles the error, which
 * would end the process.
 */
class ForgivingPool extends pg.Pool {
  override connect(): Promise<pg.PoolClient>;
  override connect(connected: Connected): void;
  override connect(connected?: Connected): Promise<pg.PoolClient> | undefined {
    if (connected === undefined) return super.connect();
    super.connect((error, client, release) => {
      let given = client === undefined;
      connected(error, client, (fault) => {
        if (given) return;
        given = true;
        release(fault);
      });
    });
    return undefined;
  }
}

/**
 * The worker reads `bigint` columns as pg does by default: it writes failed jobs back as JSON,
 * which has no bigint, so one failed job over our pool would end the process.
 */
export function workerPool(pool: pg.Pool, log: Logger, outside: readonly string[] = []): pg.Pool {
  const max = CONNECTIONS + OUTSIDE_CONNECTIONS * outside.length;
  // Nobody waits for an answer here: a lock that is given up would only end the runner.
  const options = { ...pool.options, types: pg.types, max, lock_timeout: 0 };
  const own = new ForgivingPool(options);
  // A checked-out connection tells its statement of its loss; unhandled, the event would end us.
  own.on("connect", (client) => void client.on("error", () => undefined));
  own.on("error", (error) => log.warn({ err: error }, "idle job connection lost"));
  return own;
}

/** A statement that waited too long, or none: those that wait have all connections of the pool. */
function isHeldUp(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return HELD_CODES.has(error.code ?? "");
  return error instanceof Error && error.message === POOL_IS_FULL;
}

/** The worker's own chatter is for debugging; its errors and warnings are not. */
export function jobLogger(log: Logger): JobLogger {
  return new JobLogger(() => (level, message) => {
    if (level === "error") log.error({ job: true }, message);
    else if (level === "warning") log.warn({ job: true }, message);
    else log.debug({ job: true }, message);
  });
}
