import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer } from "node:net";

/** Debian's package is `redis-server`; `npm test` installs it where it can. */
const PROGRAM = ["/usr/bin/redis-server", "/usr/bin/valkey-server"].find((file) =>
  existsSync(file),
);

export const HAS_REDIS = PROGRAM !== undefined;

export interface RunningRedis {
  readonly url: string;
  stop(): void;
}

/** A Redis of one's own on a free port of loopback, with nothing kept on disk. */
export async function startRedis(): Promise<RunningRedis> {
  if (PROGRAM === undefined) throw new Error("this machine has no Redis");
  const port = await freePort();
  const options = ["--port", `${port}`, "--save", "", "--bind", "127.0.0.1"];
  const server = spawn(PROGRAM, options, { cwd: "/" });
  await new Promise<void>((done, fail) => {
    server.once("exit", () => fail(new Error("Redis did not start")));
    server.stdout.on("data", (bytes) => {
      if (/ready to accept connections/i.test(String(bytes))) done();
    });
  });
  return { url: `redis://127.0.0.1:${port}`, stop: () => void server.kill("SIGTERM") };
}

function freePort(): Promise<number> {
  return new Promise((done) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const address = probe.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      probe.close(() => done(port));
    });
  });
}
