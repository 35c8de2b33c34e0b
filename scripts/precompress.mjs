import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

const TEXTS = new Set([".js", ".css", ".html", ".svg", ".json", ".webmanifest", ".txt"]);
/** Below this a compressed copy saves less than its header costs. */
const SMALLEST_BYTES = 512;

/**
 * Puts a `.br` and a `.gz` beside every text of a build, so that serving costs nothing.
 * @param {string} folder
 */
export async function precompress(folder) {
  const names = readdirSync(folder);
  await Promise.all(
    names.map((name) => {
      const path = join(folder, name);
      if (statSync(path).isDirectory()) return precompress(path);
      return TEXTS.has(extname(name)) ? compressFile(path) : undefined;
    }),
  );
}

/** @param {string} path */
async function compressFile(path) {
  // The name of an asset bears its hash: what an earlier build compressed is the same.
  if (basename(dirname(path)) === "assets" && existsSync(`${path}.gz`)) return;
  const bytes = readFileSync(path);
  if (bytes.length < SMALLEST_BYTES) return;
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11 };
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(bytes, { params }),
    promisify(gzip)(bytes, { level: 9 }),
  ]);
  putWhole(`${path}.br`, br);
  // Last, as it tells that both are there.
  putWhole(`${path}.gz`, gz);
}

/**
 * A process that serves meanwhile, or a build that is broken off, leaves no half of a file.
 * @param {string} path
 * @param {Buffer} bytes
 */
function putWhole(path, bytes) {
  writeFileSync(`${path}.part`, bytes);
  renameSync(`${path}.part`, path);
}
