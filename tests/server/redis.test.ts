import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { redisBus } from "../../apps/server/src/platform/bus.ts";
import { redisRateLimiter } from "../../apps/server/src/platform/http/rate-limit.ts";
import { HAS_REDIS, type RunningRedis, startRedis } from "./redis-server.ts";

describe.skipIf(!HAS_REDIS)("with a real Redis", () => {
  let redis: RunningRedis;

  beforeAll(async () => {
    redis = await startRedis();
  });

  afterAll(() => redis.stop());

  it("an event published in one process is heard in every other", async () => {
    const [one, other] = [redisBus(redis.url, fail), redisBus(redis.url, fail)];
    const heard = new Promise<string>((done) => other.subscribe("perya:test", done));
    const own = new Promise<string>((done) => one.subscribe("perya:test", done));
    const nudge = setInterval(() => one.publish("perya:test", "hello"), 20);
    expect(await Promise.all([heard, own])).toEqual(["hello", "hello"]);
    clearInterval(nudge);
    await one.close();
    await other.close();
  });

  it("two processes count one caller together, and the next window starts afresh", async () => {
    let now = 1_000_000_000;
    const clock = { now: () => now };
    const [one, other] = [
      redisRateLimiter(redis.url, clock, fail),
      redisRateLimiter(redis.url, clock, fail),
    ];
    await new Promise((done) => setTimeout(done, 200));
    const retryAt = [];
    for (const limiter of [one, other, one, other]) {
      retryAt.push(await limiter.take("someone", 3, 60_000));
    }
    expect(retryAt.slice(0, 3)).toEqual([null, null, null]);
    expect(retryAt[3]).toBeGreaterThan(now);
    now = retryAt[3] ?? now;
    expect(await other.take("someone", 3, 60_000)).toBeNull();
    one.close();
    other.close();
  });
});

function fail(error: Error): void {
  throw error;
}
