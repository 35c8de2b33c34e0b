import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** Which way bytes are held up: to the server, back from it, or both. */
export type Direction = "to" | "from" | "both";

/** What a line has done and seen since it was opened; whoever wants a part of it subtracts. */
export interface LineCounts {
  /** Pieces that came from callers, and from the server. */
  to: number;
  from: number;
  /** Pieces that never arrived, for the line was silent; that were late; answers that were lost. */
  silenced: number;
  delayed: number;
  lost: number;
  /** Connections that the line reset; that no server took. */
  cut: number;
  refused: number;
  /**
   * Connections over which the server had taken something and that it ended without an answer to
   * it; of an HTTP server, web sockets aside.
   */
  unanswered: number;
}

/**
 * A TCP line to a server that can be slow, fall silent, break, or lose what comes back after the
 * server has done its part.
 */
export interface TcpLine {
  /** Where callers connect, as an HTTP address. */
  readonly url: string;
  readonly port: number;
  readonly counts: Readonly<LineCounts>;
  /** Of what was left without an answer: when it was sent, and after how long a quiet. */
  readonly unanswered: readonly string[];
  /** Where what arrives goes on to, from now on; what was open breaks. */
  leadTo(serverUrl: string): void;
  /** Whoever comes from now on finds nobody, until it leads to another; what is open stays. */
  turnAway(): void;
  /**
   * The next answer is not delivered: the line breaks in its place. `then` runs before that, so
   * that whoever waits for an answer finds the server as `then` has left it.
   */
  loseNextAnswer(then?: () => Promise<void>): void;
  /** From now on each piece of an answer breaks its connection instead, with this chance. */
  loseAnswers(chance: (piece: Buffer) => boolean): void;
  /** Each piece arrives so much later, either way. */
  delay(ms: number): void;
  /** Connections stay open and carry nothing that way, as where a cable was pulled. */
  silence(direction: Direction): void;
  /**
   * What is open carries nothing more and neither end is ever told, as where the server's machine
   * is gone or a firewall has forgotten the connection; whoever comes from now on gets through.
   */
  forget(): void;
  /** Undoes what was lost, late and silent; what was held up breaks. */
  mend(): void;
  /** Resets whatever is open. */
  cut(): void;
  close(): Promise<void>;
}

/** What an HTTP server answers where a web socket begins. */
const SWITCHING = Buffer.from("HTTP/1.1 101");

export async function openTcpLine(serverUrl: string): Promise<TcpLine> {
  let target = new URL(serverUrl);
  let lost: (() => Promise<void>) | null = null;
  let loses: (piece: Buffer) => boolean = () => false;
  let isShut = false;
  let delayMs = 0;
  const silent = { to: false, from: false };
  const open = new Set<Socket>();
  const forgotten = new WeakSet<Socket>();
  const counts: LineCounts = {
    ...{ to: 0, from: 0, silenced: 0, delayed: 0, lost: 0, cut: 0, refused: 0, unanswered: 0 },
  };

  const unanswered: string[] = [];

  function cut(): void {
    // Two ends each.
    counts.cut += open.size / 2;
    for (const socket of open) socket.resetAndDestroy();
  }

  const server = createServer({ noDelay: true }, (near) => {
    if (isShut) {
      counts.refused++;
      near.on("error", () => undefined);
      near.resetAndDestroy();
      return;
    }
    const far = connect(Number(target.port), target.hostname);
    for (const socket of [near, far]) {
      open.add(socket);
      socket.on("close", () => open.delete(socket));
      socket.on("error", () => undefined);
    }
    const pass = (bytes: Buffer, on: Socket, way: "to" | "from") => {
      counts[way]++;
      if (silent[way] || forgotten.has(on)) {
        counts.silenced++;
        return;
      }
      if (delayMs === 0) on.write(bytes);
      else {
        counts.delayed++;
        setTimeout(
          () => on.destroyed || silent[way] || forgotten.has(on) || on.write(bytes),
          delayMs,
        );
      }
    };
    let owed = false;
    let [answeredAt, askedAt, answers] = [performance.now(), 0, 0];
    let taken = false;
    let isWebSocket = false;
    far.on("connect", () => {
      taken = true;
    });
    near.on("data", (bytes) => {
      if (!owed) askedAt = performance.now();
      owed = true;
      pass(bytes, far, "to");
    });
    near.on("close", () => far.destroy());
    far.on("close", () => {
      if (!near.destroyed && !taken) counts.refused++;
      if (!near.destroyed && taken && owed && !isWebSocket) {
        counts.unanswered++;
        const [ago, quiet] = [performance.now() - askedAt, askedAt - answeredAt];
        unanswered.push(
          `sent ${Math.round(ago)} ms before the end, after ${Math.round(quiet)} ms of quiet and ` +
            `${answers} pieces of answers`,
        );
      }
      near.destroy();
    });
    let broken = false;
    far.on("data", (bytes) => {
      if (broken) return;
      owed = false;
      answeredAt = performance.now();
      answers++;
      isWebSocket ||= bytes.subarray(0, SWITCHING.length).equals(SWITCHING);
      const then = lost ?? (loses(bytes) ? async () => undefined : null);
      if (then === null) return pass(bytes, near, "from");
      broken = true;
      counts.lost++;
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
    counts,
    unanswered,
    turnAway() {
      isShut = true;
    },
    leadTo(url) {
      isShut = false;
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
    forget() {
      for (const socket of open) {
        forgotten.add(socket);
        // Not even the end of one side is read, and so passed on.
        socket.pause();
      }
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
