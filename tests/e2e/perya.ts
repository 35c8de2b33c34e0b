import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const BUNDLE = fileURLToPath(new URL("../../apps/server/dist/main.js", import.meta.url));
const START_TIMEOUT_MS = 90_000;

export interface Perya {
  readonly url: string;
  /** Ends the process as a power cut would: nothing is told, nothing is tidied. */
  kill(): Promise<void>;
  /** Starts it again on the same data and the same address. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * The product as `npm start` runs it, on a free port with a data folder of its own. `more` is what
 * its environment holds besides.
 */
export async function startPerya(more: Readonly<Record<string, string>> = {}): Promise<Perya> {
  const folder = mkdtempSync(join(tmpdir(), "perya-journey-"));
  const port = await freePort();
  const metricsPort = await freePort();
  const url = `http://localhost:${port}`;
  const start = () => launch(folder, port, metricsPort, more);
  let child = await start();
  return {
    url,
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

async function launch(
  folder: string,
  port: number,
  metricsPort: number,
  more: Readonly<Record<string, string>>,
): Promise<ChildProcess> {
  const child = spawn(process.execPath, [BUNDLE], {
    env: {
      ...process.env,
      NODE_ENV: "development",
      PORT: String(port),
      METRICS_PORT: String(metricsPort),
      DATA_DIR: folder,
      LOG_LEVEL: "error",
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

function freePort(): Promise<number> {
  return new Promise((done, fail) => {
    const server = createServer();
    server.once("error", fail);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      server.close(() => done(port));
    });
  });
}
