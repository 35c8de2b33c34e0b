import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { present } from "@perya/kernel/assert";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { createTestDatabase, type TestDatabase } from "../setup/test-database.ts";
import { startServerProcess } from "./server-process.ts";

const CLIENTS = 30;
const GRACE_MS = 500;

describe("a server process that is told to end during calls", () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  it("first reports that it ends, answers every request it was sent, and breaks no connection", async () => {
    const env = { DATABASE_URL: database.url, NODE_ENV: "test", DEMO_DATA: "false" };
    const server = await startServerProcess({ ...env, STOP_GRACE_MS: `${GRACE_MS}` });
    const socket = new WebSocket(`${server.url.replace("http", "ws")}/ws`);
    await once(socket, "open");
    const closed = once(socket, "close");
    const callers = Array.from({ length: CLIENTS }, (_, i) => call(server.url, i));
    await Promise.all(callers.map(({ begun }) => begun));
    const before = callers.map(({ told }) => told.answers);
    server.signal("SIGTERM");
    const ready = async () => (await fetch(`${server.url}/readyz`)).status;
    await expect.poll(ready, { interval: 10 }).toBe(503);
    await Promise.all(callers.map(({ done }) => done));
    const told = callers.map((caller) => caller.told);
    expect(told.flatMap(({ broken }) => broken)).toEqual([]);
    expect(told.flatMap(({ odd }) => odd)).toEqual([]);
    // Each caller was answered after the signal too, and no earlier answer ended its connection.
    const after = told.map(({ answers }, caller) => answers - (before[caller] ?? 0));
    expect(Math.min(...after)).toBeGreaterThan(0);
    const [code, reason] = await closed;
    expect([code, String(reason)]).toEqual([1001, "server is restarting"]);
    expect(await server.ended).toBe(0);
  }, 60_000);

  it("waits for no connection that asked to upgrade to another protocol", async () => {
    const env = { DATABASE_URL: database.url, NODE_ENV: "test", DEMO_DATA: "false" };
    const server = await startServerProcess(env);
    const { hostname, port } = new URL(server.url);
    const held = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
    held.on("error", () => undefined);
    held.write("GET /nope HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n");
    await once(held, "data");
    server.signal("SIGTERM");
    // A forced end would have another code, and come much later.
    expect(await server.ended).toBe(0);
    held.destroy();
  }, 60_000);

  it("answers on a connection that was quiet for less than the grace, and accepts no new one", async () => {
    const env = { DATABASE_URL: database.url, NODE_ENV: "test", DEMO_DATA: "false" };
    const server = await startServerProcess({ ...env, STOP_GRACE_MS: "4000" });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    // The grace is what the server promises callers, even if it keeps the connection longer.
    const first = await get(`${server.url}/version`, agent);
    expect(first).toMatchObject({ last: false, kept: "timeout=4" });
    server.signal("SIGTERM");
    const stranger = () =>
      get(`${server.url}/version`, new Agent()).then(
        () => "in",
        () => "out",
      );
    await expect.poll(stranger, { interval: 20, timeout: 20_000 }).toBe("out");
    // This is longer than a process without a grace waits.
    await sleep(1_500);
    expect(await get(`${server.url}/version`, agent)).toMatchObject({ status: 200, last: true });
    agent.destroy();
    expect(await server.ended).toBe(0);
  }, 60_000);
});

describe("a server process that is told to end during its first start", () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  it("ends soon and opens no port, and the next start says that the demo is incomplete", async () => {
    const env = { DATABASE_URL: database.url, NODE_ENV: "test", DEMO_DATA: "true" };
    let started: ChildProcess | null = null;
    const onSpawn = (child: ChildProcess) => {
      started = child;
    };
    const cutOff = expect(startServerProcess(env, { onSpawn })).rejects.toThrow(
      "the server ended with 0",
    );
    await expect.poll(entries, { timeout: 60_000 }).toBeGreaterThan(100);
    const toldAt = performance.now();
    present<ChildProcess>(started, "the process").kill("SIGTERM");
    await cutOff;
    expect(performance.now() - toldAt).toBeLessThan(5_000);
    const written = await entries();
    let said = "";
    const onLine = (line: string) => {
      said += line;
    };
    await expect(startServerProcess(env, { onLine })).rejects.toThrow("the server ended with 1");
    await expect.poll(() => said).toMatch(/the demo is not whole: .* delete the data folder/);
    expect(await entries()).toBe(written);
  }, 120_000);

  async function entries(): Promise<number> {
    const { rows } = await database.pool.query("SELECT count(*)::int AS n FROM ledger_entries");
    return rows[0].n;
  }
});

/**
 * Calls repeatedly over one kept connection, like a load balancer, until an answer says that the
 * connection ends with it.
 */
function call(url: string, caller: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const told = { answers: 0, broken: [] as string[], odd: [] as string[] };
  let begin: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const done = (async () => {
    for (let turn = 0; ; turn++) {
      // An unknown brand, an unknown path, and an existing path.
      const path = ["/api/v1/status", "/api/nothing", "/version"][(caller + turn) % 3] ?? "/";
      const answer = await get(`${url}${path}`, agent).catch((error: unknown) => `${error}`);
      if (typeof answer === "string") {
        told.broken.push(answer);
        break;
      }
      told.answers++;
      begin();
      const problem = answer.type.startsWith("application/problem+json");
      if (answer.status >= 400 && !(problem && answer.body.includes('"code":"'))) {
        told.odd.push(`${path} ${answer.status} ${answer.body}`);
      }
      if (answer.last) break;
    }
    agent.destroy();
  })();
  return { told, begun, done };
}

function get(url: string, agent: Agent) {
  type Answer = { status: number; type: string; last: boolean; kept: string; body: string };
  return new Promise<Answer>((resolve, reject) => {
    const sent = request(url, { agent }, (response) => {
      let body = "";
      response.setEncoding("utf8");
      response.on("data", (text) => {
        body += text;
      });
      response.on("error", reject);
      response.on("end", () => {
        const { connection, "content-type": type = "", "keep-alive": kept = "" } = response.headers;
        const last = connection === "close";
        resolve({ status: response.statusCode ?? 0, type, last, kept: String(kept), body });
      });
    });
    sent.on("error", reject);
    sent.end();
  });
}
