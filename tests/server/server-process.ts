import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { buildStaleServer } from "../../scripts/build.mjs";
import { inTurn } from "../../scripts/turn.mjs";

export interface ServerProcess {
  readonly url: string;
  readonly pid: number;
  /** The exit code; null where a signal ended it. */
  readonly ended: Promise<number | null>;
  /** The reason of its end in its log. */
  readonly fatal: readonly string[];
  signal(name: NodeJS.Signals): void;
  /** SIGKILL, in the middle of its work. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

export interface ServerProcessOptions {
  /** More modules that Node loads first, as with `--import`. */
  readonly imports?: readonly string[];
  /** Called with each line that it writes; without it, its error output goes to ours. */
  readonly onLine?: (line: string) => void;
  /** Called with the process before it listens. */
  readonly onSpawn?: (child: ChildProcess) => void;
}

const MAIN = fileURLToPath(new URL("../../apps/server/dist/main.js", import.meta.url));
let building: Promise<void> | undefined;

/** The built product in a separate process, on a free port. */
export async function startServerProcess(
  env: Readonly<Record<string, string>>,
  { imports = [], onLine, onSpawn }: ServerProcessOptions = {},
): Promise<ServerProcess> {
  building ??= inTurn(buildStaleServer);
  await building;
  const given = imports.flatMap((one) => ["--import", one]);
  const child = spawn(process.execPath, [...given, MAIN], {
    env: { ...process.env, PORT: "0", METRICS_PORT: "0", LOG_LEVEL: "info", ...env },
    stdio: ["ignore", "pipe", onLine === undefined ? "inherit" : "pipe"],
  });
  onSpawn?.(child);
  for (const output of [child.stdout, child.stderr]) {
    if (onLine !== undefined && output !== null) createInterface(output).on("line", onLine);
  }
  const ended = once(child, "exit").then(([code]) => code);
  const fatal: string[] = [];
  const url = await listeningAt(child, fatal);
  // It begins its jobs after it listens; if it loses its database during that, it begins anew.
  const ready = () =>
    fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (child.exitCode === null && !(await ready())) await sleep(50);
  const end = (signal: NodeJS.Signals) => async () => {
    child.kill(signal);
    await ended;
  };
  return {
    url,
    pid: child.pid ?? 0,
    ended,
    fatal,
    signal: (name) => void child.kill(name),
    kill: end("SIGKILL"),
    stop: end("SIGTERM"),
  };
}

function listeningAt(child: ChildProcess, fatal: string[]): Promise<string> {
  return new Promise((done, fail) => {
    child.once("exit", (code) => fail(new Error(`the server ended with ${code}`)));
    if (child.stdout === null) throw new Error("the server's output is piped");
    createInterface(child.stdout).on("line", (line) => {
      const [, url] = /Server listening at (http:\/\/[\d.]+:\d+)/.exec(line) ?? [];
      if (url !== undefined) done(url);
      if (!line.includes('"level":"fatal"')) return;
      fatal.push(line);
      // A test that fails because the server ended should say why it ended.
      process.stderr.write(`${line}\n`);
    });
  });
}
