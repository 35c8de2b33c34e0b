import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";

/** By then no process serves pages of their build. */
const KEPT_MS = 7 * 86_400_000;
/** Of so many builds at most, for a day of many builds. */
const BUILDS_MAX = 10;
/** For each file no longer in this build: when the first build without it came. */
const LIST = ".earlier-assets";
const COPIES = /\.(br|gz)$/;

/**
 * Keeps the assets of earlier builds for a while, because earlier pages name them: those of
 * processes that still serve from this folder, and those open in browsers. All other files that
 * this build did not write are deleted.
 */
export function earlierAssets(): Plugin {
  let publicFolder = "";
  return {
    name: "earlier-assets",
    apply: "build",
    config: () => ({ build: { emptyOutDir: false } }),
    configResolved(config) {
      publicFolder = config.publicDir;
    },
    writeBundle(options, bundle) {
      const dist = options.dir ?? "dist";
      const written = new Set([...Object.keys(bundle), ...filesBelow(publicFolder)]);
      tidyBuild(dist, written, Date.now());
    },
  };
}

/** @param written every file of this build, by its path in the folder */
export function tidyBuild(dist: string, written: ReadonlySet<string>, now: number): void {
  const list = join(dist, LIST);
  const before = readList(list);
  const earlier: Record<string, number> = {};
  const gone: string[] = [];
  for (const file of filesBelow(dist)) {
    const name = file.replace(COPIES, "");
    if (file.startsWith(".") || written.has(name)) continue;
    if (name.startsWith("assets/")) earlier[name] = before[name] ?? now;
    else gone.push(file);
  }
  const builds = [...new Set(Object.values(earlier))].sort((a, b) => b - a);
  const oldest = Math.max(now - KEPT_MS, builds[BUILDS_MAX - 1] ?? 0);
  for (const [name, since] of Object.entries(earlier)) {
    if (since >= oldest) continue;
    delete earlier[name];
    gone.push(name, `${name}.br`, `${name}.gz`);
  }
  for (const file of gone) rmSync(join(dist, file), { force: true });
  writeFileSync(list, JSON.stringify(earlier));
}

function readList(path: string): Readonly<Record<string, number>> {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    // The first build that keeps assets, or a list cut off: the time of all starts again.
    return {};
  }
}

/** Paths below a folder, with `/`; empty where the folder does not exist. */
function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .map((path) => path.replaceAll("\\", "/"));
}
