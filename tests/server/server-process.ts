import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

export interface ServerProcess {
  readonly url: string;
  readonly pid: number;
  /** The exit code; null where a signal ended it. */
  readonly ended: Promise<number | null>;
  signal(name: NodeJS.Signals): void;
  /** SIGKILL, in the middle of whatever it does. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

export interface ServerProcessOptions {
  /** Further modules that Node loads first, as `--import` takes them. */
  readonly imports?: readonly string[];
  /** An open file that takes what it writes to its error output; else ours does. */
  readonly complaints?: number;
  /** As `npm run build` made it, which starts in a fraction of the time; else from its source. */
  readonly built?: boolean;
}

const MAIN = "../../apps/server/src/main.ts";
const BUNDLE = "../../apps/server/dist/main.js";

/** The product's own program in a process of its own, on a free port. */
export async function startServerProcess(
  env: Readonly<Record<string, string>>,
  { imports = [], complaints, built = false }: ServerProcessOptions = {},
): Promise<ServerProcess> {
  const main = fileURLToPath(new URL(built ? BUNDLE : MAIN, import.meta.url));
  const loaded = built ? imports : ["tsx", ...imports];
  const given = loaded.flatMap((one) => ["--import", one]);
  const child = spawn(process.execPath, [...given, main], {
    env: { ...process.env, PORT: "0", METRICS_PORT: "0", LOG_LEVEL: "info", ...env },
    stdio: ["ignore", "pipe", complaints ?? "inherit"],
  });
  const ended = once(child, "exit").then(([code]) => code);
  const url = await listeningAt(child);
  // It plans and begins its jobs after it listens.
  while ((await fetch(`${url}/readyz`)).status !== 200) await sleep(50);
  const end = (signal: NodeJS.Signals) => async () => {
    child.kill(signal);
    await ended;
  };
  return {
    url,
    pid: child.pid ?? 0,
    ended,
    signal: (name) => void child.kill(name),
    kill: end("SIGKILL"),
    stop: end("SIGTERM"),
  };
}

function listeningAt(child: ChildProcess): Promise<string> {
  return new Promise((done, fail) => {
    child.once("exit", (code) => fail(new Error(`the server ended with ${code}`)));
    if (child.stdout === null) throw new Error("the server's output is piped");
    createInterface(child.stdout).on("line", (line) => {
      const [, url] = /Server listening at (http:\/\/[\d.]+:\d+)/.exec(line) ?? [];
      if (url !== undefined) done(url);
      // A test that fails for want of the server should say why that ended.
      if (line.includes('"level":"fatal"')) process.stderr.write(`${line}\n`);
    });
  });
}
