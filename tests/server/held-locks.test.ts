import { afterAll, afterEach, describe, expect, it } from "vitest";
import { type Caller, freshId, logIn, startServer, startTrial } from "../api/running-server.ts";

/** Another session locks a small part of the database for longer than any caller waits. */
const CALLS = 60;

const server = await startServer();
const [maria, jun] = [await logIn(server, "maria"), await logIn(server, "jun")];
const holder = await server.database.pool.connect();

afterEach(() => holder.query("ROLLBACK"));

afterAll(async () => {
  holder?.release();
  await server.stop();
});

describe("a lock that another session holds", () => {
  it("on one table makes only the callers who need it wait, and they get the answer busy", async () => {
    // More calls than one player may make, and than the pool has connections.
    const players = await Promise.all(Array.from({ length: 12 }, () => startTrial(server)));
    await holder.query("BEGIN; LOCK TABLE house_rounds IN ACCESS EXCLUSIVE MODE");
    const asked = Array.from({ length: CALLS }, (_, i) =>
      call("GET", "rounds/last?gameId=color-game", players[i % players.length] as Caller),
    );
    const slowestMs = await serveOthers();
    const told = await Promise.all(asked);
    expect(slowestMs).toBeLessThan(longestWait(told));
    const codes = told.map(({ status, code }) => `${status} ${code}`);
    expect(new Set(codes)).toEqual(new Set(["503 busy"]));
  }, 60_000);

  it("on one member's row makes only that member wait", async () => {
    await holder.query("BEGIN");
    await holder.query("SELECT FROM members WHERE username = 'maria' FOR UPDATE");
    const asked = Array.from({ length: CALLS }, () => deposit(maria));
    const slowestMs = await serveOthers(async () => {
      // Another player's writes are served as well as reads.
      expect(await deposit(jun)).toMatchObject({ status: 200 });
    });
    // Calls that waited for too long were told so, and none got past the row.
    const told = await Promise.all(asked);
    expect(slowestMs).toBeLessThan(longestWait(told));
    const codes = told.map(({ code }) => code ?? "done");
    expect(codes.filter((code) => code === "done")).toEqual([]);
    expect(codes).toContain("busy");
    await holder.query("ROLLBACK");
  }, 60_000);
});

/**
 * Serves others for as long as all connections of the pool would be waiting. Answers the longest
 * time, in milliseconds, that another player and the probe together took.
 */
async function serveOthers(andThis = async () => {}): Promise<number> {
  let slowestMs = 0;
  for (let i = 0; i < 5; i++) {
    const before = performance.now();
    const wallet = await fetch(`${server.url}/api/v1/member/wallet`, { headers: jun.headers });
    await wallet.arrayBuffer();
    expect(wallet.status).toBe(200);
    const ready = await fetch(`${server.url}/readyz`);
    expect(await ready.json()).toMatchObject({ ready: true, database: "up" });
    await andThis();
    slowestMs = Math.max(slowestMs, performance.now() - before);
    await new Promise((turn) => setTimeout(turn, 200));
  }
  return slowestMs;
}

function longestWait(told: readonly { waitedMs: number }[]): number {
  return Math.max(...told.map(({ waitedMs }) => waitedMs));
}

function deposit(caller: Caller) {
  const amount = { minor: "50000", currency: "PHP" };
  return call("POST", "cashier/deposits", caller, {
    id: freshId("deposit"),
    method: "gwallet",
    amount,
  });
}

async function call(method: string, path: string, caller: Caller, body?: object) {
  const askedAt = performance.now();
  const content = body === undefined ? {} : { "content-type": "application/json" };
  const answer = await fetch(`${server.url}/api/v1/${path}`, {
    method,
    headers: { ...caller.headers, ...content },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const { code } = await answer.json();
  return { status: answer.status, code, waitedMs: performance.now() - askedAt };
}
