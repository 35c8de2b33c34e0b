import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { REFRESH_AGAIN_MS } from "../../apps/server/src/platform/sockets/live.ts";
import { createDemoDatabase } from "../api/running-server.ts";
import type { TestDatabase } from "../setup/test-database.ts";
import { expectSound } from "./expect-sound.ts";
import { balanceIn, listen, playRound, startTrial, statusOf } from "./player-of-process.ts";
import { type RunningRedis, startRedis } from "./redis-server.ts";
import { type ServerProcess, startServerProcess } from "./server-process.ts";

/**
 * Two real server processes on one database and one Redis, as README tells operators to run them:
 * a session of one is a session of the other, and the other's sockets report what one does.
 */
describe("two server processes", () => {
  let database: TestDatabase;
  let redis: RunningRedis;
  let one: ServerProcess;
  let other: ServerProcess;

  beforeAll(async () => {
    database = await createDemoDatabase();
    redis = await startRedis();
    const env = { DATABASE_URL: database.url, REDIS_URL: redis.url, NODE_ENV: "test" };
    one = await startServerProcess(env);
    other = await startServerProcess(env);
  }, 120_000);

  afterAll(async () => {
    await Promise.all([one?.stop(), other?.stop()]);
    await expectSound(database);
    redis.stop();
    await database.drop();
  }, 60_000);

  it("report a round that was played in one on a socket of the other", async () => {
    const player = await startTrial(one);
    const heard = await listen(other, "wallet", player);
    const before = await heard.next("snapshot");
    const round = await playRound(one, player);
    const event = await heard.next("event");
    expect(event).toMatchObject({ channel: "wallet", event: { type: "moved" } });
    const { available } = (event as { event: { state: { available: unknown } } }).event.state;
    expect(available).toEqual(round.available);
    expect(before).not.toMatchObject({ data: { available } });
    expect(await balanceIn(other, player)).toEqual(round.available);
    heard.close();
  });

  it("keep one flight, which the sockets of both processes show", async () => {
    const player = await startTrial(other);
    const shown = async (server: ServerProcess) => {
      const heard = await listen(server, "saranggola", player);
      const flight = await flightOf(heard);
      heard.close();
      return flight;
    };
    // Between two flights, both may differ once.
    await expect
      .poll(async () => new Set(await Promise.all([shown(one), shown(other)])).size)
      .toBe(1);
  });

  it("sign a player out of both at once", async () => {
    const player = await startTrial(one);
    expect(await statusOf(other, player)).toBe(200);
    const headers = { authorization: player.authorization, cookie: player.cookie };
    const ended = await fetch(`${one.url}/api/v1/auth/logout`, { method: "DELETE", headers });
    expect(ended.status).toBe(200);
    await expect.poll(() => statusOf(other, player)).toBe(401);
  });

  it("close a session's sockets in both within a second of its end in one", async () => {
    const player = await startTrial(one);
    const [here, there] = [
      await listen(one, "wallet", player),
      await listen(other, "wallet", player),
    ];
    await Promise.all([here.next("snapshot"), there.next("snapshot")]);
    const headers = { authorization: player.authorization, cookie: player.cookie };
    await fetch(`${one.url}/api/v1/auth/logout`, { method: "DELETE", headers });
    const askedAt = performance.now();
    await Promise.all([here.next("ended"), there.next("ended")]);
    expect(performance.now() - askedAt).toBeLessThan(1_000);
  });

  it("go on serving while Redis hangs, say so in their detail, and hear one another again afterwards", {
    timeout: 4 * REFRESH_AGAIN_MS,
  }, async () => {
    const player = await startTrial(one);
    const redisOf = async () => (await (await fetch(`${one.url}/readyz`)).json()).redis;
    expect(await redisOf()).toBe("up");
    const stayed = await listen(other, "wallet", player);
    await stayed.next("snapshot");
    redis.hang();
    await expect.poll(redisOf, { timeout: 5_000 }).toBe("down");
    const here = await listen(one, "wallet", player);
    await here.next("snapshot");
    const unheard = await playRound(one, player);
    // A process hears itself without Redis.
    expect(await here.next("event")).toMatchObject({ event: { type: "moved" } });
    expect((await fetch(`${one.url}/readyz`)).status).toBe(200);
    redis.goOn();
    await expect.poll(redisOf, { timeout: 5_000 }).toBe("up");
    // A socket that stayed open gets what was lost. If the other process lost messages just before,
    // that waits for the pause between two times that it sends everything anew.
    const known = async () => availableIn(await stayed.next("snapshot", "event"));
    await expect.poll(known, { timeout: 2 * REFRESH_AGAIN_MS }).toEqual(unheard.available);
    stayed.close();
    const there = await listen(other, "wallet", player);
    await there.next("snapshot");
    await expect
      .poll(
        async () => {
          await playRound(one, player);
          return Promise.race([there.next("event").then(() => true), later(500)]);
        },
        { timeout: 10_000 },
      )
      .toBe(true);
    here.close();
    there.close();
  });
});

function later(ms: number): Promise<boolean> {
  return new Promise((done) => setTimeout(() => done(false), ms));
}

/** A wallet's available balance, from a message of its channel. */
function availableIn(message: unknown): unknown {
  const { data, event } = message as {
    data?: { available: unknown };
    event?: { state: { available: unknown } };
  };
  return (data ?? event?.state)?.available;
}

/** The flight with which a channel begins; a process that has just started sends it a bit later. */
async function flightOf(heard: Awaited<ReturnType<typeof listen>>): Promise<string> {
  const { data } = (await heard.next("snapshot")) as { data: { roundId: string } | null };
  if (data !== null) return data.roundId;
  const { event } = (await heard.next("event")) as { event: { state: { roundId: string } } };
  return event.state.roundId;
}
