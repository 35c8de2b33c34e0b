import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT, run, withProgress } from "./project.mjs";

/** The folder that lists the packages used only by `npm run bench` and `npm run mutants`. */
export const BENCH = join(ROOT, "bench");

/** Installs the packages of the folder's package-lock.json unless exactly these are installed. */
export async function ensureInstalled(folder = ROOT) {
  if (isInstalled(folder)) return;
  const code = await withProgress("Installing packages (npm ci)", () => {
    // Production's NODE_ENV would leave out the tools that the build needs.
    const args = ["ci", "--include=dev", "--no-audit", "--no-fund", "--loglevel=error"];
    const npm = process.env.npm_execpath;
    return npm?.endsWith(".js")
      ? run(process.execPath, [npm, ...args], { cwd: folder })
      : run("npm", args, { cwd: folder, shell: process.platform === "win32" });
  });
  if (code !== 0) {
    process.stderr.write("The packages could not be installed; npm's reason stands above.\n");
    process.exit(1);
  }
}

/**
 * npm writes the installed packages into node_modules/.package-lock.json when it is done. So an
 * interrupted installation does not count as installed, and an equal one made by hand does.
 */
function isInstalled(folder) {
  const record = join(folder, "node_modules", ".package-lock.json");
  if (!existsSync(record)) return false;
  const wanted = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8")).packages;
  const present = JSON.parse(readFileSync(record, "utf8")).packages;
  return Object.entries(wanted).every(([path, { version, link, optional, peer }]) => {
    // The lock lists workspaces by folder; optional packages may be for another platform.
    if (!path.includes("node_modules/")) return true;
    const found = present[path];
    if (found === undefined) return optional === true || peer === true;
    return link === true ? existsSync(join(folder, path)) : found.version === version;
  });
}
