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
 * Writes a `.br` and a `.gz` beside every text of a build, so that serving costs nothing.
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
  // An asset's name contains its hash: the copy from an earlier build is the same.
  if (basename(dirname(path)) === "assets" && existsSync(`${path}.gz`)) return;
  const bytes = readFileSync(path);
  if (bytes.length < SMALLEST_BYTES) return;
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11 };
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(bytes, { params }),
    promisify(gzip)(bytes, { level: 9 }),
  ]);
  putWhole(`${path}.br`, br);
  // Last, since its presence means that both exist.
  putWhole(`${path}.gz`, gz);
}

/**
 * Leaves no half file to a process that serves meanwhile, or after an interrupted build.
 * @param {string} path
 * @param {Buffer} bytes
 */
function putWhole(path, bytes) {
  writeFileSync(`${path}.part`, bytes);
  renameSync(`${path}.part`, path);
}
