import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../../tests/setup/test-database.ts";
import { addJob, migrateJobs, runDueJobs, startJobs } from "./jobs.ts";
import { createLogger } from "./log.ts";
import { withTransaction } from "./postgres/pool.ts";

const log = createLogger({ level: "silent" });
let db: TestDatabase;

beforeAll(async () => {
  db = await createTestDatabase();
  await migrateJobs(db.pool, log);
});

afterAll(() => db.drop());

describe("jobs", () => {
  it("are there only if the transaction that added them is", async () => {
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
