import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { afterAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { systemClock } from "../../apps/server/src/platform/clock.ts";
import { makeBrand } from "../server/fixtures.ts";
import { type RunningServer, sendTo, startServer } from "./running-server.ts";

/** Two brands: an open one that its own host names, and the demo's, which is closed. */
const FIESTA = "fiesta.test";
const NAMED_BY_PROXY = { host: "upstream.internal", "x-forwarded-host": FIESTA };

const prepare: NonNullable<Parameters<typeof startServer>[1]>["prepare"] = async (pool) => {
  await pool.query(`UPDATE merchants SET settings = settings || '{"maintenance": true}'`);
  await makeBrand(pool, systemClock, { hosts: [FIESTA] });
};
const behind = await startServer({ trustProxy: ["127.0.0.1", "::1"] }, { prepare });
const open = await startServer({ trustProxy: false }, { prepare });

afterAll(async () => {
  await behind.stop();
  await open.stop();
});

describe("the brand of a caller", () => {
  const forged = { host: FIESTA, "x-forwarded-host": "another.test" };
  it.each([
    ["is the one that a trusted proxy names", () => behind, NAMED_BY_PROXY, false],
    ["is the nearest proxy's, not that of one before it", () => behind, forgedBefore(), false],
    ["is that of the Host header where no proxy is trusted", () => open, NAMED_BY_PROXY, true],
    ["is not changed by a header that the caller forges", () => open, forged, false],
  ] as const)("%s, for calls and sockets alike", async (_what, server, headers, maintenance) => {
    const { host, ...more } = headers;
    const { json } = await sendTo(server(), "GET", "/api/v1/status", { host, headers: more });
    expect(json.value.maintenance).toBe(maintenance);
    const socket = await connect(server(), headers);
    expect(await socket.hello(null)).toBe(false);
    socket.send({ type: "subscribe", channel: "site" });
    expect(await socket.next()).toMatchObject({ type: "snapshot", data: { maintenance } });
  });

  it("sends the player's wallet live behind a trusted proxy, on a page of the brand's own host", async () => {
    const player = await startTrial(behind, NAMED_BY_PROXY);
    const page = { origin: `https://${FIESTA}`, cookie: player.cookie };
    const socket = await connect(behind, { ...NAMED_BY_PROXY, ...page });
    expect(await socket.hello(player.token)).toBe(true);
    socket.send({ type: "subscribe", channel: "wallet" });
    expect(await socket.next()).toMatchObject({ type: "snapshot", channel: "wallet" });
    const portNamed = { ...NAMED_BY_PROXY, "x-forwarded-host": `${FIESTA}:443`, ...page };
    expect(await (await connect(behind, portNamed)).hello(player.token)).toBe(true);
  });

  it("is not one that the caller names without a trusted proxy, so no session of it opens", async () => {
    const player = await startTrial(open, { host: FIESTA });
    const { cookie, token } = player;
    const own = await connect(open, { host: FIESTA, cookie });
    expect(await own.hello(token)).toBe(true);
    const forged = await connect(open, { ...NAMED_BY_PROXY, cookie });
    expect(await forged.hello(token)).toBe(false);
    const origin = `https://${FIESTA}`;
    await expect(connect(open, { ...NAMED_BY_PROXY, origin })).rejects.toThrow("404");
  });

  it.each([`${FIESTA}:99999`, `${FIESTA}:x@evil.test`, `${FIESTA}:443/evil.test`, "a%b"])(
    "does not exist for an invalid host: %j",
    async (host) => {
      for (const path of ["auth/passkey-options", "auth/passkey", "auth/external"]) {
        const body = BODIES[path] ?? {};
        const { status } = await sendTo(open, "POST", `/api/v1/${path}`, { host, body });
        expect(status, path).toBe(404);
      }
      expect(await statusOf(open, "/auth/callback/google?state=x", host)).toBe(404);
    },
  );
});

/** The status of a page, which answers no JSON. */
async function statusOf(server: RunningServer, path: string, host: string): Promise<number> {
  const { port } = new URL(server.url);
  // A browser's request for a page would be redirected to home, which does not exist either.
  const headers = { host, accept: "application/json" };
  const request = httpRequest({ path, port, host: "127.0.0.1", headers }).end();
  const [response] = await once(request, "response");
  response.resume();
  return response.statusCode;
}

const BODIES: Readonly<Record<string, unknown>> = {
  "auth/passkey": { challengeId: "chl_1", response: {} },
  "auth/external": { provider: "google" },
};

function forgedBefore() {
  return { host: "upstream.internal", "x-forwarded-host": `another.test, ${FIESTA}` };
}

async function startTrial(
  server: RunningServer,
  { host, ...headers }: { readonly host: string; readonly [name: string]: string },
): Promise<{ token: string; cookie: string }> {
  const sent = { host, headers, body: {} };
  const answer = await sendTo(server, "POST", "/api/v1/auth/test-play", sent);
  expect(answer.status).toBe(200);
  return { token: answer.json.value.token, cookie: answer.cookie };
}

async function connect(server: RunningServer, headers: Readonly<Record<string, string>>) {
  const { port } = new URL(server.url);
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, { headers });
  const heard: unknown[] = [];
  socket.on("message", (bytes) => {
    heard.push(JSON.parse(String(bytes)));
    socket.emit("heard");
  });
  await once(socket, "open");
  socket.on("error", () => undefined);
  const send = (message: unknown) => socket.send(JSON.stringify(message));
  const next = async (): Promise<unknown> => {
    if (heard.length === 0) await once(socket, "heard");
    return heard.shift();
  };
  return {
    send,
    next,
    hello: async (token: string | null): Promise<boolean> => {
      send({ type: "hello", protocol: 1, token });
      const welcome = await next();
      return typeof welcome === "object" && Reflect.get(welcome ?? {}, "loggedIn") === true;
    },
  };
}
