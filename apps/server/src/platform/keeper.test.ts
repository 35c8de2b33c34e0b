import { setTimeout as realSleep } from "node:timers/promises";
import { type Clock, HOUR_MS, SECOND_MS } from "@perya/kernel/instant";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { isQuiet, manualClock } from "../../../../tests/server/fixtures.ts";
import { databaseOfFile } from "../../../../tests/setup/test-database.ts";
import { KEEPER_LEASE_MS, Keeper } from "./keeper.ts";
import { createLease } from "./lease.ts";
import { createLogger } from "./log.ts";

/** Shorter than the second after which a lease is kept anew. */
const STEP_MS = SECOND_MS / 2;
const clock = manualClock();
const log = createLogger({ level: "silent" });
let names = 0;

const db = await databaseOfFile();
// Only the keeper waits by timers here; the database's sockets go on in real time.
beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

describe("a keeper that wakes", () => {
  it("does nothing more of its round if another process has kept the game meanwhile", async () => {
    const { keeper, done, leaseOf, asleep } = await begun();
    asleep(KEEPER_LEASE_MS + 1);
    expect(await leaseOf("heir").hold()).toBe(true);
    vi.advanceTimersByTime(STEP_MS);
    await until(() => done.includes("watched"));
    expect(done).toEqual(["took over", "waits", "watched"]);
    await keeper.stop();
  });

  it("does nothing more of its round if another one has kept the game and is gone again", async () => {
    const { keeper, done, leaseOf, asleep } = await begun();
    asleep(KEEPER_LEASE_MS + 1);
    expect(await leaseOf("heir").hold()).toBe(true);
    await leaseOf("heir").release();
    vi.advanceTimersByTime(STEP_MS);
    await until(() => done.filter((one) => one === "took over").length === 2);
    expect(done.slice(0, 3)).toEqual(["took over", "waits", "took over"]);
    await keeper.stop();
  });

  it("does nothing more of its round if nobody has kept the game for a lease's life", async () => {
    const { keeper, done, asleep } = await begun();
    asleep(KEEPER_LEASE_MS + 1);
    vi.advanceTimersByTime(STEP_MS);
    await until(() => done.includes("stepped"));
    expect(done.slice(0, 5)).toEqual(["took over", "waits", "took over", "waits", "stepped"]);
    await keeper.stop();
  });

  it("goes on with its round if its lease has not ended", async () => {
    const { keeper, done, asleep } = await begun();
    asleep(KEEPER_LEASE_MS - SECOND_MS);
    vi.advanceTimersByTime(STEP_MS);
    await until(() => done.includes("stepped"));
    expect(done.slice(0, 3)).toEqual(["took over", "waits", "stepped"]);
    await keeper.stop();
  });
});

describe("a clock that is set back an hour while a keeper waits", () => {
  it("makes it begin its round anew within two seconds, and keep its lease meanwhile", async () => {
    const { keeper, done, leaseOf } = await begun(KEEPER_LEASE_MS);
    clock.set(clock.now() - HOUR_MS);
    const setBackAt = clock.now();
    await until(() => done.filter((one) => one === "waits").length === 2);
    expect(clock.now() - setBackAt).toBeLessThan(2.5 * SECOND_MS);
    expect(done).toEqual(["took over", "waits", "took over", "waits"]);
    expect(await leaseOf("heir").hold()).toBe(false);
    await until(() => done.includes("stepped"));
    await keeper.stop();
  });

  it("by less than a second makes it wait for the instant, and no less", async () => {
    const { keeper, done } = await begun();
    const stepsAt = clock.now() + STEP_MS;
    clock.set(clock.now() - STEP_MS);
    await until(() => done.includes("stepped"));
    expect(clock.now()).toBeGreaterThanOrEqual(stepsAt);
    expect(done.slice(0, 3)).toEqual(["took over", "waits", "stepped"]);
    await keeper.stop();
  });
});

describe("a clock that is set ahead while a keeper waits", () => {
  it.each([2 * SECOND_MS, HOUR_MS])("by %i ms makes it begin its round anew", async (ms) => {
    const { keeper, done } = await begun(KEEPER_LEASE_MS);
    clock.set(clock.now() + ms);
    await until(() => done.includes("stepped"));
    expect(done.slice(0, 5)).toEqual(["took over", "waits", "took over", "waits", "stepped"]);
    await keeper.stop();
  });
});

it("a clock that says that it was set while a keeper waits makes it begin its round anew, however little it jumped", async () => {
  let setAt = Number.NEGATIVE_INFINITY;
  const telling = { now: clock.now, sinceSetMs: () => clock.elapsed() - setAt };
  const { keeper, done } = await begun(KEEPER_LEASE_MS, telling);
  clock.advance(1);
  clock.set(clock.now() - 60);
  setAt = clock.elapsed();
  await until(() => done.includes("stepped"));
  // Setting the clock before a round does not affect it.
  expect(done.slice(0, 5)).toEqual(["took over", "waits", "took over", "waits", "stepped"]);
  await keeper.stop();
});

describe("a keeper's work", () => {
  it("that it waits for keeps the lease for as long as that takes", async () => {
    let end: () => void = () => undefined;
    const work = new Promise<void>((done) => {
      end = done;
    });
    const done: string[] = [];
    const name = `game ${names++}`;
    const leaseOf = (holder: string) => createLease(db.pool, clock, name, holder, KEEPER_LEASE_MS);
    const begunAt = clock.now();
    const keeper = new Keeper({
      kept: {
        watch: async () => undefined,
        takeOver: async ({ during }) => {
          done.push("begins");
          await during(work);
          done.push("ends");
        },
        round: async ({ until }) => void (await until(clock.now() + STEP_MS)),
      },
      ...{ lease: leaseOf("worker"), clock, elapsed: clock.elapsed, log, trouble: "it was left" },
    });
    keeper.start();
    await until(() => clock.now() > begunAt + 2 * KEEPER_LEASE_MS);
    expect(await leaseOf("heir").hold()).toBe(false);
    expect(done).toEqual(["begins"]);
    end();
    await until(() => done.includes("ends"));
    await keeper.stop();
  });

  it("beside its rounds delays none of them, nor does its failure, and is done before it has stopped", async () => {
    let end: () => void = () => undefined;
    const work = new Promise<void>((done) => {
      end = done;
    });
    let rounds = 0;
    const keeper = new Keeper({
      kept: {
        watch: async () => undefined,
        takeOver: async ({ beside }) => {
          beside(work);
          beside(Promise.reject(new Error("it failed")));
        },
        round: async ({ until }) => {
          rounds += 1;
          await until(clock.now() + STEP_MS);
        },
      },
      lease: createLease(db.pool, clock, `game ${names++}`, "worker", KEEPER_LEASE_MS),
      ...{ clock, elapsed: clock.elapsed, log, trouble: "it was left" },
    });
    keeper.start();
    await until(() => rounds > 3);
    let stopped = false;
    const stopping = keeper.stop().then(() => {
      stopped = true;
    });
    await realSleep(50);
    expect(stopped).toBe(false);
    end();
    await stopping;
  });
});

/** A keeper that waits for its first step. */
async function begun(stepMs = STEP_MS, itsClock: Clock = clock) {
  const done: string[] = [];
  const name = `game ${names++}`;
  const leaseOf = (holder: string) => createLease(db.pool, clock, name, holder, KEEPER_LEASE_MS);
  const keeper = new Keeper({
    kept: {
      watch: async () => void done.push("watched"),
      takeOver: async () => void done.push("took over"),
      round: async ({ until }) => {
        done.push("waits");
        if (await until(clock.now() + stepMs)) done.push("stepped");
      },
    },
    ...{ lease: leaseOf("sleeper"), clock: itsClock, elapsed: clock.elapsed },
    ...{ log, trouble: "it was left" },
  });
  keeper.start();
  while (!done.includes("waits")) await realSleep(1);
  // Its timer is set a moment after.
  await realSleep(5);
  /** Time goes on, and no timer of a stopped process does. */
  const asleep = (ms: number) => clock.advance(ms);
  return { keeper, done, leaseOf, asleep };
}

/** Advances manual time and the timers together until the condition holds. */
async function until(fits: () => boolean): Promise<void> {
  for (let turn = 0; turn < 2_000; turn++) {
    if (fits()) return;
    if (isQuiet(db.pool)) {
      clock.advance(10);
      vi.advanceTimersByTime(10);
    }
    await realSleep(1);
  }
  throw new Error("what the test waited for never came");
}
