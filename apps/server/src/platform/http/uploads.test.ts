import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { Writable } from "node:stream";
import type { Call } from "@perya/contract/call";
import { calls } from "@perya/contract/calls";
import { refusal } from "@perya/contract/refusal";
import { ok, refuse } from "@perya/kernel/result";
import type { FastifyInstance } from "fastify";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { manualClock, seededEntropy } from "../../../../../tests/server/fixtures.ts";
import { createLogger } from "../log.ts";
import { createHttpServer, serveCalls } from "./call-server.ts";
import { SESSION_COOKIE } from "./cookies.ts";
import { Uploads } from "./uploads.ts";

const UPLOAD = "PUT /api/v1/promotions/uploads/{id}";
const BODY = Buffer.alloc(1_000, 7);
const clock = manualClock();
const sockets = new Set<Socket>();
let app: FastifyInstance;
let port: number;

beforeAll(async () => {
  const options = {
    log: createLogger({ level: "silent" }),
    clock,
    entropy: seededEntropy("uploads"),
    trustProxy: true,
    secure: true,
    checkReplies: true,
    rateLimiter: { take: async () => null },
    metrics: { observe: () => undefined },
    regions: null,
    isAtRest: async () => true,
    hasPaidIn: async ({ memberId }: { memberId: string }) => memberId.startsWith("paying"),
    operatorOf: async () => null,
    merchantOf: async () => ({ id: "mer_1", defaultLanguage: "TY" }),
    underMaintenance: () => false,
    isOn: () => true,
    sessionOf: async (_: unknown, { storage }: { storage: string }) => {
      const memberId = storage.replace(/-storage-half.*/, "");
      return ok({ id: storage, merchantId: "mer_1", memberId, caller: "member" as const, type: 0 });
    },
    openBody: async () => refuse(refusal("stale_payload")),
  };
  app = await createHttpServer(options);
  const declaration: Call = calls[UPLOAD];
  const handlers = {
    [UPLOAD]: async () => ok({ id: "upl_01jd0000000000000000000000", width: 1, height: 1 }),
  };
  serveCalls(app, { [UPLOAD]: declaration }, handlers, options);
  await app.listen({ port: 0, host: "127.0.0.1" });
  port = (app.server.address() as AddressInfo).port;
});

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  // Their places are free once the server has heard of it.
  await expect.poll(() => connections()).toBe(0);
});

afterAll(() => app?.close());

describe("large bodies", () => {
  it("are taken in from one member three at a time; what comes after waits, and is busy where much waits", async () => {
    const standing = [await begin("ana"), await begin("ana"), await begin("ana")];
    const waiting = await Promise.all(Array.from({ length: 6 }, () => send("ana")));
    expect(await statusOf(await send("ana"))).toBe(503);
    expect(await statusOf(await send("ben"))).toBe(200);
    standing[0]?.destroy();
    // One place is enough for all that wait, one after the other.
    expect(await Promise.all(waiting.map(statusOf))).toEqual(Array(6).fill(200));
  });

  it("of those at one address who never paid in come to twelve, and keep nobody waiting who has paid or is elsewhere", async () => {
    for (let n = 0; n < 12; n++) await begin(`new${n}`);
    for (let n = 0; n < 24; n++) await send(`late${n}`);
    expect(await statusOf(await send("one-more"))).toBe(503);
    expect(await statusOf(await send("paying-maria"))).toBe(200);
    expect(await statusOf(await send("one-more", "203.0.113.8"))).toBe(200);
  });

  it("of all who never paid in come to thirty-two, wherever they are, and keep nobody waiting who has paid", async () => {
    for (let n = 0; n < 32; n++) await begin(`new${n}`, `203.0.113.${n}`);
    for (let n = 0; n < 64; n++) await send(`late${n}`, `203.0.113.${100 + n}`);
    expect(await statusOf(await send("one-more", "198.51.100.1"))).toBe(503);
    expect(await statusOf(await send("paying-maria"))).toBe(200);
  });

  it("have thirty seconds to arrive, as any request has", () => {
    const { requestTimeout, headersTimeout } = app.server;
    // Node waits for the longer of the two.
    expect([requestTimeout, headersTimeout]).toEqual([30_000, 30_000]);
  });

  it("that stand still for ten seconds are hung up, and their places are free", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    try {
      const uploads = new Uploads();
      const still = { bytesRead: 10, destroy: vi.fn() };
      const moving = { bytesRead: 10, destroy: vi.fn() };
      const begun = [await place(uploads, still), await place(uploads, moving)];
      for (let looks = 0; looks < 3; looks++) {
        moving.bytesRead += 1;
        vi.advanceTimersByTime(10_000);
      }
      expect(still.destroy).toHaveBeenCalled();
      expect(moving.destroy).not.toHaveBeenCalled();
      for (const response of begun) response.destroy();
    } finally {
      vi.useRealTimers();
    }
  });
});

/** An upload of one member by a connection of which the test tells what comes. */
async function place(uploads: Uploads, socket: object): Promise<ServerResponse> {
  const writer = {
    ...{ merchantId: "mer_1", memberId: "ana", sessionId: "ses_1", address: "203.0.113.7" },
    hasPaidIn: async () => false,
  };
  const request = { socket, complete: false, destroyed: false } as unknown as IncomingMessage;
  const response = new Writable() as ServerResponse;
  await uploads.begin(writer, request, response);
  return response;
}

function connections(): Promise<number> {
  return new Promise((done, fail) =>
    app.server.getConnections((error, count) => (error === null ? done(count) : fail(error))),
  );
}

/** An upload whose last byte is still to come, once the server waits for it or for its turn. */
async function begin(member: string, address = "203.0.113.7"): Promise<Socket> {
  const socket = await open(member, address);
  socket.write(BODY.subarray(1));
  await new Promise((turn) => setTimeout(turn, 10));
  return socket;
}

async function send(member: string, address = "203.0.113.7"): Promise<Socket> {
  const socket = await open(member, address);
  socket.write(BODY);
  await new Promise((turn) => setTimeout(turn, 10));
  return socket;
}

async function open(member: string, address: string): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  sockets.add(socket);
  socket.on("error", () => undefined);
  await once(socket, "connect");
  const path = UPLOAD.replace("PUT ", "").replace("{id}", "upl_01jd0000000000000000000000");
  socket.write(
    [
      `PUT ${path} HTTP/1.1`,
      "host: perya.test",
      `x-forwarded-for: ${address}`,
      `authorization: Bearer ${member}-storage-half-of-a-session`,
      `cookie: __Host-${SESSION_COOKIE}=cookie`,
      "content-type: application/octet-stream",
      `content-length: ${BODY.length}`,
      "\r\n",
    ].join("\r\n"),
  );
  return socket;
}

async function statusOf(socket: Socket): Promise<number> {
  let text = "";
  for await (const bytes of socket) {
    text += String(bytes);
    const found = /^HTTP\/1\.1 (\d+)/.exec(text);
    if (found !== null) return Number(found[1]);
  }
  return 0;
}
