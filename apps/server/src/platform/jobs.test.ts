import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { describe, expect, it, vi } from "vitest";
import { runDueJobs } from "../../../../tests/setup/run-due-jobs.ts";
import { databaseOfFile } from "../../../../tests/setup/test-database.ts";
import { addJob, addJobs, BEATS, type JobWaits, POLL_MS, startJobs, workerPool } from "./jobs.ts";
import { createLogger } from "./log.ts";
import { withTransaction } from "./postgres/pool.ts";

const log = createLogger({ level: "silent" });

const db = await databaseOfFile();

describe("jobs of the job table", () => {
  it("exist only if the transaction that added them is committed", async () => {
    const ran: unknown[] = [];
    const add = (db: Parameters<typeof addJob>[0], payload: string) =>
      addJob(db, { task: "note", payload, key: payload, runAt: 0 });
    await withTransaction(db.pool, (client) => add(client, "kept"));
    const undone = withTransaction(db.pool, async (client) => {
      await add(client, "undone");
      throw new Error("changed my mind");
    });
    await expect(undone).rejects.toThrow("changed my mind");
    await runDueJobs({ pool: db.pool, log, tasks: { note: async (one) => void ran.push(one) } });
    expect(ran).toEqual(["kept"]);
  });

  it("that are added twice under one key run once", async () => {
    let runs = 0;
    for (let i = 0; i < 2; i++) {
      await addJob(db.pool, { task: "count", payload: {}, key: "same", runAt: 0 });
    }
    await runDueJobs({ pool: db.pool, log, tasks: { count: async () => void runs++ } });
    expect(runs).toBe(1);
  });

  it("that several processes take up at once, in any order, are added by each", async () => {
    const jobs = Array.from({ length: 200 }, (_, i) => {
      return { task: "left", payload: {}, key: `left ${i}`, runAt: 0 };
    });
    for (let i = 0; i < 10; i++) {
      await Promise.all([
        addJobs(db.pool, jobs),
        addJobs(db.pool, jobs.toReversed()),
        addJobs(db.pool, jobs),
        addJobs(db.pool, jobs.toReversed()),
      ]);
    }
    let runs = 0;
    await runDueJobs({ pool: db.pool, log, tasks: { left: async () => void runs++ } });
    expect(runs).toBe(200);
  });

  it("that are taken up again never run beside themselves, and run again once that run has ended", async () => {
    let [runs, atOnce, most] = [0, 0, 0];
    const again = () =>
      addJob(db.pool, { task: "long", payload: {}, key: "long", runAt: 0, unlessRunning: true });
    const long = async () => {
      most = Math.max(most, ++atOnce);
      if (runs++ === 0) {
        await again();
        await runDueJobs({ pool: db.pool, log, tasks: { long } });
      }
      atOnce--;
    };
    await again();
    await runDueJobs({ pool: db.pool, log, tasks: { long } });
    expect([runs, most]).toEqual([1, 1]);
    await again();
    await runDueJobs({ pool: db.pool, log, tasks: { long } });
    expect([runs, most]).toEqual([2, 1]);
  });

  it("that fail are kept and run again later, and their neighbours run all the same", async () => {
    let broken = true;
    const ran: string[] = [];
    const tasks = {
      fails: async () => {
        if (broken) throw new Error("not now");
        ran.push("fails");
      },
      works: async () => void ran.push("works"),
    };
    await addJob(db.pool, { task: "fails", payload: {}, key: "fails", runAt: 0 });
    await addJob(db.pool, { task: "works", payload: {}, key: "works", runAt: 0 });
    await runDueJobs({ pool: db.pool, log, tasks });
    expect(ran).toEqual(["works"]);
    const { rows } = await db.pool.query(
      "SELECT attempts, last_error FROM graphile_worker.jobs WHERE task_identifier = 'fails'",
    );
    expect(rows).toEqual([{ attempts: 1, last_error: expect.stringContaining("not now") }]);

    broken = false;
    await db.pool.query(
      "SELECT graphile_worker.reschedule_jobs(array_agg(id), run_at := now()) FROM graphile_worker.jobs",
    );
    await runDueJobs({ pool: db.pool, log, tasks });
    expect(ran).toEqual(["works", "fails"]);
  });

  it("run as soon as they are added, and finish before the worker has stopped", async () => {
    let started: () => void = () => undefined;
    const underWay = new Promise<void>((resolve) => {
      started = resolve;
    });
    let finished = false;
    const tasks = {
      slow: async () => {
        started();
        await new Promise((turn) => setImmediate(turn));
        finished = true;
      },
    };
    const jobs = await startJobs({ pool: db.pool, log, tasks, schedule: {} });
    await addJob(db.pool, { task: "slow", payload: {}, key: "slow", runAt: 0 });
    await underWay;
    await jobs.stop();
    expect(finished).toBe(true);
  });
});

describe("jobs that wait for an outside service", () => {
  it("delay neither the others nor those that wait for another service, and are not late meanwhile", async () => {
    const longAgo = Date.now() - 90_000;
    const begun: unknown[] = [];
    const ran: unknown[] = [];
    const oldest: number[] = [];
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((done) => {
      answer = done;
    });
    const outside = {
      asks_slow: async (payload: unknown) => {
        begun.push(payload);
        await answered;
      },
      asks_quick: async (payload: unknown) => void ran.push(payload),
    };
    const tasks = { asks_nobody: async (payload: unknown) => void ran.push(payload) };
    for (let i = 0; i < 8; i++) {
      const job = { task: "asks_slow", payload: i, key: `slow ${i}`, runAt: longAgo + i };
      await addJob(db.pool, job);
    }
    const beats = { everyMs: 50, deadAfterMs: 5_000 };
    const oldestOutside: number[] = [];
    const onBeat = (waits: JobWaits) => {
      oldest.push(waits.oldestDueMs);
      oldestOutside.push(waits.oldestOutsideMs);
    };
    const options = { pool: db.pool, log, tasks, outside, schedule: {}, beats, onBeat };
    const jobs = await startJobs(options);
    await expect.poll(() => begun).toEqual([0]);
    for (const task of ["asks_quick", "asks_nobody"]) {
      await addJob(db.pool, { task, payload: task, key: task, runAt: longAgo });
    }
    await expect.poll(() => [...ran].sort()).toEqual(["asks_nobody", "asks_quick"]);
    await expect.poll(() => oldest.at(-1)).toBeLessThan(60_000);
    // Nothing here is late, but the caller that waits for the answers is.
    expect(oldestOutside.at(-1)).toBeGreaterThanOrEqual(Date.now() - longAgo - 5_000);
    expect(begun).toEqual([0]);
    answer();
    await expect.poll(() => begun).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    await jobs.stop();
  });
});

describe("jobs of a process that died", () => {
  const beats = { everyMs: 100, deadAfterMs: 500 };

  it("run again in another one within a minute, each once if several look for them", async () => {
    expect(BEATS.everyMs + BEATS.deadAfterMs + POLL_MS).toBeLessThan(60_000);
    expect(BEATS.deadAfterMs).toBeGreaterThanOrEqual(3 * BEATS.everyMs);
    const ran: unknown[] = [];
    const script = fileURLToPath(
      new URL("../../../../tests/server/jobs-process.ts", import.meta.url),
    );
    const child = spawn(process.execPath, ["--import", "tsx", script, db.url]);
    const ended = once(child, "exit");
    for (const key of ["one", "two"]) {
      await addJob(db.pool, { task: "endless", payload: key, key, runAt: 0 });
    }
    let begun = "";
    for await (const bytes of child.stdout) {
      begun += bytes;
      if (begun.includes("one") && begun.includes("two")) break;
    }
    // While it lives, however long its jobs take, they are its own.
    const living = await startAll(2, ran);
    await new Promise((turn) => setTimeout(turn, 2 * beats.deadAfterMs));
    expect(ran).toEqual([]);
    child.kill("SIGKILL");
    await ended;
    await expect.poll(() => [...ran].sort(), { timeout: 10_000 }).toEqual(["one", "two"]);
    for (const jobs of living) await jobs.stop();
    const { rows } = await db.pool.query("SELECT FROM worker_processes");
    expect(rows).toEqual([]);
  });

  it("while the database's clock was an hour ahead run again as soon, and none that a living one has", async () => {
    const ran: unknown[] = [];
    let begun = 0;
    let finish: () => void = () => undefined;
    const finished = new Promise<void>((done) => {
      finish = done;
    });
    const held = async () => {
      begun++;
      await finished;
    };
    const holding = await startJobs({ pool: db.pool, log, schedule: {}, beats, tasks: { held } });
    await addJob(db.pool, { task: "held", payload: {}, key: "living", runAt: 0 });
    await expect.poll(() => begun).toBe(1);
    await addJob(db.pool, { task: "endless", payload: "dead", key: "dead", runAt: 0 });
    await db.pool.query(
      `UPDATE graphile_worker._private_jobs SET locked_by = coalesce(locked_by, 'dead'),
         locked_at = now() + interval '1 hour'`,
    );
    await db.pool.query("INSERT INTO worker_processes VALUES ('dead', now())");
    await db.pool.query("UPDATE worker_processes SET beat_at = now() + interval '1 hour'");
    const living = await startAll(1, ran);
    await expect.poll(() => ran, { timeout: 10_000 }).toEqual(["dead"]);
    await new Promise((turn) => setTimeout(turn, 2 * beats.deadAfterMs));
    const { rows } = await db.pool.query("SELECT key, locked_by FROM graphile_worker.jobs");
    expect(rows).toEqual([{ key: "living", locked_by: expect.any(String) }]);
    expect(begun).toBe(1);
    for (const jobs of living) await jobs.stop();
    finish();
    await holding.stop();
  }, 40_000);

  it("that were added again meanwhile run once, and leave nothing behind", async () => {
    const ran: unknown[] = [];
    const add = (payload: string) =>
      addJob(db.pool, { task: "endless", payload, key: "replaced", runAt: 0 });
    await add("old");
    await db.pool.query(
      `UPDATE graphile_worker._private_jobs SET locked_by = 'dead', attempts = 1,
         locked_at = now() - interval '1 minute'`,
    );
    await add("new");
    const living = await startAll(1, ran);
    const left = async () => (await db.pool.query("SELECT FROM graphile_worker.jobs")).rowCount;
    await expect.poll(left).toBe(0);
    expect(ran).toEqual(["new"]);
    for (const jobs of living) await jobs.stop();
  });

  it("and one that failed then wait for their next try from now on, not from then", async () => {
    const at = "(extract(epoch FROM run_at - now()))::float8";
    for (const key of ["failed", "planned"]) {
      const runAt = Date.now() + 3_600_000;
      await addJob(db.pool, { task: "nobody_runs", payload: {}, key, runAt });
    }
    await db.pool.query(
      "UPDATE graphile_worker._private_jobs SET attempts = 3 WHERE key = 'failed'",
    );
    const [jobs] = await startAll(1, []);
    const waits = async () => {
      const { rows } = await db.pool.query(
        `SELECT key, ${at} AS seconds FROM graphile_worker.jobs ORDER BY key`,
      );
      return rows.map(({ seconds }) => seconds > 30);
    };
    await expect.poll(waits).toEqual([false, true]);
    await jobs?.stop();
    await db.pool.query("DELETE FROM graphile_worker._private_jobs");
  });

  it("and one that was due when it was added, by a clock that was ahead, are due, and none that is planned", async () => {
    const planned = Date.now() + 3_600_000;
    await addJob(db.pool, { task: "endless", payload: "due", key: "due", runAt: null });
    await addJob(db.pool, { task: "endless", payload: "soon", key: "planned", runAt: planned });
    // As a clock an hour ahead wrote it.
    await db.pool.query(
      `UPDATE graphile_worker._private_jobs SET run_at = now() + interval '1 hour',
         created_at = now() + interval '1 hour', updated_at = now() + interval '1 hour'
       WHERE key = 'due'`,
    );
    const ran: unknown[] = [];
    const [jobs] = await startAll(1, ran);
    await expect.poll(() => ran, { timeout: 10_000 }).toEqual(["due"]);
    await jobs?.stop();
    const { rows } = await db.pool.query("SELECT key FROM graphile_worker.jobs");
    expect(rows).toEqual([{ key: "planned" }]);
    await db.pool.query("DELETE FROM graphile_worker._private_jobs");
  });

  function startAll(count: number, ran: unknown[]) {
    const tasks = { endless: async (payload: unknown) => void ran.push(payload) };
    const options = { pool: db.pool, log, schedule: {}, beats, tasks };
    return Promise.all(Array.from({ length: count }, () => startJobs(options)));
  }
});

describe("a process's beat", () => {
  it("tells the age of the oldest due job", async () => {
    const longAgo = Date.now() - 90_000;
    await addJob(db.pool, { task: "held", payload: {}, key: "old", runAt: longAgo });
    const oldest: number[] = [];
    const running: (() => void)[] = [];
    const held = () => new Promise<void>((done) => void running.push(done));
    const onBeat = ({ oldestDueMs }: JobWaits) => void oldest.push(oldestDueMs);
    const jobs = await startJobs({
      ...{
        pool: db.pool,
        log,
        schedule: {},
        beats: { everyMs: 100, deadAfterMs: 500 },
        tasks: { held },
        onBeat,
      },
    });
    await expect.poll(() => Math.max(0, ...oldest)).toBeGreaterThanOrEqual(90_000);
    expect(jobs.health()).toMatchObject({ running: true });
    // A beat may come before the job is taken.
    await expect.poll(() => running.length).toBe(1);
    for (const finish of running) finish();
    await jobs.stop();
  });

  it("names the jobs that nobody takes, which make nobody late and keep their place if they are added again", async () => {
    const [first, second] = [Date.now() - 600_000, Date.now() - 80_000];
    const add = (key: string, runAt: number) =>
      addJob(db.pool, { task: "asks", payload: key, key, runAt, keepsPlace: true });
    await add("one", first);
    await add("two", second);
    await add("one", Date.now());
    const waits: JobWaits[] = [];
    const options = {
      ...{ pool: db.pool, log, tasks: { other: async () => undefined }, schedule: {} },
      beats: { everyMs: 50, deadAfterMs: 5_000 },
      onBeat: (now: JobWaits) => void waits.push(now),
    };
    const warned = vi.spyOn(log, "warn");
    const idle = await startJobs(options);
    await expect.poll(() => waits.length).toBeGreaterThan(3);
    expect(waits.at(-1)).toMatchObject({ oldestDueMs: 0, oldestOutsideMs: 0 });
    expect(waits.at(-1)?.oldestUntakenMs).toBeGreaterThanOrEqual(600_000);
    expect(idle.health().oldestDueMs).toBe(0);
    expect(warned.mock.calls).toEqual([
      [expect.objectContaining({ tasks: ["asks"] }), expect.stringContaining("nobody here takes")],
    ]);
    warned.mockRestore();
    await idle.stop();
    const ran: unknown[] = [];
    const outside = { asks: async (payload: unknown) => void ran.push(payload) };
    const jobs = await startJobs({ ...options, outside });
    await expect.poll(() => ran).toEqual(["one", "two"]);
    await jobs.stop();
  });
});

describe("a runner of jobs", () => {
  it("whose connection is cut while it marks a job as done goes on and runs it again", async () => {
    let runs = 0;
    let finish: () => void = () => undefined;
    const held = new Promise<void>((done) => {
      finish = done;
    });
    const tasks = {
      cut: async () => {
        runs++;
        await held;
      },
    };
    const jobs = await startJobs({ pool: db.pool, log, tasks, schedule: {} });
    await addJob(db.pool, { task: "cut", payload: {}, key: "cut", runAt: 0 });
    await expect.poll(() => runs).toBe(1);
    await withTransaction(db.pool, async (client) => {
      await client.query("LOCK TABLE graphile_worker._private_jobs IN ACCESS EXCLUSIVE MODE");
      finish();
      // Not one that looks for the next job.
      const marking =
        "wait_event_type = 'Lock' AND query ILIKE '%delete from%_private_jobs as jobs%'";
      await expect.poll(() => cutOff(marking)).not.toBe(0);
    });
    await expect.poll(() => runs, { timeout: 10_000 }).toBe(2);
    await expect.poll(left, { timeout: 10_000 }).toBe(0);
    await jobs.stop();
  });

  it("whose connections are all cut, again and again, takes jobs as before", async () => {
    let runs = 0;
    const tasks = { count: async () => void runs++ };
    const jobs = await startJobs({ pool: db.pool, log, tasks, schedule: {} });
    for (let cut = 1; cut <= 3; cut++) {
      await cutOff("true");
      await addJob(db.pool, { task: "count", payload: {}, key: `after ${cut}`, runAt: 0 });
      await expect.poll(() => runs, { timeout: 5_000 }).toBe(cut);
      // A cut while the job is marked as done makes it run again, as it should.
      await expect.poll(left).toBe(0);
    }
    await expect.poll(() => jobs.health().running).toBe(true);
    await jobs.stop();
  });

  it("whose table somebody holds is late and older by the minute, and stops no process's service", async () => {
    const pool = new pg.Pool({ ...db.pool.options, statement_timeout: 600 });
    const warned = vi.spyOn(log, "warn");
    const failed = () =>
      warned.mock.calls.filter(([, told]) => told === "a beat of the jobs failed");
    const told: number[] = [];
    const beats = { everyMs: 500, deadAfterMs: 60_000 };
    const onBeat = ({ oldestDueMs }: { oldestDueMs: number }) => void told.push(oldestDueMs);
    let runs = 0;
    let finish: () => void = () => undefined;
    const ended = new Promise<void>((done) => {
      finish = done;
    });
    const tasks = {
      count: async () => {
        runs++;
        await ended;
      },
    };
    const names = ["ask", "beg", "call", "demand", "enquire", "fetch"];
    const outside = Object.fromEntries(names.map((name) => [name, async () => undefined]));
    const jobs = await startJobs({ pool, log, tasks, outside, schedule: {}, beats, onBeat });
    await addJob(db.pool, { task: "count", payload: {}, key: "at work", runAt: 0 });
    await expect.poll(() => runs).toBe(1);
    await expect.poll(() => told.length).toBeGreaterThan(0);
    const holder = await db.pool.connect();
    await holder.query("BEGIN; LOCK graphile_worker._private_jobs");
    try {
      // It cannot be marked as done, which ends its runner.
      finish();
      const healthy: boolean[] = [];
      while (failed().length < 5) {
        healthy.push(jobs.health().running);
        await sleep(20);
      }
      expect(healthy).not.toContain(false);
      expect(jobs.health().oldestDueMs).toBeGreaterThan(1_000);
      expect(told.at(-1)).toBe(jobs.health().oldestDueMs);
    } finally {
      await holder.query("ROLLBACK");
      holder.release();
    }
    await expect.poll(left, { timeout: 10_000 }).toBe(0);
    await expect
      .poll(() => jobs.health(), { timeout: 5_000 })
      .toEqual({ running: true, oldestDueMs: 0 });
    await jobs.stop();
    await pool.end();
    warned.mockRestore();
  });

  it("whose database takes no writes for a while waits for it, and listens once afterwards", async () => {
    let runs = 0;
    const tasks = { count: async () => void runs++ };
    const names = ["ask", "beg", "call", "demand", "enquire", "fetch"];
    const outside = Object.fromEntries(names.map((name) => [name, async () => undefined]));
    const beats = { everyMs: 300, deadAfterMs: 60_000 };
    const jobs = await startJobs({ pool: db.pool, log, tasks, outside, schedule: {}, beats });
    const warned = vi.spyOn(log, "warn");
    await takeWrites(false);
    await expect.poll(() => jobs.health().running, { timeout: 5_000 }).toBe(false);
    // As long as several tries to begin anew.
    await sleep(3_000);
    const begunAnew = warned.mock.calls.filter(([, told]) => told?.includes("begin anew"));
    expect(begunAnew).toHaveLength(1);
    await takeWrites(true);
    await expect.poll(() => jobs.health().running, { timeout: 5_000 }).toBe(true);
    await addJob(db.pool, { task: "count", payload: {}, key: "written", runAt: 0 });
    await expect.poll(() => runs, { timeout: 5_000 }).toBe(1);
    await expect.poll(listeners).toBe(1 + names.length);
    await jobs.stop();
    expect(await listeners()).toBe(0);
  }, 30_000);

  it("whose listening connection is given back twice goes on", async () => {
    const own = workerPool(db.pool, log);
    await new Promise<void>((done, fail) => {
      own.connect((error, _client, release) => {
        if (error !== undefined) return fail(error);
        release(new Error("lost"));
        release();
        done();
      });
    });
    expect((await own.query("SELECT 1")).rowCount).toBe(1);
    await own.end();
  });

  it("that stops while it waits for a connection in vain gives back none, and ends no process", async () => {
    const own = workerPool(db.pool, log);
    const held = await Promise.all(
      Array.from({ length: own.options.max ?? 0 }, () => own.connect()),
    );
    own.options.connectionTimeoutMillis = 50;
    await new Promise<void>((done, fail) => {
      own.connect((error, _client, release) => {
        try {
          expect(error?.message).toContain("timeout exceeded");
          release();
          done();
        } catch (fault) {
          fail(fault);
        }
      });
    });
    for (const client of held) client.release();
    await own.end();
  });

  async function takeWrites(isWriting: boolean): Promise<void> {
    const own = new pg.Client({ connectionString: db.url });
    await own.connect();
    const setting = `default_transaction_read_only = ${isWriting ? "off" : "on"}`;
    await own.query("SET default_transaction_read_only = off");
    await own.query(`ALTER DATABASE ${own.escapeIdentifier(own.database ?? "")} SET ${setting}`);
    await own.end();
    await cutOff("true");
  }

  async function listeners(): Promise<number> {
    const { rowCount } = await db.pool.query(
      `SELECT FROM pg_stat_activity
       WHERE datname = current_database() AND query LIKE 'LISTEN %'`,
    );
    return rowCount ?? 0;
  }

  async function cutOff(which: string): Promise<number> {
    const { rowCount } = await db.pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid() AND ${which}`,
    );
    return rowCount ?? 0;
  }

  async function left(): Promise<number> {
    return (await db.pool.query("SELECT FROM graphile_worker.jobs")).rowCount ?? 0;
  }
});
