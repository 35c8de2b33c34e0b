import type pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  type Caller,
  freshId,
  logIn,
  type RunningServer,
  startServer,
  startTrial,
} from "../api/running-server.ts";

/** Somebody holds a lock on a small part for longer than any caller waits. */
const CALLS = 60;
/** What the wallet of another player may take meanwhile, on a machine with much to do. */
const SOON_MS = 2_000;
let server: RunningServer;
let holder: pg.PoolClient;
let maria: Caller;
let other: Caller;

beforeAll(async () => {
  server = await startServer();
  [maria, other] = [await logIn(server, "maria"), await startTrial(server)];
  holder = await server.database.pool.connect();
}, 120_000);

afterEach(() => holder.query("ROLLBACK"));

afterAll(async () => {
  holder?.release();
  await server?.stop();
});

describe("a lock that somebody holds", () => {
  it("on one table keeps those waiting who need it, and they are told to be busy", async () => {
    await holder.query("BEGIN; LOCK TABLE deposits IN ACCESS EXCLUSIVE MODE");
    const asked = Array.from({ length: CALLS }, () => call("GET", "deposits", maria));
    await expectOthersServed();
    const codes = (await Promise.all(asked)).map(({ status, code }) => `${status} ${code}`);
    expect(new Set(codes)).toEqual(new Set(["503 busy"]));
  }, 60_000);

  it("on one member's row keeps that member waiting and nobody else", async () => {
    await holder.query("BEGIN");
    await holder.query("SELECT FROM members WHERE username = 'maria' FOR UPDATE");
    const amount = { minor: "50000", currency: "PHP" };
    const asked = Array.from({ length: CALLS }, () => {
      const given = { id: freshId("deposit"), method: "gwallet", amount };
      return call("POST", "deposits", maria, given);
    });
    await expectOthersServed();
    await holder.query("ROLLBACK");
    await Promise.all(asked);
  }, 60_000);
});

/** For as long as the pool's connections would all be waiting. */
async function expectOthersServed(): Promise<void> {
  for (let i = 0; i < 5; i++) {
    const before = performance.now();
    const wallet = await fetch(`${server.url}/api/v1/member/wallet`, { headers: other.headers });
    await wallet.arrayBuffer();
    expect(wallet.status).toBe(200);
    const ready = await fetch(`${server.url}/readyz`);
    expect(await ready.json()).toMatchObject({ ready: true, database: "up" });
    expect(performance.now() - before).toBeLessThan(SOON_MS);
    await new Promise((turn) => setTimeout(turn, 200));
  }
}

async function call(method: string, path: string, caller: Caller, body?: object) {
  const content = body === undefined ? {} : { "content-type": "application/json" };
  const answer = await fetch(`${server.url}/api/v1/cashier/${path}`, {
    method,
    headers: { ...caller.headers, ...content },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, code: (await answer.json()).code };
}
