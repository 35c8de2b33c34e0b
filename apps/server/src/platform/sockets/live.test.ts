import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { CHANNELS, type Channel } from "@perya/contract/socket";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { manualClock, seededEntropy } from "../../../../../tests/server/fixtures.ts";
import {
  listening,
  openBeside,
  openTalk,
  type Talk,
} from "../../../../../tests/server/live-talk.ts";
import { localBus } from "../bus.ts";
import { senderOf, trustOf } from "../http/sender.ts";
import { createLogger } from "../log.ts";
import { Unavailable } from "../unavailable.ts";
import { Live, type LiveOptions, type ReadSnapshot, type SocketSession } from "./live.ts";

const TOKEN = "storage-half-of-maria";
const COOKIE = "perya_session=cookie-half-of-maria";
const MARIA: SocketSession = { id: "ses_maria", memberId: "mem_maria" };
const BRANDS: Readonly<Record<string, string>> = { "127.0.0.1": "mer_1", "two.test": "mer_2" };
const SOON = { interval: 5, timeout: 10_000 };
const clock = manualClock();
let busReturns: () => void = () => undefined;
const bus = {
  ...localBus(),
  onReturn: (listener: () => void) => {
    busReturns = listener;
  },
};
const open: WebSocket[] = [];
let count = 0;
let version = 0;
let snapshots = 0;
let lookedUp = false;
/** Sessions that have ended without a message on the bus. */
const lapsed = new Set<string>();
let lookUpFails = false;
let isMariaOut = false;
const plainly = (channel: string, session: SocketSession | null): object => ({
  channel,
  of: session?.memberId ?? null,
});
let snapshotOf = plainly;
/** Channels that cannot be read, and why. */
const unreadable = new Map<string, Error>();
/** Set to hold the answer of `sessionOf` back. */
let gate: Promise<void> = Promise.resolve();

function readerOf(channel: Channel): [Channel, ReadSnapshot] {
  const read: ReadSnapshot = async (session) => {
    snapshots += 1;
    const fault = unreadable.get(channel);
    if (fault !== undefined) throw fault;
    return { version, data: snapshotOf(channel, session) };
  };
  return [channel, read];
}

const options: LiveOptions = {
  log: createLogger({ level: "silent" }),
  clock,
  entropy: seededEntropy("sockets"),
  bus,
  path: "/ws",
  sessionOf: async (_host, token, cookie) => {
    lookedUp = true;
    const stands = !isMariaOut;
    await gate;
    return stands && token === TOKEN && cookie === COOKIE ? MARIA : null;
  },
  brandOf: async (host) => BRANDS[host] ?? null,
  snapshots: Object.fromEntries(CHANNELS.map(readerOf)) as Record<Channel, ReadSnapshot>,
  endedOf: async (ids) => {
    if (lookUpFails) throw new Error("no database");
    return ids.filter((id) => lapsed.has(id));
  },
  senderOf: (request) => {
    const from = String(request.headers["x-from"] ?? "127.0.0.1");
    return { ...senderOf(request, trustOf(false)), address: from };
  },
  ...{ heartbeatMs: 300, refreshAfterMs: 20, refreshPauseMs: 20 },
  onCount: (sockets) => {
    count = sockets;
  },
};
const live = new Live(options);
const server = createServer((_request, reply) => reply.end());
live.attach(server);
const address = await listening(server);

afterEach(async () => {
  unreadable.clear();
  lapsed.clear();
  snapshotOf = plainly;
  for (const socket of open.splice(0)) socket.terminate();
  await expect.poll(() => count, SOON).toBe(0);
});

afterAll(() => live.close().then(() => server.close()));

describe("a live socket", () => {
  it("greets, answers a snapshot, then the events of the channel and no other's", async () => {
    version = 7;
    const visitor = await connected();
    await visitor.hello(null);
    visitor.send({ type: "subscribe", channel: "sports" });
    expect(await visitor.next()).toEqual({
      type: "snapshot",
      channel: "sports",
      version: 7,
      data: { channel: "sports", of: null },
    });
    live.publish("wallet", "mem_maria", { version: 1, after: 0, event: { secret: true } });
    live.publish("sports", null, { version: 8, after: 7, event: { type: "phase" } });
    expect(await visitor.next()).toEqual({
      type: "event",
      channel: "sports",
      version: 8,
      after: 7,
      event: { type: "phase" },
    });
  });

  it("shows a member's own channels only to that member", async () => {
    const maria = await connected(COOKIE);
    expect(await maria.hello(TOKEN)).toEqual({ type: "welcome", loggedIn: true });
    maria.send({ type: "subscribe", channel: "wallet" });
    expect(await maria.next()).toMatchObject({ type: "snapshot", data: { of: "mem_maria" } });
    live.publish("wallet", "mem_jun", { version: 2, after: 0, event: { whose: "jun" } });
    live.publish("wallet", "mem_maria", { version: 3, after: 0, event: { whose: "maria" } });
    expect(await maria.next()).toMatchObject({ version: 3, event: { whose: "maria" } });
  });

  it("refuses own channels to a visitor, to half a session and before the hello", async () => {
    const cases: [cookie: string | undefined, token: string | null][] = [
      [undefined, null],
      [undefined, TOKEN],
      [COOKIE, "storage-half-of-jun"],
    ];
    for (const [cookie, token] of cases) {
      const socket = await connected(cookie);
      expect(await socket.hello(token)).toEqual({ type: "welcome", loggedIn: false });
      for (const channel of ["wallet", "cashier"]) {
        socket.send({ type: "subscribe", channel });
        expect(await socket.next()).toEqual({ type: "refused", channel, code: "not_logged_in" });
      }
    }
    const early = await connected(COOKIE);
    early.send({ type: "subscribe", channel: "sports" });
    expect(await early.next()).toMatchObject({ type: "refused" });
  });

  it("is sent what its channels show, and no other's, once the bus is back that may have lost events", async () => {
    version = 7;
    const [maria, visitor] = [await connected(COOKIE), await connected()];
    await maria.hello(TOKEN);
    await visitor.hello(null);
    maria.send({ type: "subscribe", channel: "wallet" });
    visitor.send({ type: "subscribe", channel: "sports" });
    await maria.next();
    await visitor.next();
    version = 9;
    busReturns();
    const fresh = { type: "snapshot", version: 9 };
    const data = { channel: "wallet", of: "mem_maria" };
    expect(await maria.next()).toEqual({ ...fresh, channel: "wallet", data });
    expect(await visitor.next()).toMatchObject({ ...fresh, channel: "sports" });
    maria.send({ type: "ping" });
    expect(await maria.next()).toMatchObject({ type: "pong" });
  });

  it("is sent again what its channels show as soon as that can be read, and waits for nobody else's", async () => {
    version = 7;
    const [maria, visitor] = [await connected(COOKIE), await connected()];
    await maria.hello(TOKEN);
    await visitor.hello(null);
    for (const channel of ["wallet", "sports"]) {
      maria.send({ type: "subscribe", channel });
      await maria.next();
    }
    visitor.send({ type: "subscribe", channel: "sports" });
    await visitor.next();
    version = 9;
    unreadable.set("wallet", new Error("no database"));
    busReturns();
    expect(await visitor.next()).toMatchObject({ channel: "sports", version: 9 });
    expect(await maria.next()).toMatchObject({ channel: "sports", version: 9 });
    const tried = snapshots;
    await expect.poll(() => snapshots, SOON).toBeGreaterThan(tried);
    unreadable.clear();
    expect(await maria.next()).toMatchObject({ channel: "wallet", version: 9 });
    maria.send({ type: "ping" });
    expect(await maria.next()).toMatchObject({ type: "pong" });
  });

  it("stays if one channel cannot be read for now, has its others, and gets that one as soon as it can be read", async () => {
    const maria = await connected(COOKIE);
    await maria.hello(TOKEN);
    unreadable.set("wallet", new Unavailable("no turn"));
    for (const channel of ["wallet", "sports"]) maria.send({ type: "subscribe", channel });
    expect(await maria.next()).toMatchObject({ type: "snapshot", channel: "sports" });
    const tried = snapshots;
    await expect.poll(() => snapshots, SOON).toBeGreaterThan(tried);
    unreadable.clear();
    expect(await maria.next()).toMatchObject({ type: "snapshot", channel: "wallet" });
    live.publish("wallet", "mem_maria", { version: 10, after: 9, event: {} });
    expect(await maria.next()).toMatchObject({ type: "event", channel: "wallet" });
    maria.send({ type: "ping" });
    expect(await maria.next()).toMatchObject({ type: "pong" });
  });

  it("leaves the own channels of its earlier member when it says hello as somebody else", async () => {
    const socket = await connected(COOKIE);
    await socket.hello(TOKEN);
    socket.send({ type: "subscribe", channel: "wallet" });
    await socket.next();
    await socket.hello(null);
    live.publish("wallet", "mem_maria", { version: 4, after: 0, event: {} });
    socket.send({ type: "ping" });
    expect(await socket.next()).toEqual({ type: "pong", now: clock.now() });
  });

  it("hears no more of a channel that it left", async () => {
    const socket = await connected();
    await socket.hello(null);
    socket.send({ type: "subscribe", channel: "sports" });
    await socket.next();
    socket.send({ type: "unsubscribe", channel: "sports" });
    socket.send({ type: "ping" });
    expect(await socket.next()).toMatchObject({ type: "pong" });
    live.publish("sports", null, { version: 9, after: 8, event: {} });
    socket.send({ type: "ping" });
    expect(await socket.next()).toMatchObject({ type: "pong" });
  });

  it("of a session that ends is told so and closed; others stay", async () => {
    const maria = await connected(COOKIE);
    await maria.hello(TOKEN);
    const visitor = await connected();
    await visitor.hello(null);
    live.endSession("ses_maria");
    expect(await maria.next()).toEqual({ type: "ended", code: "session_ended" });
    expect(await maria.closed).toBe(4001);
    visitor.send({ type: "ping" });
    expect(await visitor.next()).toMatchObject({ type: "pong" });
  });

  it("that is called back comes at a moment of its own, and is admitted", async () => {
    const visitor = await connected();
    await visitor.hello(null);
    live.callBack();
    // The code at which phones spread.
    expect(await visitor.closed).toBe(1001);
    expect(await (await connected()).hello(null)).toMatchObject({ type: "welcome" });
  });

  it("that greets at the moment at which its session ends belongs to nobody", async () => {
    const { maria, answer } = await heldMaria();
    // It was found just before it ended, and the next look finds it ended.
    isMariaOut = true;
    live.endSession("ses_maria");
    answer();
    expect(await maria.next()).toEqual({ type: "welcome", loggedIn: false });
    [gate, isMariaOut] = [Promise.resolve(), false];
  });

  it("is admitted by one look-up, however many others sign out meanwhile", async () => {
    const { maria, answer } = await heldMaria();
    lookedUp = false;
    for (let i = 0; i < 100; i++) live.endSession(`ses_of_somebody_${i}`);
    answer();
    expect(await maria.next()).toEqual({ type: "welcome", loggedIn: true });
    expect(lookedUp).toBe(false);
    gate = Promise.resolve();
    // It still belongs to its session, until it is another's.
    await maria.hello(null);
    live.endSession("ses_maria");
    maria.send({ type: "ping" });
    expect(await maria.next()).toMatchObject({ type: "pong" });
    await maria.hello(TOKEN);
    live.endSession("ses_maria");
    expect(await maria.closed).toBe(4001);
  });

  it("of a session that expired without a message ends at the next heartbeat, and only then", async () => {
    const maria = await connected(COOKIE);
    await maria.hello(TOKEN);
    const visitor = await connected();
    await visitor.hello(null);
    lookUpFails = true;
    lapsed.add("ses_maria");
    await new Promise((turn) => setTimeout(turn, 700));
    // While nobody can say whether it is open, it stays.
    maria.send({ type: "ping" });
    expect(await maria.next()).toMatchObject({ type: "pong" });
    lookUpFails = false;
    expect(await maria.next()).toEqual({ type: "ended", code: "session_ended" });
    expect(await maria.closed).toBe(4001);
    lapsed.clear();
    visitor.send({ type: "ping" });
    expect(await visitor.next()).toMatchObject({ type: "pong" });
  });

  it("of a session that expired without a message ends when the bus is back that may have lost it, however lately it was back before", async () => {
    const { at, returns, close } = await openBeside({
      ...options,
      heartbeatMs: 3_600_000,
      refreshPauseMs: 3_600_000,
    });
    const maria = await connected(COOKIE, at);
    await maria.hello(TOKEN);
    maria.send({ type: "subscribe", channel: "wallet" });
    await maria.next();
    returns();
    // Sent again: the pause after that has begun.
    expect(await maria.next()).toMatchObject({ type: "snapshot", channel: "wallet" });
    lapsed.add("ses_maria");
    returns();
    expect(await maria.next()).toEqual({ type: "ended", code: "session_ended" });
    expect(await maria.closed).toBe(4001);
    lapsed.clear();
    await close();
  });

  it("is sent the present state though the bus comes back again and again", async () => {
    const maria = await connected(COOKIE);
    await maria.hello(TOKEN);
    maria.send({ type: "subscribe", channel: "wallet" });
    expect(await maria.next()).toMatchObject({ type: "snapshot", channel: "wallet" });
    const again = setInterval(() => busReturns(), 5);
    expect(await maria.next()).toMatchObject({ type: "snapshot", channel: "wallet" });
    clearInterval(again);
  });

  it("is sent the present state at once, then not before a pause is over, however often the bus comes back, and then of all", async () => {
    const { at, returns, close } = await openBeside({ ...options, refreshPauseMs: 3_000 });
    // As when a process starts: there is nobody to send to.
    returns();
    await new Promise((turn) => setTimeout(turn, 60));
    const visitor = await connected(undefined, at);
    await visitor.hello(null);
    visitor.send({ type: "subscribe", channel: "sports" });
    await visitor.next();
    const told = snapshots + 1;
    returns();
    await expect.poll(() => snapshots, { interval: 5, timeout: 2_500 }).toBe(told);
    await visitor.next();
    for (let lost = 0; lost < 10; lost++) {
      await new Promise((turn) => setTimeout(turn, 30));
      returns();
    }
    expect(snapshots).toBe(told);
    version += 1;
    expect(await visitor.next()).toMatchObject({ type: "snapshot", version });
    await new Promise((turn) => setTimeout(turn, 100));
    expect(snapshots).toBe(told + 1);
    await close();
  });

  it("is sent shared content in the bytes made for the first, and its own content separately", async () => {
    let made = 0;
    snapshotOf = (channel, session) => ({
      channel,
      of: session?.memberId ?? null,
      toJSON: () => ({ channel, made: ++made }),
    });
    version += 1;
    const visitors = [await connected(), await connected(), await connected(COOKIE)];
    for (const [at, visitor] of visitors.entries()) {
      await visitor.hello(at === 2 ? TOKEN : null);
      visitor.send({ type: "subscribe", channel: "sports" });
      expect(await visitor.next()).toMatchObject({ version, data: { made: 1 } });
    }
    version += 1;
    const [first, , maria] = visitors as [Talk, Talk, Talk];
    first.send({ type: "subscribe", channel: "sports" });
    expect(await first.next()).toMatchObject({ version, data: { made: 2 } });
    for (const own of [3, 4]) {
      maria.send({ type: "subscribe", channel: "wallet" });
      expect(await maria.next()).toMatchObject({ channel: "wallet", data: { made: own } });
    }
  });

  it("of a session that its browser replaced is closed without a word, to come back anew", async () => {
    const maria = await connected(COOKIE);
    await maria.hello(TOKEN);
    const visitor = await connected();
    await visitor.hello(null);
    live.dropSession("ses_maria");
    expect(await maria.closed).toBe(1012);
    visitor.send({ type: "ping" });
    expect(await visitor.next()).toMatchObject({ type: "pong" });
    // Nothing but the close frame came.
    expect(await Promise.race([maria.next(), Promise.resolve("nothing")])).toBe("nothing");
  });

  it("that sends what is oversized, binary or not of the protocol is closed", async () => {
    const oversized = await connected();
    oversized.socket.send("x".repeat(2_049));
    expect(await oversized.closed).toBe(1009);
    const binary = await connected();
    binary.socket.send(Buffer.from('{"type":"ping"}'));
    expect(await binary.closed).toBe(1008);
    for (const text of [
      "not json",
      "[]",
      '{"type":"shutdown"}',
      '{"type":"subscribe","channel":"office"}',
      '{"type":"hello","protocol":2,"token":null}',
    ]) {
      const odd = await connected();
      odd.socket.send(text);
      expect(await odd.closed).toBe(1008);
    }
  });

  it("that sends too many messages is closed", async () => {
    const chatty = await connected();
    for (let i = 0; i < 130; i++) chatty.send({ type: "ping" });
    expect(await chatty.closed).toBe(1008);
    const busy = await connected();
    for (let i = 0; i < 60; i++) busy.send({ type: "ping" });
    for (let i = 0; i < 60; i++) expect(await busy.next()).toMatchObject({ type: "pong" });
  });

  it("that answers no ping is closed, whatever else it sends", async () => {
    const unread = await connected();
    await unread.hello(null);
    // As one does that reads nothing more: its own pongs answer no ping.
    unread.socket.pause();
    const saying = setInterval(() => unread.socket.pong("anything"), 50);
    try {
      await expect.poll(() => count, SOON).toBe(0);
    } finally {
      clearInterval(saying);
    }
  });

  it("that does not take what it asks for is closed before the next ping", async () => {
    snapshotOf = () => ({ text: "x".repeat(500_000) });
    const patient = new Live({ ...options, bus: localBus(), heartbeatMs: 3_600_000 });
    const http = createServer();
    patient.attach(http);
    http.listen(0, "127.0.0.1");
    await once(http, "listening");
    const { port } = http.address() as AddressInfo;
    const greedy = new WebSocket(`ws://127.0.0.1:${port}/ws`);
    greedy.on("error", () => undefined);
    await once(greedy, "open");
    await expect.poll(() => count, SOON).toBe(1);
    greedy.pause();
    greedy.send(JSON.stringify({ type: "hello", protocol: 1, token: null }));
    for (let i = 0; i < 50; i++) {
      greedy.send(JSON.stringify({ type: "subscribe", channel: "sports" }));
    }
    await expect.poll(() => count, SOON).toBe(0);
    await patient.close();
    http.close();
  });

  it("that hangs up while it is looked up joins no channel any more", async () => {
    let letIn: () => void = () => undefined;
    lookedUp = false;
    gate = new Promise((resolve) => {
      letIn = resolve;
    });
    const hasty = await connected(COOKIE);
    hasty.send({ type: "hello", protocol: 1, token: TOKEN });
    hasty.send({ type: "subscribe", channel: "wallet" });
    await expect.poll(() => lookedUp, SOON).toBe(true);
    hasty.socket.close();
    await expect.poll(() => count, SOON).toBe(0);
    const before = snapshots;
    letIn();
    gate = Promise.resolve();
    // Another's whole exchange comes after everything that the first one had left to say.
    const after = await connected();
    await after.hello(null);
    expect(snapshots).toBe(before);
  });

  it("of a block of addresses that has five hundred open already at the brand is refused", async () => {
    const from = (caller: string, host = address) => statusOf(address, caller, host);
    const block = Array.from({ length: 500 }, (_, i) => from(`2001:db8::${(i + 1).toString(16)}`));
    expect(new Set(await Promise.all(block))).toEqual(new Set([101]));
    expect(await from("2001:db8::ffff")).toBe(429);
    expect(await from("2001:db8:0:1::1")).toBe(101);
    expect(await from("2001:db8::ffff", "two.test")).toBe(101);
    open[0]?.terminate();
    await expect.poll(() => count, SOON).toBe(501);
    expect(await from("2001:db8::ffff")).toBe(101);
  });

  it("of an IPv6 /48 is one of sixteen blocks' worth, however many blocks come", async () => {
    const { at, close } = await openBeside({ ...options, perAddressMax: 2 });
    const from = (caller: string) => statusOf(at, caller, at);
    const codes = [];
    for (let i = 0; i < 40; i++) codes.push(await from(`2001:db8:5:${i.toString(16)}::1`));
    expect(codes.indexOf(429)).toBe(32);
    expect(await from("2001:db8:6::1")).toBe(101);
    open[0]?.terminate();
    await expect.poll(() => count, SOON).toBe(32);
    expect(await from("2001:db8:5:ff::1")).toBe(101);
    await close();
  });

  it("that is refused to a caller who has hung up meanwhile ends nothing", async () => {
    const faults: unknown[] = [];
    const keep = (error: unknown) => faults.push(error);
    process.on("uncaughtException", keep);
    for (let caller = 0; caller < 20; caller++) {
      const raw = connect(Number(address.split(":")[1]), "127.0.0.1");
      await once(raw, "connect");
      const asked = once(server, "upgrade");
      raw.write(
        "GET /nothing HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
      );
      const [, stream] = await asked;
      raw.resetAndDestroy();
      // As much as comes after the end, whenever the kernel reports it.
      stream.write("late");
      await new Promise((done) => stream.once("close", done));
    }
    process.off("uncaughtException", keep);
    expect(faults).toEqual([]);
  });

  it("that is refused is closed, whether or not its caller hangs up", async () => {
    const port = Number(address.split(":")[1]);
    const open = () =>
      new Promise<number>((done) =>
        server.getConnections((_error, connections) => done(connections)),
      );
    const before = await open();
    const asking = "GET /nope HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n";
    for (const hangsUp of [true, false]) {
      // As a caller does that still has something to say, and one that waits for ever.
      const raw = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
      raw.on("error", () => undefined).write(asking);
      const [answer] = await once(raw, "data");
      expect(String(answer)).toMatch(/^HTTP\/1.1 404 /);
      raw.write("abc");
      if (hangsUp) raw.end();
      await expect.poll(open, { timeout: 5_000 }).toBe(before);
      raw.destroy();
    }
  });

  it("from another origin, on another path or from nowhere is refused", async () => {
    const tries: [path: string, origin: string | undefined, status: number][] = [
      ["/ws", "https://evil.test", 404],
      ["/ws", "null", 404],
      ["/elsewhere", undefined, 404],
    ];
    for (const [path, origin, status] of tries) {
      const socket = new WebSocket(`ws://${address}${path}`, origin ? { origin } : {});
      const [, answer] = await once(socket, "unexpected-response");
      expect(answer.statusCode).toBe(status);
      socket.on("error", () => undefined);
      socket.terminate();
    }
    const own = new WebSocket(`ws://${address}/ws`, { origin: `http://${address}` });
    open.push(own);
    await once(own, "open");
  });
});

async function connected(cookie?: string, to = address): Promise<Talk> {
  const talk = await openTalk(to, cookie);
  open.push(talk.socket);
  return talk;
}

/** Says hello as Maria, whose look-up is held until it is answered. */
async function heldMaria() {
  let answer: () => void = () => undefined;
  gate = new Promise((resolve) => {
    answer = resolve;
  });
  lookedUp = false;
  const maria = await connected(COOKIE);
  maria.send({ type: "hello", protocol: 1, token: TOKEN });
  await expect.poll(() => lookedUp, SOON).toBe(true);
  return { maria, answer };
}

/** The status with which an opening from an address is answered. */
async function statusOf(at: string, caller: string, host: string): Promise<number> {
  const socket = new WebSocket(`ws://${at}/ws`, { headers: { "x-from": caller, host } });
  open.push(socket);
  socket.on("error", () => undefined);
  return Promise.race([
    once(socket, "open").then(() => 101),
    once(socket, "unexpected-response").then(([, answer]) => answer.statusCode),
  ]);
}
