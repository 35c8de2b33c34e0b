// @vitest-environment jsdom
import { once } from "node:events";
import type { ClientMessage, ServerMessage } from "@perya/contract/socket";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type WebSocket as ServerSocket, WebSocketServer } from "ws";
import { browserLive, type Live } from "./live.ts";

let server: WebSocketServer;
let heard: { readonly path: string | undefined; readonly message: ClientMessage }[];
let lines: ServerSocket[];
let live: Live;
let shown: boolean[];

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  [heard, lines, shown] = [[], [], []];
  server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  server.on("connection", (line, request) => {
    lines.push(line);
    line.on("message", (bytes) => {
      const message: ClientMessage = JSON.parse(String(bytes));
      heard.push({ path: request.url, message });
      for (const reply of replies(message)) line.send(JSON.stringify(reply));
    });
  });
  await once(server, "listening");
  const at = server.address();
  if (at === null || typeof at === "string") throw new Error("no port");
  vi.stubGlobal("location", { protocol: "http:", host: `127.0.0.1:${at.port}` });
  live = browserLive({ getSessionToken: () => "storage-half", onSessionEnded: () => undefined });
  live.subscribe("site", {
    onSnapshot: ({ maintenance }) => shown.push(maintenance),
    onEvent: ({ state }) => shown.push(state.maintenance),
  });
  await vi.waitFor(() => expect(shown).toEqual([false]), 20_000);
});

afterEach(async () => {
  live.close();
  for (const line of lines) line.terminate();
  server.close();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe("a page's live connection", () => {
  it("goes to the page's own host, and delivers its events", async () => {
    expect(heard[0]).toEqual({
      path: "/ws",
      message: { type: "hello", protocol: 1, token: "storage-half" },
    });
    const event = { type: "site", state: { maintenance: true } };
    lines[0]?.send(JSON.stringify({ type: "event", channel: "site", version: 2, after: 1, event }));
    await vi.waitFor(() => expect(shown).toEqual([false, true]), 20_000);
  });

  it("is encrypted where the page is", () => {
    const opened: string[] = [];
    vi.stubGlobal("location", { protocol: "https:", host: "perya.test" });
    vi.stubGlobal(
      "WebSocket",
      class {
        constructor(url: string) {
          opened.push(url);
        }
        close() {}
      },
    );
    const sealed = browserLive({ getSessionToken: () => null, onSessionEnded: () => undefined });
    sealed.subscribe("site", { onSnapshot: () => undefined, onEvent: () => undefined });
    sealed.close();
    expect(opened).toEqual(["wss://perya.test/ws"]);
  });

  it("is made again when the network is back", async () => {
    dispatchEvent(new Event("online"));
    await vi.waitFor(() => expect(shown).toEqual([false, false]), 20_000);
    expect(lines).toHaveLength(2);
  });

  it("is made again when the page becomes visible after a long time, and not after a moment", async () => {
    const begunAt = Date.now();
    // Nothing was hidden yet.
    turn("visible");
    turn("hidden");
    vi.setSystemTime(begunAt + 20_000);
    turn("visible");
    // By the answer, any new connection would be open.
    await roundTrip();
    expect(lines).toHaveLength(1);
    turn("hidden");
    vi.setSystemTime(begunAt + 40_001);
    turn("visible");
    await vi.waitFor(() => expect(lines).toHaveLength(2), 20_000);
  });
});

function* replies(message: ClientMessage): Generator<ServerMessage> {
  if (message.type === "hello") yield { type: "welcome", loggedIn: true };
  if (message.type === "ping") yield { type: "pong", now: 0 };
  if (message.type === "subscribe") {
    yield { type: "snapshot", channel: "site", version: 1, data: { maintenance: false } };
  }
}

function turn(visibility: "hidden" | "visible"): void {
  Object.defineProperty(document, "hidden", {
    configurable: true,
    get: () => visibility === "hidden",
  });
  document.dispatchEvent(new Event("visibilitychange"));
}

/** On a connection of its own, opened after all earlier ones. */
async function roundTrip(): Promise<void> {
  const other = new WebSocket(`ws://${location.host}/other`);
  await new Promise((open) => {
    other.onopen = open;
  });
  const mine = lines.pop();
  mine?.terminate();
}
