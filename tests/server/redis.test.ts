import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { redisBus } from "../../apps/server/src/platform/bus.ts";
import { redisRateLimiter } from "../../apps/server/src/platform/http/rate-limit.ts";

/** Debian's package is `redis-server`; a machine without it skips these. */
const PROGRAM = ["/usr/bin/redis-server", "/usr/bin/valkey-server"].find((file) =>
  existsSync(file),
);

describe.skipIf(PROGRAM === undefined)("with a real Redis", () => {
  let server: ChildProcess;
  let url: string;

  beforeAll(async () => {
    const port = await freePort();
    server = spawn(PROGRAM ?? "", ["--port", String(port), "--save", "", "--bind", "127.0.0.1"]);
    await new Promise<void>((done) => {
      server.stdout?.on("data", (bytes) => {
        if (/ready to accept connections/i.test(String(bytes))) done();
      });
    });
    url = `redis://127.0.0.1:${port}`;
  });

  afterAll(() => {
    server.kill("SIGTERM");
  });

  it("an event published in one process is heard in every other", async () => {
    const [one, other] = [redisBus(url, fail), redisBus(url, fail)];
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
    const [one, other] = [redisRateLimiter(url, clock, fail), redisRateLimiter(url, clock, fail)];
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

function freePort(): Promise<number> {
  return new Promise((done) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const address = probe.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      probe.close(() => done(port));
    });
  });
}
