import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** A TCP line to a server that can lose what comes back, after the server has done its part. */
export interface LossyLine {
  readonly url: string;
  /** Where what arrives goes on to; a server that was started anew is elsewhere. */
  leadTo(serverUrl: string): void;
  /**
   * The next answer is not delivered: the line breaks in its place. `then` runs before that, so
   * that whoever waits for an answer finds the server as `then` has left it.
   */
  loseNextAnswer(then?: () => Promise<void>): void;
  close(): Promise<void>;
}

export async function openLossyLine(serverUrl: string): Promise<LossyLine> {
  let target = new URL(serverUrl);
  let lost: (() => Promise<void>) | null = null;
  const open = new Set<Socket>();

  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    for (const socket of [near, far]) {
      open.add(socket);
      socket.on("close", () => open.delete(socket));
      socket.on("error", () => undefined);
    }
    near.on("data", (bytes) => far.write(bytes));
    near.on("close", () => far.destroy());
    far.on("close", () => near.destroy());
    let broken = false;
    far.on("data", (bytes) => {
      if (broken) return;
      if (lost === null) {
        near.write(bytes);
        return;
      }
      broken = true;
      const then = lost;
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
    leadTo(url) {
      target = new URL(url);
      for (const socket of open) socket.destroy();
    },
    loseNextAnswer(then = async () => undefined) {
      lost = then;
    },
    async close() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
