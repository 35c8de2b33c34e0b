import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";

/** By then no process serves pages of the build that they are of. */
const KEPT_MS = 7 * 86_400_000;
/** Of so many builds at most, for whoever builds all day. */
const BUILDS_MAX = 10;
/** Of each file that is no longer this build's, when the build came that went without it. */
const LIST = ".earlier-assets";
const COPIES = /\.(br|gz)$/;

/**
 * Lets the assets of earlier builds stay a while, which pages name that were made before: of
 * processes that serve on from this folder, and of browsers that had them open. All else that
 * this build did not write goes.
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
    // The first build that keeps one; or it was cut off, and all begin their time anew.
    return {};
  }
}

/** Paths below a folder, with `/`; none where there is no folder. */
function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .map((path) => path.replaceAll("\\", "/"));
}
