import { existsSync } from "node:fs";
import { canInstall, findProgram, installPackage } from "./debian.mjs";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
/** Debian's package and its program. */
const HEADLESS_SHELL = "chromium-headless-shell";

/**
 * The browsers for journeys: a whole Chromium, and one without a window's parts.
 * @returns {Promise<{ chromium: string | null, headless: string | null }>} each null if not found
 */
export async function findBrowsers() {
  return { chromium: await findChromium(), headless: await findHeadlessShell() };
}

/**
 * The path of a Chromium: CHROMIUM_PATH, a system one, or Playwright's own. If there is none and
 * the machine is Debian with root, the system's package is installed.
 * @returns {Promise<string | null>} null, after naming the remedy, if there is none
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

/**
 * The path of Chromium without a window's parts, which is enough for journeys and a tenth less work
 * for the same pages. Else the path of a whole one.
 * @returns {Promise<string | null>}
 */
export async function findHeadlessShell() {
  if (process.env.CHROMIUM_PATH) return findChromium();
  const found = findProgram([HEADLESS_SHELL]);
  if (found !== null) return found;
  if (canInstall()) await installPackage(HEADLESS_SHELL);
  return findProgram([HEADLESS_SHELL]) ?? findChromium();
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
