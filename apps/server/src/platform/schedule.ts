import { setTimeout as sleep } from "node:timers/promises";
import { DAY_MS, type Instant, MINUTE_MS } from "@perya/kernel/instant";
import { type ParsedCronItem, parseCronItems } from "graphile-worker";
import type pg from "pg";
import type { Logger } from "./log.ts";
import { addJobsOf, NEW_JOB_COLUMNS, type NewJob } from "./new-job.ts";

export const PLANNED_KEY = "planned:";
/** A time that was missed longer ago than this is not made up for. */
const MADE_UP_MS = 7 * DAY_MS;

export interface ScheduleOptions {
  readonly pool: pg.Pool;
  readonly log: Logger;
  /** Tasks to their cron patterns, in UTC. */
  readonly patterns: Readonly<Record<string, string>>;
  /** Between two looks; there is also one with every minute that begins. */
  readonly everyMs: number;
}

export interface Reading {
  readonly now: Instant;
  readonly planned: ReadonlyMap<string, Instant>;
}

/**
 * Adds the jobs that run by the clock: the database's, whatever a machine's own one says. One
 * process handles each minute, and one job makes up for missed times.
 */
export class Schedule {
  readonly #options: ScheduleOptions;
  readonly #items: readonly ParsedCronItem[];

  constructor(options: ScheduleOptions) {
    this.#options = options;
    this.#items = parseCronItems(
      Object.entries(options.patterns).map(([task, match]) => ({ task, match })),
    );
  }

  async follow(signal: AbortSignal): Promise<void> {
    const { everyMs, log } = this.#options;
    while (!signal.aborted && this.#items.length > 0) {
      const restMs = await this.plan().catch((error: unknown) => {
        log.warn({ err: error, job: true }, "the planned jobs were not added");
        return everyMs;
      });
      await sleep(restMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /**
   * Adds one job of each task that came due since it was planned last, and drops those of tasks
   * that nobody has planned for long, such as an earlier version's; answers when to look again.
   */
  async plan(): Promise<number> {
    const { pool, everyMs } = this.#options;
    const reading = await this.#read();
    const unknown = this.#items.filter(({ task }) => !reading.planned.has(task));
    if (unknown.length > 0) await pool.query(KNOW, [unknown.map(({ task }) => task)]);
    const due = this.#items.flatMap((item) => {
      const times = dueTimes(item, reading);
      return times === null ? [] : [jobOf(item.task, times.last)];
    });
    if (due.length > 0) await pool.query(PLAN, [JSON.stringify(due)]);
    const own = this.#items.map(({ task }) => task);
    await pool.query(DROP, [own, PLANNED_KEY, MADE_UP_MS]);
    return Math.min(everyMs, MINUTE_MS - (reading.now % MINUTE_MS));
  }

  /** How long the job that waits longest to be added has waited; 0 for none. */
  async overdueMs(): Promise<number> {
    if (this.#items.length === 0) return 0;
    const reading = await this.#read();
    const waits = this.#items.map((item) => {
      const times = dueTimes(item, reading);
      return times === null ? 0 : reading.now - times.first;
    });
    return Math.max(...waits);
  }

  async #read(): Promise<Reading> {
    const tasks = this.#items.map(({ task }) => task);
    const { rows } = await this.#options.pool.query<{
      now: number;
      task: string | null;
      planned: number | null;
    }>(READ, [tasks]);
    const planned = rows.flatMap((row) =>
      row.task === null || row.planned === null ? [] : ([[row.task, row.planned]] as const),
    );
    return { now: Math.floor(rows[0]?.now ?? 0), planned: new Map(planned) };
  }
}

/**
 * At most one of a task waits, and it keeps its place: if nobody runs it, it shows as late. One
 * that takes longer than its period never runs beside itself, and the next one begins after it.
 */
function jobOf(task: string, runAt: Instant): NewJob {
  const key = PLANNED_KEY + task;
  return { task, payload: {}, key, runAt, keepsPlace: true, unlessRunning: true };
}

/**
 * The first and the last time for which a task must still be planned; null if there is none. An
 * unknown task is planned from now on. One that was planned ahead of now, as only a wrong clock
 * does, is planned for the last time that came.
 */
export function dueTimes(item: ParsedCronItem, { now, planned }: Reading) {
  const before = planned.get(item.task);
  if (before === undefined) return null;
  const isAhead = before > now;
  const after = isAhead ? now - MADE_UP_MS : Math.max(before, now - MADE_UP_MS);
  let first: Instant | null = null;
  let last: Instant | null = null;
  for (let at = now - (now % MINUTE_MS); at > after; at -= MINUTE_MS) {
    if (!isTime(item, at)) continue;
    first = at;
    last ??= at;
    if (isAhead) break;
  }
  return first === null || last === null ? null : { first, last };
}

function isTime(item: ParsedCronItem, at: Instant): boolean {
  const day = new Date(at);
  return item.match({
    min: day.getUTCMinutes(),
    hour: day.getUTCHours(),
    date: day.getUTCDate(),
    month: day.getUTCMonth() + 1,
    dow: day.getUTCDay(),
  });
}

const READ = `SELECT (extract(epoch FROM now()) * 1000)::float8 AS now, task,
    (extract(epoch FROM planned_at) * 1000)::float8 AS planned
  FROM (SELECT) AS one LEFT JOIN planned_tasks ON task = ANY ($1::text[])`;

const KNOW = `INSERT INTO planned_tasks (task, planned_at)
  SELECT task, date_trunc('minute', now()) FROM unnest($1::text[]) AS task
  ON CONFLICT (task) DO NOTHING`;

/**
 * The process that moves the row adds the job, so one of all that find it due does. A process that
 * slept moves no row back by what it found long ago.
 */
const PLAN = `WITH u AS (
    UPDATE planned_tasks p SET planned_at = to_timestamp(due."runAt" / 1000.0)
    FROM jsonb_to_recordset($1) AS due(${NEW_JOB_COLUMNS})
    WHERE p.task = due.task AND to_timestamp(due."runAt" / 1000.0) <= now()
      AND (p.planned_at < to_timestamp(due."runAt" / 1000.0) OR p.planned_at > now())
    RETURNING due.*
  ) ${addJobsOf("u")}`;

/** Another version plans its own task, so that is never so long ago. */
const DROP = `SELECT graphile_worker.complete_jobs(array_agg(j.id))
  FROM planned_tasks p JOIN graphile_worker.jobs j ON j.key = $2 || p.task
  WHERE p.task <> ALL ($1::text[]) AND p.planned_at < now() - $3 * interval '1 ms'
    AND j.locked_at IS NULL HAVING count(*) > 0`;
