import { existsSync } from "node:fs";
import { canInstall, findProgram, installPackage } from "./debian.mjs";

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
  return findProgram(NAMES) ?? (await playwrightsOwn()) ?? (await installFromDebian());
}

async function playwrightsOwn() {
  const { chromium } = await import("@playwright/test");
  const path = chromium.executablePath();
  return existsSync(path) ? path : null;
}

async function installFromDebian() {
  if (!canInstall()) {
    process.stderr.write(
      "No Chromium found. Install one (`apt-get install chromium` or " +
        "`npx playwright install chromium`) or name it in CHROMIUM_PATH.\n",
    );
    return null;
  }
  await installPackage("chromium");
  const path = findProgram(NAMES);
  if (path === null) process.stderr.write("Debian's chromium package could not be installed.\n");
  return path;
}
