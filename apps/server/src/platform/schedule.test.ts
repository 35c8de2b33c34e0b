import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { HOUR_MS, MINUTE_MS } from "@perya/kernel/instant";
import { parseCronItem } from "graphile-worker";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { databaseOfFile } from "../../../../tests/setup/test-database.ts";
import { addJob, type Jobs, startJobs, workerPool } from "./jobs.ts";
import { createLogger } from "./log.ts";
import { dueTimes, Schedule } from "./schedule.ts";

const log = createLogger({ level: "silent" });
const schedule = { ticks: "* * * * *" };
const beats = { everyMs: 100, deadAfterMs: 500 };
const JOBS_PROCESS = fileURLToPath(
  new URL("../../../../tests/server/jobs-process.ts", import.meta.url),
);
const SHIFTED_CLOCK = fileURLToPath(
  new URL("../../../../tests/faults/shifted-clock.mjs", import.meta.url),
);

const db = await databaseOfFile();

beforeEach(async () => {
  await db.pool.query("DELETE FROM planned_tasks");
  await db.pool.query("DELETE FROM graphile_worker._private_jobs");
});

describe("the schedule", () => {
  it.each([
    ["ahead", 1],
    ["behind", -1],
  ])(
    "goes on as before after a process whose machine is an hour %s has planned",
    async (_, hours) => {
      await plannedSince(-5 * MINUTE_MS);
      const child = spawn(
        process.execPath,
        ["--import", SHIFTED_CLOCK, "--import", "tsx", JOBS_PROCESS, db.url, "ticks"],
        { env: { ...process.env, CLOCK_OFFSET_MS: String(hours * HOUR_MS) }, stdio: "ignore" },
      );
      const ended = once(child, "exit");
      onTestFinished(() => void child.kill("SIGKILL"));
      // One due job makes up for five minutes.
      await expect.poll(waiting, { timeout: 20_000 }).toEqual([{ isDue: true }]);
      const ago = await plannedAgoMs();
      expect(ago).toBeGreaterThanOrEqual(0);
      expect(ago).toBeLessThan(61_000);
      child.kill("SIGKILL");
      await ended;
      const { ran } = await ticking();
      await expect.poll(ran).toBeGreaterThan(0);
      // While one runs no other is planned beside it.
      await expect.poll(waiting).toEqual([]);
      const before = ran();
      await plannedSince(-MINUTE_MS);
      await expect.poll(ran).toBeGreaterThan(before);
    },
    60_000,
  );

  it("takes a time ahead of now for wrong, and plans the last one that came", async () => {
    await plannedSince(HOUR_MS);
    const { ran } = await ticking();
    await expect.poll(ran).toBeGreaterThan(0);
    expect(await plannedAgoMs()).toBeGreaterThanOrEqual(0);
  });

  it("adds what was missed once, in one of many processes, and nothing for a new task", async () => {
    const pools = Array.from({ length: 4 }, () => workerPool(db.pool, log));
    const planners = pools.map(
      (pool) => new Schedule({ pool, log, patterns: schedule, everyMs: 1 }),
    );
    const planAll = () => Promise.all(planners.map((one) => one.plan()));
    await planAll();
    const { rows } = await db.pool.query("SELECT task FROM planned_tasks");
    expect(rows).toEqual([{ task: "ticks" }]);
    await plannedSince(-26 * HOUR_MS);
    await planAll();
    await planAll();
    const jobs = await db.pool.query("SELECT revision FROM graphile_worker.jobs");
    // The job of a minute that begins meanwhile replaces the one that waits.
    expect(jobs.rows.length).toBe(1);
    expect(jobs.rows[0].revision).toBeLessThanOrEqual(1);
    await Promise.all(pools.map((pool) => pool.end()));
  });

  it("leaves a task that nobody runs as late as its first job", async () => {
    const pool = workerPool(db.pool, log);
    const planner = new Schedule({ pool, log, patterns: schedule, everyMs: 1 });
    await plannedSince(-MINUTE_MS);
    await planner.plan();
    await db.pool.query(
      "UPDATE graphile_worker._private_jobs SET run_at = now() - interval '1 hour'",
    );
    await plannedSince(-MINUTE_MS);
    await planner.plan();
    const { rows } = await db.pool.query(
      "SELECT run_at < now() - interval '50 minutes' AS late FROM graphile_worker.jobs",
    );
    expect(rows).toEqual([{ late: true }]);
    // A place an hour ahead of the requested one is a wrong clock's.
    await db.pool.query(
      "UPDATE graphile_worker._private_jobs SET run_at = now() + interval '1 hour'",
    );
    await plannedSince(-MINUTE_MS);
    await planner.plan();
    expect(await waiting()).toEqual([{ isDue: true }]);
    await pool.end();
  });

  it("runs no task beside itself, however long it takes, and plans it again afterwards", async () => {
    await plannedSince(-MINUTE_MS);
    let [runs, atOnce, most] = [0, 0, 0];
    let finish: () => void = () => undefined;
    const long = async () => {
      runs++;
      most = Math.max(most, ++atOnce);
      if (runs === 1) {
        await new Promise<void>((done) => {
          finish = done;
        });
      }
      atOnce--;
    };
    const jobs = await startJobs({ pool: db.pool, log, schedule, beats, tasks: { ticks: long } });
    onTestFinished(() => jobs.stop());
    await expect.poll(() => runs).toBe(1);
    for (let times = 0; times < 3; times++) {
      await plannedSince(-MINUTE_MS);
      await expect.poll(plannedAgoMs).toBeLessThan(MINUTE_MS + 1_000);
      await sleep(4 * beats.everyMs);
    }
    expect([runs, most]).toEqual([1, 1]);
    finish();
    await expect.poll(waiting).toEqual([]);
    await plannedSince(-MINUTE_MS);
    await expect.poll(() => runs).toBeGreaterThan(1);
    expect(most).toBe(1);
  });

  it("drops the planned job of a task that nobody plans any more, and no other", async () => {
    const pool = workerPool(db.pool, log);
    const other = (task: string) =>
      new Schedule({ pool, log, patterns: { [task]: "* * * * *" }, everyMs: 1 });
    await db.pool.query(
      `INSERT INTO planned_tasks
       SELECT task, now() - interval '2 minutes' FROM unnest(ARRAY['ticks', 'old', 'newer']) AS task`,
    );
    for (const task of ["ticks", "old", "newer"]) await other(task).plan();
    await addJob(db.pool, { task: "old", payload: {}, key: "by nobody's clock", runAt: 0 });
    // For a week and longer neither the old task nor this process's own was planned.
    await db.pool.query(
      `UPDATE planned_tasks SET planned_at = now() - interval '8 days' WHERE task <> 'newer'`,
    );
    const jobs = await startJobs({
      ...{ pool: db.pool, log, schedule, beats },
      tasks: { another: async () => undefined },
    });
    const keys = async () =>
      (await db.pool.query("SELECT key FROM graphile_worker.jobs ORDER BY key")).rows;
    await expect
      .poll(keys)
      .toEqual(["by nobody's clock", "planned:newer", "planned:ticks"].map((key) => ({ key })));
    await jobs.stop();
    await pool.end();
  });

  it("that cannot be kept reports the oldest job with every beat, while the others run", async () => {
    await plannedSince(-20 * MINUTE_MS);
    await db.pool.query("ALTER TABLE planned_tasks ADD CHECK (planned_at IS NULL) NOT VALID");
    try {
      const { jobs, ran, oldest } = await ticking();
      await expect.poll(() => oldest.at(-1)).toBeGreaterThanOrEqual(19 * MINUTE_MS);
      expect(oldest.at(-1)).toBeLessThan(21 * MINUTE_MS);
      expect(jobs.health()).toMatchObject({ running: true, oldestDueMs: oldest.at(-1) });
      expect(ran()).toBe(0);
      await db.pool.query(
        "ALTER TABLE planned_tasks DROP CONSTRAINT planned_tasks_planned_at_check",
      );
      await expect.poll(ran).toBeGreaterThan(0);
      await expect.poll(() => oldest.at(-1)).toBeLessThan(2 * MINUTE_MS);
    } finally {
      await db.pool.query(
        "ALTER TABLE planned_tasks DROP CONSTRAINT IF EXISTS planned_tasks_planned_at_check",
      );
    }
  });

  it.each([
    ["17 * * * *", "10:18", "12:40", ["11:17", "12:17"]],
    ["*/10 * * * *", "10:10", "10:19:59.999", []],
    ["20 4 * * *", "00:00", "04:19:59", []],
    ["20 4 * * *", "00:00", "04:20", ["04:20", "04:20"]],
    ["20 4 * * *", "23:00", "10:00", ["04:20", "04:20"]],
  ])("reads %s in UTC: planned at %s and looked at at %s", (match, planned, now, expected) => {
    const at = (time: string) => Date.parse(`2030-01-05T${time}Z`);
    const times = dueTimes(parseCronItem({ task: "ticks", match }), {
      now: at(now),
      planned: new Map([["ticks", at(planned)]]),
    });
    expect(times === null ? [] : [times.first, times.last]).toEqual(expected.map(at));
  });
});

/** The task was planned last for the minute that is so far from the database's now. */
async function plannedSince(fromNowMs: number): Promise<void> {
  await db.pool.query(
    `INSERT INTO planned_tasks VALUES
       ('ticks', date_trunc('minute', now() + $1 * interval '1 ms'))
     ON CONFLICT (task) DO UPDATE SET planned_at = excluded.planned_at`,
    [fromNowMs],
  );
}

async function plannedAgoMs(): Promise<number> {
  const { rows } = await db.pool.query(
    "SELECT (extract(epoch FROM now() - planned_at) * 1000)::float8 AS ago FROM planned_tasks",
  );
  return rows[0].ago;
}

async function waiting() {
  const { rows } = await db.pool.query(
    'SELECT run_at <= now() AS "isDue" FROM graphile_worker.jobs',
  );
  return rows;
}

/** Jobs of this process, whose clock is right. */
async function ticking(): Promise<{ jobs: Jobs; ran: () => number; oldest: readonly number[] }> {
  const oldest: number[] = [];
  let runs = 0;
  const jobs = await startJobs({
    ...{ pool: db.pool, log, schedule, beats },
    tasks: { ticks: async () => void runs++ },
    onBeat: ({ oldestDueMs }) => void oldest.push(oldestDueMs),
  });
  // What a failed test leaves would take the jobs of the next.
  onTestFinished(() => jobs.stop());
  return { jobs, ran: () => runs, oldest };
}
