import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** The direction in which bytes are held up: to the server, back from it, or both. */
type Direction = "to" | "from" | "both";

/** Counts of a line since it was opened; subtract earlier counts for a part of the time. */
export interface LineCounts {
  /** Pieces that came from callers, and from the server. */
  to: number;
  from: number;
  /** Pieces that never arrived because of silence; late pieces; lost answers. */
  silenced: number;
  delayed: number;
  lost: number;
  /** Connections that the line reset; connections that no server accepted. */
  cut: number;
  refused: number;
  /**
   * Connections that an HTTP server ended without an answer to something it had received; web
   * sockets do not count.
   */
  unanswered: number;
}

/**
 * A TCP line to a server. The line can be slow, fall silent, break, or lose answers after the
 * server has done its part.
 */
export interface TcpLine {
  /** The HTTP address to which callers connect. */
  readonly url: string;
  readonly port: number;
  readonly counts: Readonly<LineCounts>;
  /** For each unanswered request: when it was sent, and after how long a pause. */
  readonly unanswered: readonly string[];
  /** Leads new connections to another server; open ones break. */
  leadTo(serverUrl: string): void;
  /** Refuses new connections until it leads to another server; open ones stay. */
  turnAway(): void;
  /**
   * Breaks the connection instead of delivering the next answer. `then` runs before that, so that
   * the waiting caller finds the server as `then` has left it.
   */
  loseNextAnswer(then?: () => Promise<void>): void;
  /** From now on a piece of an answer breaks its connection instead, if `chance` says so. */
  loseAnswers(chance: (piece: Buffer) => boolean): void;
  /** Each piece arrives so much later, in both directions. */
  delay(ms: number): void;
  /** Connections stay open and carry nothing in this direction, as after a cable was pulled. */
  silence(direction: Direction): void;
  /**
   * Open connections carry nothing more and neither end learns of it, as when the server's machine
   * is gone or a firewall has forgotten the connection; new connections work.
   */
  forget(): void;
  /** Ends loss, delay and silence; connections with held-up pieces break. */
  mend(): void;
  /** Resets all open connections. */
  cut(): void;
  close(): Promise<void>;
}

/** An HTTP server's answer at the start of a web socket. */
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
    // Each connection has two ends.
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
        // A paused socket does not read the other side's end either, and so does not pass it on.
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
