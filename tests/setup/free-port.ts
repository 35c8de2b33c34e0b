import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/** Below the ports that Linux gives to whoever asks for any, so that nobody is given it meanwhile. */
const [FIRST, LAST] = [20_000, 32_000];
/** Given out once: nobody listens on it yet. */
const given = new Set<number>();

/** A port of this machine that is free for whoever asked. */
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
