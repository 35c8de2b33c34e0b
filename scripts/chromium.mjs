import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { run, withProgress } from "./project.mjs";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/**
 * The path of a Chromium: CHROMIUM_PATH, a system one, Playwright's own; where none is and the
 * machine is Debian with root, the system's package is installed.
 * @returns {Promise<string | null>} null, with the remedy said, where there is none
 */
export async function findChromium() {
  const given = process.env.CHROMIUM_PATH;
  if (given) {
    if (existsSync(given)) return given;
    process.stderr.write(`CHROMIUM_PATH names ${given}, which is not there.\n`);
    return null;
  }
  return systemChromium() ?? (await playwrightsOwn()) ?? (await installFromDebian());
}

function systemChromium() {
  const folders = (process.env.PATH ?? "").split(delimiter);
  const paths = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
  return paths.find((path) => existsSync(path)) ?? null;
}

async function playwrightsOwn() {
  const { chromium } = await import("@playwright/test");
  const path = chromium.executablePath();
  return existsSync(path) ? path : null;
}

async function installFromDebian() {
  if (!existsSync("/etc/debian_version") || process.getuid?.() !== 0) {
    process.stderr.write(
      "No Chromium found. Install one (`apt-get install chromium` or " +
        "`npx playwright install chromium`) or name it in CHROMIUM_PATH.\n",
    );
    return null;
  }
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  await withProgress("No Chromium found; installing Debian's package", async () => {
    await run("apt-get", ["update", "-qq"], { env });
    await run("apt-get", ["install", "-y", "-qq", "chromium"], { env });
  });
  const path = systemChromium();
  if (path === null) process.stderr.write("Debian's chromium package could not be installed.\n");
  return path;
}
