import { EventEmitter, once } from "node:events";
import type { IncomingMessage } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import type { Call } from "@perya/contract/call";
import { calls } from "@perya/contract/calls";
import { refusal } from "@perya/contract/refusal";
import { ok, refuse } from "@perya/kernel/result";
import type { FastifyRequest } from "fastify";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { manualClock, seededEntropy } from "../../../../../tests/server/fixtures.ts";
import { createLogger } from "../log.ts";
import { createHttpServer, serveCalls } from "./call-server.ts";
import { SESSION_COOKIE } from "./cookies.ts";
import { Uploads } from "./uploads.ts";

const UPLOAD = "PUT /api/v1/promotions/uploads/{id}";
const BODY = Buffer.alloc(1_000, 7);
const LONGEST = 5 * 1_024 * 1_024;
const clock = manualClock();
const sockets = new Set<Socket>();
/** The sessions whose uploads reached the handler. */
const begun: string[] = [];
const requests: FastifyRequest[] = [];
let answers = 0;
/** Until when those are worked on that begin meanwhile. */
let held = Promise.resolve();
let letGo = () => {};
/** What has ended, or is closed, for its callers. */
const over = new Set<string>();
let next = 0;

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
  hasPaidIn: async ({ memberId }: { memberId: string }) => memberId.includes("paying"),
  operatorOf: async () => null,
  merchantOf: async (host: string) => ({ id: host, defaultLanguage: "TY" }),
  underMaintenance: () => over.has("brand"),
  isOn: () => true,
  sessionOf: async ({ id: merchantId }: { id: string }, { storage }: { storage: string }) => {
    if (over.has("session")) return refuse(refusal("session_ended"));
    const memberId = `${merchantId} ${storage.replace(/-storage-half.*/, "")}`;
    return ok({ id: storage, merchantId, memberId, caller: "member" as const, type: 0 });
  },
  openBody: async () => refuse(refusal("stale_payload")),
};
const app = await createHttpServer(options);
const declaration: Call = calls[UPLOAD];
const handlers = {
  [UPLOAD]: async ({ session }: { session: { id: string } }) => {
    begun.push(session.id);
    await held;
    return ok({ id: "upl_01jd0000000000000000000000", width: 1, height: 1 });
  },
};
app.addHook("preHandler", async (request) => void requests.push(request));
app.addHook("onSend", async () => void answers++);
serveCalls(app, { [UPLOAD]: declaration }, handlers, options);
app.get("/large", (_request, reply) => reply.send(Buffer.alloc(50_000_000)));
await app.listen({ port: 0, host: "127.0.0.1" });
const port = (app.server.address() as AddressInfo).port;

afterEach(async () => {
  over.clear();
  letGo();
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  // Their places are free once the server has noticed.
  await expect.poll(() => connections()).toBe(0);
});

afterAll(() => app.close());

describe("uploads with large bodies", () => {
  it("are read from one member three at a time; later ones wait, and get busy if much waits", async () => {
    const sessions = ["-of-a-phone", "-of-a-phone", "-of-a-tablet"];
    const standing = await Promise.all(sessions.map((session) => begin("ana", { session })));
    const session = "-of-a-third";
    const waiting = await Promise.all(Array.from({ length: 6 }, () => send("ana", { session })));
    expect(await statusOf(await send("ana", { session }))).toBe(503);
    expect(await statusOf(await send("ben"))).toBe(200);
    standing[0]?.destroy();
    // One place is enough for all that wait, one after the other.
    expect(await Promise.all(waiting.map(statusOf))).toEqual(Array(6).fill(200));
  });

  it("of one session are two at a time, and do not delay another session of the member", async () => {
    await begin("ana");
    await begin("ana");
    for (let n = 0; n < 4; n++) await send("ana");
    expect(await statusOf(await send("ana"))).toBe(503);
    expect(await statusOf(await send("ana", { session: "-of-a-tablet" }))).toBe(200);
  });

  it("that name a small length hold little, so that hundreds which hardly arrive delay nobody", async () => {
    const begun = Array.from({ length: 200 }, (_, n) => begin(`new${n}`, { length: 100_000 }));
    await Promise.all(begun);
    expect(await statusOf(await send("one-more", { length: 100_000 }))).toBe(200);
  });

  it("that name no length count as the longest", async () => {
    await begin("ana", { length: null });
    await begin("ana", { length: null });
    for (let n = 0; n < 4; n++) await send("ana");
    expect(await statusOf(await send("ana"))).toBe(503);
  });

  it("are limited to eight at one address of those who never paid in, and delay nobody who has paid or is elsewhere", async () => {
    for (let n = 0; n < 8; n++) await begin(`new${n}`);
    for (let n = 0; n < 16; n++) await send(`late${n}`);
    expect(await statusOf(await send("one-more"))).toBe(503);
    expect(await statusOf(await send("paying-maria"))).toBe(200);
    expect(await statusOf(await send("one-more", { address: "203.0.113.8" }))).toBe(200);
  });

  it("are limited to 80 MB of those of a brand who never paid in, and delay nobody who has paid or is another brand's", async () => {
    for (let n = 0; n < 16; n++) await begin(`new${n}`, { address: `203.0.113.${n}` });
    const address = "198.51.100.1";
    const late = await send("late", { address, length: LONGEST });
    expect(await statusOf(await send("paying-maria", { address, length: LONGEST }))).toBe(200);
    const elsewhere = { address, host: "second.test", length: LONGEST };
    expect(await statusOf(await send("late", elsewhere))).toBe(200);
    expect(late.bytesRead).toBe(0);
  });

  it("of the addresses that fill a brand's room give way to those of others who would hold less", async () => {
    const crowd: Socket[] = [];
    for (let n = 0; n < 16; n++) {
      crowd.push(await begin(`new${n}`, { address: `203.0.113.${n % 2}` }));
    }
    for (let n = 0; n < 16; n++) await begin(`late${n}`, { address: `203.0.113.${2 + (n % 2)}` });
    for (let n = 0; n < 20; n++) {
      const address = `198.51.100.${n}`;
      expect(await statusOf(await send(`one-more${n}`, { address, length: 300_000 }))).toBe(200);
    }
    expect(crowd.some((socket) => socket.closed)).toBe(true);
  });

  it("give their places back with their answers, though these wait behind others that nobody reads", async () => {
    for (let n = 0; n < 3; n++) {
      const socket = await open("ana", { behind: true, length: BODY.length });
      socket.write(BODY);
    }
    await expect.poll(async () => statusOf(await send("ana"))).toBe(200);
    for (const socket of sockets) socket.destroy();
    expect(await statusOf(await send("ana"))).toBe(200);
  });

  it("are released with their answers, though these wait behind others that nobody reads", async () => {
    requests.length = 0;
    const socket = await open("ana", { behind: true, length: BODY.length });
    socket.write(BODY);
    const read = () =>
      requests.filter(({ method, body }) => method === "PUT" && body !== undefined);
    await expect.poll(() => requests.length).toBe(2);
    await expect.poll(read).toEqual([]);
    expect(await connections()).toBe(1);
  });

  it("hold their room until their calls are done, though their callers have hung up", async () => {
    holdHandlers();
    const whole = [await send("ana", { length: LONGEST }), await send("ana", { length: LONGEST })];
    await expect.poll(() => begun.length).toBe(2);
    for (const socket of whole) socket.destroy();
    await expect.poll(connections).toBe(0);
    const waiting = await Promise.all(Array.from({ length: 4 }, () => send("ana")));
    expect(await statusOf(await send("ana"))).toBe(503);
    letGo();
    expect(await Promise.all(waiting.map(statusOf))).toEqual(Array(4).fill(200));
  });

  it("leave their session's queue with their callers, are not worked on, and leave their room", async () => {
    holdHandlers();
    const atWork = await Promise.all(Array.from({ length: 8 }, () => send("ana")));
    await expect.poll(() => begun.length).toBe(8);
    requests.length = 0;
    const gone = await send("ana", { length: LONGEST });
    await expect.poll(() => requests.length).toBe(1);
    gone.destroy();
    await expect.poll(connections).toBe(8);
    // One that comes now gets what it held, and as many as allowed may wait behind that.
    const late = [await send("ana", { length: LONGEST })];
    for (let n = 0; n < 4; n++) late.push(await send("ana", { length: LONGEST }));
    letGo();
    expect(await Promise.all([...atWork, ...late].map(statusOf))).toEqual(Array(13).fill(200));
    expect(begun).toHaveLength(13);
  });

  it("of callers who hang up while they wait for room take no place in the queue, and are finished", async () => {
    const standing = [await begin("ana"), await begin("ana")];
    const gone = await Promise.all(Array.from({ length: 4 }, () => begin("ana")));
    answers = 0;
    for (const socket of gone) socket.destroy();
    await expect.poll(() => answers).toBe(4);
    const late = await send("ana");
    standing[0]?.destroy();
    expect(await statusOf(late)).toBe(200);
  });

  it.each([
    ["session", "session_ended"],
    ["brand", "maintenance"],
  ])(
    "whose %s is over by the time they have arrived are refused with `%s`, and nothing is done",
    async (what, code) => {
      begun.length = 0;
      requests.length = 0;
      const slow = await open("ana", { length: BODY.length });
      slow.write(BODY.subarray(1));
      holdHandlers();
      for (let n = 0; n < 8; n++) await send("ben");
      const late = await send("ben");
      await expect.poll(() => requests.length).toBe(9);
      over.add(what);
      slow.write(BODY.subarray(0, 1));
      expect(await answerOf(slow)).toContain(`"code":"${code}"`);
      letGo();
      // Nor if it had arrived, and waited for its turn.
      expect(await answerOf(late)).toContain(`"code":"${code}"`);
      expect(begun).toHaveLength(8);
    },
  );

  it("have thirty seconds to arrive, as any request has", () => {
    const { requestTimeout, headersTimeout } = app.server;
    // Node waits for the longer of the two.
    expect([requestTimeout, headersTimeout]).toEqual([30_000, 30_000]);
  });

  it("are hung up if they come at less than half the pace that brings them in time", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    try {
      const uploads = new Uploads();
      const [still, slow, moving, small] = [aSocket(), aSocket(), aSocket(), aSocket()];
      for (const socket of [still, slow, moving]) await place(uploads, socket, LONGEST);
      await place(uploads, small, 100_000);
      for (let looks = 0; looks < 3; looks++) {
        slow.bytesRead += 200_000;
        small.bytesRead += 9_000;
        moving.bytesRead += 440_000;
        vi.advanceTimersByTime(5_000);
        // One that has just begun may falter once.
        if (looks === 0) expect(still.destroy).not.toHaveBeenCalled();
      }
      expect(still.destroy).toHaveBeenCalled();
      expect(slow.destroy).toHaveBeenCalled();
      expect(small.destroy).not.toHaveBeenCalled();
      expect(moving.destroy).not.toHaveBeenCalled();
      for (const socket of [still, slow, small, moving]) socket.emit("close");
    } finally {
      vi.useRealTimers();
    }
  });
});

interface From {
  readonly address?: string;
  readonly host?: string;
  readonly session?: string;
  /** The length that the body's head names; by default the longest that is taken. */
  readonly length?: number | null;
  /** Behind another request on the connection, whose answer is too large to be read. */
  readonly behind?: boolean;
}

function aSocket() {
  return Object.assign(new EventEmitter(), { bytesRead: 10, destroy: vi.fn(), destroyed: false });
}

/** An upload of a member of its own by a connection whose bytes the test controls. */
function place(uploads: Uploads, socket: object, length: number): Promise<() => void> {
  next++;
  const writer = {
    ...{ merchantId: "mer_1", memberId: `mem_${next}`, sessionId: `ses_${next}` },
    address: "203.0.113.7",
    hasPaidIn: async () => false,
  };
  const request = { socket, complete: false, headers: { "content-length": `${length}` } };
  return uploads.begin(writer, request as unknown as IncomingMessage, LONGEST);
}

/** Holds the work that begins from now on until it is released. */
function holdHandlers(): void {
  begun.length = 0;
  held = new Promise((done) => {
    letGo = done;
  });
}

function connections(): Promise<number> {
  return new Promise((done, fail) =>
    app.server.getConnections((error, count) => (error === null ? done(count) : fail(error))),
  );
}

/** An upload of which hardly anything comes, once the server waits for it or for its turn. */
async function begin(member: string, from: From = {}): Promise<Socket> {
  const socket = await open(member, { length: LONGEST, ...from });
  socket.write("1\r\n");
  await new Promise((turn) => setTimeout(turn, 10));
  return socket;
}

async function send(member: string, from: From = {}): Promise<Socket> {
  const socket = await open(member, { length: BODY.length, ...from });
  socket.write(from.length === undefined ? BODY : Buffer.alloc(from.length ?? 0));
  await new Promise((turn) => setTimeout(turn, 10));
  return socket;
}

async function open(
  member: string,
  {
    address = "203.0.113.7",
    host = "perya.test",
    behind = false,
    session = "",
    length = null,
  }: From,
): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  sockets.add(socket);
  socket.on("error", () => undefined);
  await once(socket, "connect");
  if (behind) {
    socket.pause();
    socket.write(`GET /large HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
  }
  const path = UPLOAD.replace("PUT ", "").replace("{id}", "upl_01jd0000000000000000000000");
  socket.write(
    [
      `PUT ${path} HTTP/1.1`,
      `host: ${host}`,
      `x-forwarded-for: ${address}`,
      `authorization: Bearer ${member}-storage-half-of-a-session${session}`,
      `cookie: __Host-${SESSION_COOKIE}=cookie`,
      "content-type: application/octet-stream",
      length === null ? "transfer-encoding: chunked" : `content-length: ${length}`,
      "\r\n",
    ].join("\r\n"),
  );
  return socket;
}

async function statusOf(socket: Socket): Promise<number> {
  return Number(/^HTTP\/1\.1 (\d+)/.exec(await answerOf(socket))?.[1] ?? 0);
}

/** An answer with its body, which ends with a brace; nothing if there is none. */
async function answerOf(socket: Socket): Promise<string> {
  let text = "";
  for await (const bytes of socket) {
    text += String(bytes);
    if (text.endsWith("}")) return text;
  }
  return "";
}
