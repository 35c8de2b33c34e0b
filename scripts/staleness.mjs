import { createHash } from "node:crypto";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { ROOT } from "./project.mjs";

const NO_SOURCE = new Set(["node_modules", "dist", ".perya", "test-results"]);

/**
 * A hash over the names and contents of every file below `paths` that is not a test: equal hash,
 * equal build. Times do not count, since a checkout does not keep them.
 * @param {string[]} paths relative to the repository's top folder; absent ones are skipped
 */
export function sourceHash(paths) {
  const hash = createHash("sha256");
  for (const path of paths) addPath(hash, path);
  return hash.digest("hex");
}

/** @param {import("node:crypto").Hash} hash @param {string} path */
function addPath(hash, path) {
  const absolute = join(ROOT, path);
  const found = lstatSync(absolute, { throwIfNoEntry: false });
  if (found === undefined || found.isSymbolicLink()) return;
  if (found.isDirectory()) {
    for (const name of readdirSync(absolute).sort()) {
      if (!NO_SOURCE.has(name)) addPath(hash, `${path}/${name}`);
    }
  } else if (!/\.test\.tsx?$/.test(path)) {
    hash.update(`${path}\0`).update(readFileSync(absolute)).update("\0");
  }
}

/** @param {string} stamp file that `markBuilt` wrote @param {string} hash */
export function isStale(stamp, hash) {
  return !existsSync(stamp) || readFileSync(stamp, "utf8") !== hash;
}

/** @param {string} stamp @param {string} hash */
export function markBuilt(stamp, hash) {
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, hash);
}
