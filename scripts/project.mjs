import { spawn } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository's top folder. */
export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

const OLDEST_NODE = [20, 19];

/** Ends the program with a plain sentence if Node is too old to run the product. */
export function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NODE;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return;
  process.stderr.write(
    `Perya needs Node ${OLDEST_NODE.join(".")} or newer; this is ${process.versions.node}.\n`,
  );
  process.exit(1);
}

/**
 * Runs a program in the repository's top folder with our terminal, and resolves to its exit
 * code; a signal's end counts as 1.
 * @param {string} command @param {string[]} args
 * @param {import("node:child_process").SpawnOptions & { onMessage?: () => void }} [options]
 *   `onMessage` hears whatever the program sends over `ipc`
 * @returns {Promise<number>}
 */
export function run(command, args, { onMessage, ...options } = {}) {
  return new Promise((done) => {
    const child = spawn(command, args, { cwd: ROOT, stdio: "inherit", ...options });
    if (onMessage !== undefined) child.on("message", onMessage);
    child.on("error", (error) => {
      process.stderr.write(`${command}: ${error.message}\n`);
      done(1);
    });
    child.on("exit", (code) => done(code ?? 1));
  });
}

/** The path of a program that an installed package brings: `bin("tsx")`. @param {string} name */
export function bin(name) {
  return join(ROOT, "node_modules", ".bin", name);
}

const STILL_AT_IT_MS = 10_000;

/**
 * Says what begins, that it still goes on, and how long it took.
 * @template T @param {string} what @param {() => Promise<T>} work @returns {Promise<T>}
 */
export async function withProgress(what, work) {
  const startedAt = performance.now();
  const seconds = () => `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
  process.stdout.write(`${what} …\n`);
  const timer = setInterval(() => {
    process.stdout.write(`  still at it after ${seconds()}\n`);
  }, STILL_AT_IT_MS);
  try {
    const value = await work();
    process.stdout.write(`  done in ${seconds()}\n`);
    return value;
  } finally {
    clearInterval(timer);
  }
}
