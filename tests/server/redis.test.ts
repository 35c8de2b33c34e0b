import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "iovalkey";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { type Bus, lossesOf, redisBus } from "../../apps/server/src/platform/bus.ts";
import { redisRateLimiter } from "../../apps/server/src/platform/http/rate-limit.ts";
import { PROBE_EVERY_MS, watchRedis } from "../../apps/server/src/platform/redis.ts";
import { freePort } from "../setup/free-port.ts";
import { startRedis } from "./redis-server.ts";

const NOTHING = () => undefined;
const BACK = { timeout: 10_000 };
const open: { close(): unknown }[] = [];

const redis = await startRedis();
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});
afterAll(() => redis.stop());

describe("a Redis that is being connected", () => {
  it("reports no trouble, even if a busy process notices the connection late", async () => {
    const troubles: Error[] = [];
    const watched = watchRedis(
      { url: redis.url, site: "perya" },
      { onTrouble: (error) => void troubles.push(error), probe: (connection) => connection.ping() },
    );
    open.push(watched);
    // The probe's time comes before the event that the connection is open.
    const by = performance.now() + PROBE_EVERY_MS + 100;
    while (performance.now() < by);
    await expect.poll(() => watched.answers(), BACK).toBe(true);
    expect(troubles).toEqual([]);
  });
});

describe("a bus over a real Redis", () => {
  it("delivers a message of one process once in every process", async () => {
    const [one, other] = await twoBuses();
    const heard: string[] = [];
    one.subscribe("test", (message) => void heard.push(`own ${message}`));
    other.subscribe("test", (message) => void heard.push(`other ${message}`));
    await expect.poll(() => reached(one, other)).toBe(true);
    heard.length = 0;
    one.publish("test", "hello");
    await expect.poll(() => [...heard].sort()).toEqual(["other hello", "own hello"]);
  });

  it("is heard by a process that started before Redis, and again after each end of Redis", async () => {
    const port = await freePort();
    const url = `redis://127.0.0.1:${port}`;
    const [one, other] = ["one", "other"].map((name) => bus(url, name)) as [Bus, Bus];
    one.subscribe("early", NOTHING);
    expect([one.answers(), other.answers()]).toEqual([false, false]);
    const late = await startRedis(port);
    await expect.poll(() => reached(one, other), BACK).toBe(true);
    for (let end = 0; end < 2; end++) {
      await late.kill();
      await expect.poll(() => one.answers()).toBe(false);
      const returned = new Promise((done) => one.onReturn(() => done("returned")));
      await late.restart();
      await expect.poll(() => reached(one, other), BACK).toBe(true);
      expect(await returned).toBe("returned");
    }
    late.hang();
    await expect.poll(() => one.answers()).toBe(false);
    const own = new Promise((done) => one.subscribe("own", done));
    one.publish("own", "here");
    // A process hears its own messages without Redis.
    expect(await own).toBe("here");
    late.goOn();
    await expect.poll(() => reached(one, other), BACK).toBe(true);
    late.stop();
  }, 60_000);

  it("tells the other processes that messages were lost when only one process lost its connection", async () => {
    const [one, other] = await twoBuses();
    await expect.poll(() => reached(other, one)).toBe(true);
    const hasLost = lossesOf(other);
    let returns = 0;
    other.onReturn(() => {
      returns++;
    });
    expect(hasLost("as it was")).toBe(false);
    const admin = new Redis(redis.url);
    open.push({ close: () => admin.disconnect() });
    // Subscribers keep their connections.
    await admin.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    await expect.poll(() => one.answers(), { interval: 1 }).toBe(false);
    one.publish("still", "unheard");
    await expect.poll(() => returns, BACK).toBe(1);
    await expect.poll(() => other.answers()).toBe(true);
    expect([hasLost("as it was"), hasLost("as it was")]).toEqual([true, false]);
  });

  it("reports no loss when a process stood still and Redis answered it meanwhile", async () => {
    const [one, other] = await twoBuses();
    await expect.poll(() => reached(other, one)).toBe(true);
    let returns = 0;
    other.onReturn(() => {
      returns++;
    });
    for (let still = 0; still < 4; still++) {
      await sleep(130);
      // Timers are late in every part of a turn in which the process stands still.
      if (still % 2 === 1) await new Promise((turn) => setImmediate(turn));
      one.publish("still", "under way");
      const until = performance.now() + 200;
      // This is a process to which the machine gives no processor time.
      while (performance.now() < until);
      await sleep(50);
      expect(one.answers()).toBe(true);
    }
    await sleep(600);
    expect(returns).toBe(0);
  });

  it("reports no loss when a process joins that has published nothing yet", async () => {
    const [one] = await twoBuses();
    let returns = 0;
    one.onReturn(() => {
      returns++;
    });
    const third = bus(redis.url, "third");
    await expect.poll(() => third.answers()).toBe(true);
    await expect.poll(() => reached(one, third)).toBe(true);
    expect(returns).toBe(0);
  });

  it("treats a message that a listener cannot read as a loss, reports that once, and goes on", async () => {
    const misheard: unknown[] = [];
    const one = redisBus({ url: redis.url, site: "perya" }, "one", {
      onTrouble: NOTHING,
      onMisheard: (error) => misheard.push(error),
    });
    open.push(one);
    const heard: string[] = [];
    // The views of the kite and of the match read their messages like this.
    one.subscribe("kite", (message) => void JSON.parse(message).flight.phase.length);
    one.subscribe("kite", (message) => void heard.push(message));
    await expect.poll(() => one.answers()).toBe(true);
    const hasLost = lossesOf(one);
    const admin = new Redis(redis.url);
    open.push({ close: () => admin.disconnect() });
    for (const word of ["older\n{}", "older\nno JSON", "no line", ""]) {
      expect(hasLost("as it was")).toBe(false);
      await admin.publish("perya:kite", word);
      await expect.poll(() => hasLost("as it was")).toBe(true);
    }
    expect(heard).toEqual(["{}", "no JSON", "no line", ""]);
    expect(misheard).toEqual([expect.any(TypeError)]);
    // An unreadable message of this process is its own defect.
    expect(() => one.publish("kite", "no JSON")).toThrow(SyntaxError);
  });

  it.each([
    ["hear", "subscribe"],
    ["speak", "publish"],
  ])(
    "whose user may not %s is not there, and is told of once",
    async (_, command) => {
      const strict = await startRedis();
      const admin = new Redis(strict.url);
      open.push({ close: () => admin.disconnect() });
      await admin.call("ACL", "SETUSER", "default", `-${command}`);
      const troubles: string[] = [];
      const one = redisBus({ url: strict.url, site: "perya" }, "one", {
        onTrouble: ({ message }) => troubles.push(message),
        onMisheard: NOTHING,
      });
      open.push(one);
      const other = bus(strict.url, "other");
      const returns: string[] = [];
      one.onReturn(() => void returns.push("one"));
      one.subscribe("kite", NOTHING);
      // This lasts for several probes and reconnections.
      for (let words = 0; words < 20; words++) {
        one.publish("kite", "unheard");
        await sleep(150);
      }
      expect(one.answers()).toBe(false);
      expect(troubles).toEqual([expect.stringContaining("NOPERM")]);
      // A process that cannot hear gets no return, which would make it check all sockets.
      expect(returns).toEqual(command === "subscribe" ? [] : ["one"]);
      other.onReturn(() => void returns.push("other"));
      await admin.call("ACL", "SETUSER", "default", `+${command}`);
      await expect.poll(() => one.answers() && other.answers(), BACK).toBe(true);
      await expect.poll(() => reached(one, other), BACK).toBe(true);
      await expect.poll(() => returns).toContain("other");
      expect(troubles).toHaveLength(1);
      strict.stop();
    },
    30_000,
  );

  it("tells another site on the same Redis nothing, for every database number", async () => {
    const [one] = await twoBuses();
    const third = bus(redis.url, "third", "staging");
    const fourth = bus(`${redis.url}/1`, "fourth", "staging");
    const allAnswer = () => [one, third, fourth].every((each) => each.answers() === true);
    await expect.poll(allAnswer).toBe(true);
    const heard: string[] = [];
    for (const other of [third, fourth]) {
      other.subscribe("kite", (message) => void heard.push(message));
      other.onReturn(() => void heard.push("a loss"));
    }
    // Processes of one site hear each other, with any database numbers.
    await expect.poll(() => reached(third, fourth)).toBe(true);
    one.publish("kite", "of production");
    const admin = new Redis(redis.url);
    open.push({ close: () => admin.disconnect() });
    await admin.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    await expect.poll(() => one.answers(), { interval: 1 }).toBe(false);
    one.publish("kite", "unheard");
    await expect.poll(allAnswer).toBe(true);
    await expect.poll(() => reached(third, fourth)).toBe(true);
    expect(heard).toEqual([]);
  });

  function bus(url: string, name: string, site = "perya"): Bus {
    const made = redisBus({ url, site }, name, { onTrouble: NOTHING, onMisheard: NOTHING });
    open.push(made);
    return made;
  }

  async function twoBuses(): Promise<[Bus, Bus]> {
    const [one, other] = [bus(redis.url, "one"), bus(redis.url, "other")];
    await expect.poll(() => one.answers() === true && other.answers() === true).toBe(true);
    return [one, other];
  }

  it("is away for a process whose Redis has become the replica of another one", async () => {
    const [old, leader] = [await startRedis(), await startRedis()];
    const made = bus(old.url, "one");
    const admin = new Redis(old.url);
    open.push({ close: async () => admin.disconnect() });
    await expect.poll(() => made.answers()).toBe(true);
    await admin.replicaof("127.0.0.1", new URL(leader.url).port);
    await expect.poll(() => made.answers(), BACK).toBe(false);
    await admin.replicaof("NO", "ONE");
    await expect.poll(() => made.answers(), BACK).toBe(true);
    old.stop();
    leader.stop();
  }, 60_000);

  /** Whether the first bus hears a message of the second. */
  async function reached(one: Bus, other: Bus): Promise<boolean> {
    let heard = false;
    one.subscribe("reach", () => {
      heard = true;
    });
    for (let tries = 0; tries < 20 && !heard; tries++) {
      other.publish("other", "unheard");
      other.publish("reach", "?");
      await new Promise((turn) => setTimeout(turn, 20));
    }
    return heard;
  }
});

describe("limits over a real Redis", () => {
  it("count one caller of two processes together, in a window that the first call begins", async () => {
    // This is a moment before a minute of the clock begins.
    let now = 60_000 * 1_000 - 1;
    const clock = { now: () => now };
    const [one, other] = [limiter(redis.url, clock), limiter(redis.url, clock)];
    await expect.poll(() => one.answers() && other.answers()).toBe(true);
    for (const limit of [one, other, one]) {
      expect(await limit.take([{ subject: "someone", max: 3 }], 60_000)).toBeNull();
    }
    now += 1;
    const retryAt = await other.take([{ subject: "someone", max: 3 }], 60_000);
    expect(retryAt).toBeGreaterThan(now + 30_000);
    expect(retryAt).toBeLessThanOrEqual(now + 60_000);
  });

  it("are separate for another site on the same Redis, and so are all other keys", async () => {
    const clock = { now: () => 1_000_000_000 };
    const [limit, other] = [limiter(redis.url, clock), limiter(redis.url, clock, "staging")];
    await expect.poll(() => limit.answers() && other.answers()).toBe(true);
    expect(await limit.take([{ subject: "of both", max: 1 }], 60_000)).toBeNull();
    expect(await other.take([{ subject: "of both", max: 1 }], 60_000)).toBeNull();
    expect(await limit.take([{ subject: "of both", max: 1 }], 60_000)).toBeGreaterThan(0);
    const admin = new Redis(redis.url);
    open.push({ close: () => admin.disconnect() });
    const keys = await admin.keys("*");
    expect(keys.filter((key) => !/^(perya|staging):/.test(key))).toEqual([]);
  });

  it("count a refused call in none of its windows", async () => {
    const limit = limiter(redis.url, { now: () => 1_000_000_000 });
    await expect.poll(() => limit.answers()).toBe(true);
    const [own, shared] = [
      { subject: "own", max: 10 },
      { subject: "shared", max: 12 },
    ];
    expect(await limit.take([shared], 60_000, 5)).toBeNull();
    for (let tries = 0; tries < 3; tries++) {
      expect(await limit.take([own, shared], 60_000, 8)).toBeGreaterThan(1_000_000_000);
    }
    expect(await limit.take([own, shared], 60_000, 7)).toBeNull();
    expect(await limit.take([own], 60_000, 3)).toBeNull();
    expect(await limit.take([own], 60_000)).toBeGreaterThan(1_000_000_000);
  });

  it("start afresh with the next window", async () => {
    const limit = limiter(redis.url, { now: () => 1_000_000_000 });
    await expect.poll(() => limit.answers()).toBe(true);
    expect(await limit.take([{ subject: "someone else", max: 1 }], 1_000)).toBeNull();
    expect(await limit.take([{ subject: "someone else", max: 1 }], 1_000)).toBeGreaterThan(
      1_000_000_000,
    );
    await expect
      .poll(() => limit.take([{ subject: "someone else", max: 1 }], 1_000), BACK)
      .toBeNull();
  });

  it("refuse no call while Redis hangs: each process counts alone, then together again", async () => {
    const clock = { now: () => 1_000_000_000 };
    const hanging = await startRedis();
    const limit = limiter(hanging.url, clock);
    await expect.poll(() => limit.answers()).toBe(true);
    hanging.hang();
    // The first call may wait for its answer; from then on no call waits.
    const first = performance.now();
    expect(await limit.take([{ subject: "one", max: 3 }], 60_000)).toBeNull();
    expect(performance.now() - first).toBeLessThan(5_000);
    expect(limit.answers()).toBe(false);
    const rest = performance.now();
    for (let i = 0; i < 500; i++) await limit.take([{ subject: "many", max: 1_000 }], 60_000);
    expect(performance.now() - rest).toBeLessThan(5_000);
    for (let i = 0; i < 3; i++) await limit.take([{ subject: "few", max: 3 }], 60_000);
    expect(await limit.take([{ subject: "few", max: 3 }], 60_000)).toBeGreaterThan(0);
    hanging.goOn();
    await expect.poll(() => limit.answers(), BACK).toBe(true);
    await hanging.kill();
    expect(await limit.take([{ subject: "gone", max: 3 }], 60_000)).toBeNull();
    await hanging.restart();
    await expect.poll(() => limit.answers(), BACK).toBe(true);
    hanging.stop();
  }, 60_000);

  it("are counted per process while Redis is full, and the operator is told of that once", async () => {
    const full = await startRedis();
    const troubles: string[] = [];
    const limit = redisRateLimiter(
      { url: full.url, site: "perya" },
      { now: () => 1_000_000_000 },
      ({ message }) => troubles.push(message),
    );
    const admin = new Redis(full.url);
    open.push(limit, { close: () => admin.disconnect() });
    await expect.poll(() => limit.answers()).toBe(true);
    await admin.config("SET", "maxmemory", "1");
    await expect.poll(() => limit.answers(), BACK).toBe(false);
    for (let i = 0; i < 15; i++) {
      expect(await limit.take([{ subject: "few", max: 15 }], 60_000)).toBeNull();
      expect(limit.answers()).toBe(false);
      await sleep(100);
    }
    expect(await limit.take([{ subject: "few", max: 15 }], 60_000)).toBeGreaterThan(0);
    expect(troubles).toEqual([expect.stringContaining("OOM")]);
    await admin.config("SET", "maxmemory", "0");
    await expect.poll(() => limit.answers(), BACK).toBe(true);
    full.stop();
  }, 60_000);

  it("are counted per process when Redis answers pings and counts nothing, which is reported once", async () => {
    const strict = await startRedis();
    const admin = new Redis(strict.url);
    await admin.call("ACL", "SETUSER", "default", "-eval");
    const troubles: string[] = [];
    const limit = redisRateLimiter(
      { url: strict.url, site: "perya" },
      { now: () => 1_000_000_000 },
      ({ message }) => troubles.push(message),
    );
    open.push(limit, { close: () => admin.disconnect() });
    for (let i = 0; i < 10; i++) {
      await sleep(200);
      expect(await limit.take([{ subject: "few", max: 10 }], 60_000)).toBeNull();
    }
    expect(await limit.take([{ subject: "few", max: 10 }], 60_000)).toBeGreaterThan(0);
    expect(troubles).toEqual([expect.stringContaining("NOPERM")]);
    await admin.call("ACL", "SETUSER", "default", "+eval");
    await expect.poll(() => limit.answers(), BACK).toBe(true);
    strict.stop();
  }, 30_000);

  function limiter(url: string, clock: { now(): number }, site = "perya") {
    const made = redisRateLimiter({ url, site }, clock, NOTHING);
    open.push(made);
    return made;
  }
});
