import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chmodSync, lstatSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { freePort } from "../setup/free-port.ts";

const BUNDLE = fileURLToPath(new URL("../../apps/server/dist/main.js", import.meta.url));
const START_TIMEOUT_MS = 90_000;

type Environment = Readonly<Record<string, string>>;

export interface Perya {
  readonly url: string;
  readonly folder: string;
  /** Ends the process like a power cut, without a warning or a cleanup. */
  kill(): Promise<void>;
  /** Starts it again on the same data and the same address. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** A data folder whose demo has its 90 days of history; tests copy it and never change it. */
export async function makeTemplate(): Promise<{ folder: string; remove(): void }> {
  const folder = makeFolder();
  await end(await launch(folder, await freePort()), "SIGTERM");
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/**
 * The product as `npm start` runs it, on a free port with its own data folder: a copy of the one
 * that PERYA_TEMPLATE names, else a new one. `more` is added to its environment.
 */
export async function startPerya(
  more: Environment | ((port: number) => Environment) = {},
): Promise<Perya> {
  const folder = makeFolder(process.env.PERYA_TEMPLATE);
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const start = () => launch(folder, port, typeof more === "function" ? more(port) : more);
  let child = await start();
  return {
    url,
    folder,
    async kill() {
      await end(child, "SIGKILL");
    },
    async restart() {
      child = await start();
    },
    async stop() {
      await end(child, "SIGTERM");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function makeFolder(template?: string): string {
  const folder = mkdtempSync(join(tmpdir(), "perya-journey-"));
  // PostgreSQL runs as another user, and puts its files elsewhere if that user cannot enter.
  chmodSync(folder, 0o755);
  if (template !== undefined && !lstatSync(join(template, "postgres")).isSymbolicLink()) {
    // Node's own copy would not preserve the files' owners.
    execFileSync("cp", ["-pR", `${template}/.`, folder]);
  }
  return folder;
}

async function launch(
  folder: string,
  port: number,
  more: Readonly<Record<string, string>> = {},
): Promise<ChildProcess> {
  const child = spawn(process.execPath, [BUNDLE], {
    env: {
      ...process.env,
      NODE_ENV: "development",
      PORT: String(port),
      METRICS_PORT: "0",
      DATA_DIR: folder,
      LOG_LEVEL: "error",
      // The set-up of each journey calls from its own address, like a player: see session.ts.
      TRUST_PROXY: "loopback",
      ...more,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const { stdout } = child;
  if (stdout === null) throw new Error("the server's output is piped");
  await new Promise<void>((done, fail) => {
    const timer = setTimeout(() => fail(new Error("Perya did not start")), START_TIMEOUT_MS);
    child.once("exit", (code) => fail(new Error(`Perya ended with ${code}`)));
    createInterface(stdout).on("line", (line) => {
      if (!line.startsWith("Perya is open")) return;
      clearTimeout(timer);
      done();
    });
  });
  return child;
}

async function end(child: ChildProcess, signal: "SIGKILL" | "SIGTERM"): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((done) => child.once("exit", done));
  child.kill(signal);
  await ended;
}
