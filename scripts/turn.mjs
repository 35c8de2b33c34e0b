import { createHash } from "node:crypto";
import { realpathSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ROOT } from "./project.mjs";

const POLL_MS = 250;
const LONGEST_WAIT_MS = 15 * 60_000;

/**
 * Runs `work` while no other process installs or builds in this repository. The turn is a listening
 * socket, which the kernel frees however its holder ends.
 * @template T @param {() => Promise<T>} work @returns {Promise<T>}
 */
export async function inTurn(work) {
  const key = createHash("sha256").update(realpathSync(ROOT)).digest("hex").slice(0, 32);
  const linux = process.platform === "linux";
  const address = linux ? `\0perya-build-${key}` : join(tmpdir(), `perya-build-${key}.sock`);
  const turn = await take(address);
  try {
    return await work();
  } finally {
    turn.close();
  }
}

/** @param {string} address */
async function take(address) {
  for (let waited = 0; waited < LONGEST_WAIT_MS; waited += POLL_MS) {
    const server = await listen(address);
    if (server !== null) return server;
    if (!(await isHeld(address)) && !address.startsWith("\0")) rmSync(address, { force: true });
    if (waited === 0) process.stdout.write("Another process installs or builds here; waiting …\n");
    await sleep(POLL_MS);
  }
  throw new Error("another process has been installing or building here for too long");
}

/** @param {string} address @returns {Promise<import("node:net").Server | null>} */
function listen(address) {
  return new Promise((done, fail) => {
    const server = createServer((socket) => socket.destroy());
    server.once("error", (error) =>
      "code" in error && error.code === "EADDRINUSE" ? done(null) : fail(error),
    );
    server.listen(address, () => done(server.unref()));
  });
}

/** @param {string} address @returns {Promise<boolean>} */
function isHeld(address) {
  return new Promise((done) => {
    const socket = connect(address, () => {
      socket.destroy();
      done(true);
    });
    socket.on("error", () => done(false));
  });
}
