import type { Server } from "node:http";
import { Server as NetServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance } from "fastify";

export interface Drain {
  isStopping(): boolean;
  /**
   * Takes a server out of service so that no caller notices: it says that it is not ready, goes on
   * answering until a load balancer must have seen that, takes no new connections, and waits for
   * the answers to all requests that have begun. A connection that is quiet for as long again is
   * closed: a caller that keeps its own for less than the grace never sends on one that just was.
   */
  run(graceMs: number): Promise<void>;
  /** Ends every connection that is left, also of live sockets: nobody waits for them any more. */
  cut(): void;
}

/** A connection that has been quiet for less may have a request under way, grace or none. */
const QUIET_LEAST_MS = 1_000;
/** Answers that take longer are not waited for. */
const ANSWERS_MS = 15_000;
const LOOK_EVERY_MS = 25;

/**
 * Watches a server's connections from its beginning; every answer while it drains is its
 * connection's last. All others say for how long a connection may be quiet and used again: its
 * grace, though it is kept for longer, since a stop may begin at any moment.
 */
export function createDrain(app: FastifyInstance, keptMs: number): Drain {
  const { server } = app;
  const hint = keptMs < 1_000 ? null : `timeout=${Math.floor(keptMs / 1_000)}`;
  const open = new Map<Socket, { busy: number; looks: number }>();
  const all = new Set<Socket>();
  let stopping = false;

  server.on("connection", (socket) => {
    all.add(socket);
    open.set(socket, { busy: 0, looks: 0 });
    socket.once("close", () => {
      all.delete(socket);
      open.delete(socket);
    });
  });
  // Live sockets are told separately where to go.
  server.on("upgrade", (_request, stream: Socket) => open.delete(stream));
  server.prependListener("request", (request, response) => {
    const connection = open.get(request.socket);
    if (connection === undefined) return;
    connection.busy++;
    response.once("close", () => {
      connection.busy--;
      connection.looks = 0;
    });
  });
  app.addHook("onSend", (_request, reply, payload, done) => {
    if (stopping) void reply.header("connection", "close");
    else if (hint !== null && reply.raw.shouldKeepAlive && !reply.hasHeader("connection")) {
      void reply.header("connection", "keep-alive").header("keep-alive", hint);
    }
    done(null, payload);
  });

  /** Closes what has been quiet for a while; answers whether nothing is left. */
  function look(quietMs: number): boolean {
    for (const [socket, connection] of open) {
      if (connection.busy > 0) continue;
      if (++connection.looks * LOOK_EVERY_MS >= quietMs) socket.end();
    }
    return open.size === 0;
  }

  return {
    isStopping: () => stopping,
    async run(graceMs) {
      stopping = true;
      await sleep(graceMs);
      stopListening(server);
      const quietMs = Math.max(QUIET_LEAST_MS, graceMs);
      for (let waited = 0; waited < ANSWERS_MS && !look(quietMs); waited += LOOK_EVERY_MS) {
        await sleep(LOOK_EVERY_MS);
      }
    },
    cut() {
      for (const socket of all) socket.destroy();
    },
  };
}

/**
 * Not HTTP's own `close`, which hangs up every connection between two requests, even if the next
 * one is on its way already.
 */
function stopListening(server: Server): void {
  if (server.listening) NetServer.prototype.close.call(server);
}
