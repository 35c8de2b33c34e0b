import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { findProgram } from "../../scripts/debian.mjs";
import { REDIS_PROGRAMS } from "../../scripts/redis.mjs";
import { freePort } from "../setup/free-port.ts";

const PROGRAM = findProgram(REDIS_PROGRAMS);

export interface RunningRedis {
  readonly url: string;
  /** SIGSTOP: it keeps every connection and answers on none. */
  hang(): void;
  goOn(): void;
  /** SIGKILL. */
  kill(): Promise<void>;
  /** Starts it on the same port, empty. */
  restart(): Promise<void>;
  stop(): void;
}

/** A separate Redis on a free port of loopback, which stores nothing on disk. */
export async function startRedis(port?: number): Promise<RunningRedis> {
  if (PROGRAM === null) {
    throw new Error("this machine has no Redis: install Debian's redis-server or valkey-server");
  }
  const at = port ?? (await freePort());
  let server = await spawnRedis(PROGRAM, at);
  return {
    url: `redis://127.0.0.1:${at}`,
    hang: () => void server.kill("SIGSTOP"),
    goOn: () => void server.kill("SIGCONT"),
    kill: async () => {
      const ended = once(server, "exit");
      server.kill("SIGKILL");
      await ended;
    },
    restart: async () => {
      server = await spawnRedis(PROGRAM, at);
    },
    stop: () => {
      server.kill("SIGCONT");
      server.kill("SIGTERM");
    },
  };
}

async function spawnRedis(program: string, port: number): Promise<ChildProcess> {
  const options = ["--port", `${port}`, "--save", "", "--bind", "127.0.0.1"];
  const server = spawn(program, options, { cwd: "/" });
  await new Promise<void>((done, fail) => {
    server.once("exit", () => fail(new Error("Redis did not start")));
    server.stdout.on("data", (bytes) => {
      if (/ready to accept connections/i.test(String(bytes))) done();
    });
  });
  return server;
}
