import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** Which way bytes are held up: to the server, back from it, or both. */
export type Direction = "to" | "from" | "both";

/**
 * A TCP line to a server that can be slow, fall silent, break, or lose what comes back after the
 * server has done its part.
 */
export interface TcpLine {
  /** Where callers connect, as an HTTP address. */
  readonly url: string;
  readonly port: number;
  /** Where what arrives goes on to, from now on; what was open breaks. */
  leadTo(serverUrl: string): void;
  /**
   * The next answer is not delivered: the line breaks in its place. `then` runs before that, so
   * that whoever waits for an answer finds the server as `then` has left it.
   */
  loseNextAnswer(then?: () => Promise<void>): void;
  /** From now on each piece of an answer breaks its connection instead, with this chance. */
  loseAnswers(chance: () => boolean): void;
  /** Each piece arrives so much later, either way. */
  delay(ms: number): void;
  /** Connections stay open and carry nothing that way, as where a cable was pulled. */
  silence(direction: Direction): void;
  /** Undoes what was lost, late and silent; what was held up breaks. */
  mend(): void;
  /** Resets whatever is open. */
  cut(): void;
  close(): Promise<void>;
}

export async function openTcpLine(serverUrl: string): Promise<TcpLine> {
  let target = new URL(serverUrl);
  let lost: (() => Promise<void>) | null = null;
  let loses = () => false;
  let delayMs = 0;
  const silent = { to: false, from: false };
  const open = new Set<Socket>();

  function cut(): void {
    for (const socket of open) socket.resetAndDestroy();
  }

  const server = createServer({ noDelay: true }, (near) => {
    const far = connect(Number(target.port), target.hostname);
    for (const socket of [near, far]) {
      open.add(socket);
      socket.on("close", () => open.delete(socket));
      socket.on("error", () => undefined);
    }
    const pass = (bytes: Buffer, on: Socket, way: "to" | "from") => {
      if (silent[way]) return;
      if (delayMs === 0) on.write(bytes);
      else setTimeout(() => on.destroyed || silent[way] || on.write(bytes), delayMs);
    };
    near.on("data", (bytes) => pass(bytes, far, "to"));
    near.on("close", () => far.destroy());
    far.on("close", () => near.destroy());
    let broken = false;
    far.on("data", (bytes) => {
      if (broken) return;
      const then = lost ?? (loses() ? async () => undefined : null);
      if (then === null) return pass(bytes, near, "from");
      broken = true;
      lost = null;
      void then().finally(() => near.destroy());
    });
  });
  server.listen(0, "localhost");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the line has no port");

  return {
    url: `http://localhost:${address.port}`,
    port: address.port,
    leadTo(url) {
      target = new URL(url);
      cut();
    },
    loseNextAnswer(then = async () => undefined) {
      lost = then;
    },
    loseAnswers(chance) {
      loses = chance;
    },
    delay(ms) {
      delayMs = ms;
    },
    silence(direction) {
      silent.to = direction !== "from";
      silent.from = direction !== "to";
    },
    mend() {
      const heldUp = silent.to || silent.from;
      Object.assign(silent, { to: false, from: false });
      delayMs = 0;
      loses = () => false;
      if (heldUp) cut();
    },
    cut,
    async close() {
      cut();
      server.close();
      await once(server, "close");
    },
  };
}
