import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/** Below the ports that Linux assigns itself, so that it gives a port to no other process. */
const [FIRST, LAST] = [20_000, 32_000];
/** Ports that were handed out, even if no process listens on them yet. */
const given = new Set<number>();

/** A free port of this machine. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, LAST);
    if (given.has(port) || !(await isFree(port))) continue;
    given.add(port);
    return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((done) => {
    const server = createServer();
    server.once("error", () => done(false));
    server.listen(port, "127.0.0.1", () => server.close(() => done(true)));
  });
}
