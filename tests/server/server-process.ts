import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export interface ServerProcess {
  readonly url: string;
  /** SIGKILL, in the middle of whatever it does. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

/** The product's own program in a process of its own, on a free port. */
export async function startServerProcess(
  env: Readonly<Record<string, string>>,
): Promise<ServerProcess> {
  const main = fileURLToPath(new URL("../../apps/server/src/main.ts", import.meta.url));
  const child = spawn(process.execPath, ["--import", "tsx", main], {
    env: { ...process.env, PORT: "0", METRICS_PORT: "0", LOG_LEVEL: "info", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const url = await listeningAt(child);
  const end = (signal: NodeJS.Signals) => async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  };
  return { url, kill: end("SIGKILL"), stop: end("SIGTERM") };
}

function listeningAt(child: ChildProcess): Promise<string> {
  return new Promise((done, fail) => {
    child.once("exit", (code) => fail(new Error(`the server ended with ${code}`)));
    if (child.stdout === null) throw new Error("the server's output is piped");
    createInterface(child.stdout).on("line", (line) => {
      const [, url] = /Server listening at (http:\/\/[\d.]+:\d+)/.exec(line) ?? [];
      if (url !== undefined) done(url);
    });
  });
}
