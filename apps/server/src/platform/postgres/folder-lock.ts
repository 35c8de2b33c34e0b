import { createHash } from "node:crypto";
import { realpathSync, rmSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ANSWER_TIMEOUT_MS = 2_000;

class FolderInUseError extends Error {
  /** Process id of the holder; null if it did not say. */
  readonly holder: number | null;

  constructor(folder: string, holder: number | null) {
    super(
      `the data folder ${folder} is in use by another Perya` +
        (holder === null ? "" : ` (process ${holder})`),
    );
    this.holder = holder;
  }
}

/**
 * One process per folder. The lock is a listening socket, because the kernel gives it to exactly
 * one process and takes it back however that process ends; a lock file would outlive SIGKILL, and
 * two starts that both find it stale would both take it. On Linux the name is abstract (no file at
 * all); elsewhere it is a socket file, whose leftover refuses connections. A process that connects
 * gets the holder's process id. It holds within one machine (one network namespace), as does
 * PostgreSQL's own guard.
 * @throws FolderInUseError
 */
export async function lockFolder(
  folder: string,
  shownAs = folder,
): Promise<{ release(): Promise<void> }> {
  const address = lockAddress(folder);
  const server = (await listen(address)) ?? (await listenAfterHolder(address, shownAs));
  // The lock alone must not keep the process alive.
  server.unref();
  return { release: () => new Promise((done) => server.close(() => done())) };
}

function lockAddress(folder: string): string {
  const key = createHash("sha256").update(realpathSync(folder)).digest("hex").slice(0, 32);
  return process.platform === "linux" ? `\0perya-${key}` : join(tmpdir(), `perya-${key}.sock`);
}

async function listenAfterHolder(address: string, folder: string): Promise<Server> {
  const holder = await askHolder(address);
  if (holder !== "gone") throw new FolderInUseError(folder, holder);
  if (!address.startsWith("\0")) rmSync(address, { force: true });
  const server = await listen(address);
  if (server === null) throw new FolderInUseError(folder, null);
  return server;
}

function listen(address: string): Promise<Server | null> {
  return new Promise((done, fail) => {
    const server = createServer((socket) => {
      socket.on("error", () => socket.destroy());
      socket.end(String(process.pid));
    });
    server.once("error", (error: NodeJS.ErrnoException) =>
      error.code === "EADDRINUSE" ? done(null) : fail(error),
    );
    server.listen(address, () => done(server));
  });
}

function askHolder(address: string): Promise<number | null | "gone"> {
  return new Promise((done) => {
    let answer = "";
    const socket = connect(address);
    socket.setTimeout(ANSWER_TIMEOUT_MS, () => {
      socket.destroy();
      done(null);
    });
    socket.on("data", (part) => {
      answer += part.toString();
    });
    socket.on("end", () => done(/^\d+$/.test(answer) ? Number(answer) : null));
    socket.on("error", () => done("gone"));
  });
}
