import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { WebSocket } from "ws";
import { localBus } from "../../apps/server/src/platform/bus.ts";
import { Live, type LiveOptions } from "../../apps/server/src/platform/sockets/live.ts";

export interface Talk {
  readonly socket: WebSocket;
  /** The close code, once it is closed. */
  readonly closed: Promise<number>;
  send(message: unknown): void;
  next(): Promise<unknown>;
  hello(token: string | null): Promise<unknown>;
}

/** Opens a socket at an address, and listens. */
export async function openTalk(to: string, cookie?: string): Promise<Talk> {
  const headers = cookie === undefined ? {} : { cookie };
  const socket = new WebSocket(`ws://${to}/ws`, { headers });
  const heard: unknown[] = [];
  const waiting: ((message: unknown) => void)[] = [];
  socket.on("message", (bytes) => {
    const message: unknown = JSON.parse(String(bytes));
    const waiter = waiting.shift();
    if (waiter === undefined) heard.push(message);
    else waiter(message);
  });
  socket.on("error", () => undefined);
  const closed = new Promise<number>((resolve) => {
    socket.on("close", (code) => resolve(code));
  });
  await once(socket, "open");
  const next = () =>
    heard.length > 0
      ? Promise.resolve(heard.shift())
      : new Promise<unknown>((resolve) => waiting.push(resolve));
  const send = (message: unknown) => socket.send(JSON.stringify(message));
  return {
    socket,
    closed,
    send,
    next,
    hello: (token) => {
      send({ type: "hello", protocol: 1, token });
      return next();
    },
  };
}

/** A server of its own beside the one of all tests, whose bus comes back when told to. */
export async function openBeside(options: LiveOptions) {
  const http = createServer();
  let returns: () => void = () => undefined;
  const bus = {
    ...localBus(),
    onReturn: (listener: () => void) => {
      returns = listener;
    },
  };
  const own = new Live({ ...options, bus });
  own.attach(http);
  const at = await listening(http);
  return {
    at,
    returns: () => returns(),
    async close() {
      await own.close();
      http.close();
    },
  };
}

/** The address at which a server listens from now on. */
export async function listening(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A server that listens on TCP has an address of this kind.
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}
