import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Browser, chromium } from "@playwright/test";
import { sendPopupsAway } from "../e2e/journey.ts";
import { startPerya } from "../e2e/perya.ts";
import { atRest, inLanguage, logInAs } from "../e2e/screens.ts";
import { textsOf } from "../e2e/texts.ts";
import { AGENT_PICTURES, MEMBER_PICTURES, type Picture, VISITOR_PICTURES } from "./pictures.ts";

/** `npm run shots [-- name …]`: a picture of every screen, in both languages. */
const FOLDER = fileURLToPath(new URL("../../shots/", import.meta.url));
const asked = process.argv.slice(2);

const perya = await startPerya();
const browser = await chromium.launch({
  ...(process.env.CHROMIUM_PATH === undefined ? {} : { executablePath: process.env.CHROMIUM_PATH }),
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"],
});
try {
  if (asked.length === 0) rmSync(FOLDER, { recursive: true, force: true });
  for (const language of ["TY", "EN"] as const) {
    await shoot(browser, language, null, VISITOR_PICTURES);
    await shoot(browser, language, "maria", MEMBER_PICTURES);
    await shoot(browser, language, "boyet", AGENT_PICTURES);
  }
} finally {
  await browser.close();
  await perya.stop();
}

async function shoot(
  on: Browser,
  language: "TY" | "EN",
  username: string | null,
  pictures: readonly Picture[],
): Promise<void> {
  const t = textsOf(language === "TY" ? "ty" : "en");
  const folder = join(FOLDER, language.toLowerCase());
  mkdirSync(folder, { recursive: true });
  const context = await on.newContext({
    baseURL: perya.url,
    deviceScaleFactor: 2,
    isMobile: true,
    hasTouch: true,
    // Some steps replace the server's answers, which a service worker would hide.
    serviceWorkers: "block",
  });
  await sendPopupsAway(context);
  const page = await context.newPage();
  await inLanguage(page, language);
  if (username !== null) await logInAs(page, t, username, "Fiesta2026");
  for (const { name, path, open, width, height } of pictures) {
    if (asked.length > 0 && !asked.includes(name)) continue;
    await page.setViewportSize({ width, height });
    // A change of only the hash would not reload the page.
    await page.goto("about:blank");
    await page.goto(path);
    await atRest(page);
    await open?.(page, t);
    // Wait for fades to end; pictures are for people, and never compared.
    await page.waitForTimeout(1_200);
    await page.waitForFunction(hasItsPictures);
    await page.screenshot({ path: join(folder, `${name}.png`) });
    process.stdout.write(`${language} ${name}\n`);
    await context.setOffline(false);
    await page.unrouteAll();
  }
  await context.close();
}

/** Whether every visible picture has loaded or failed. */
function hasItsPictures(): boolean {
  return [...document.images].every((picture) => {
    const { top, bottom, left, right } = picture.getBoundingClientRect();
    const isInSight = bottom > 0 && top < innerHeight && right > 0 && left < innerWidth;
    // A picture out of sight is not drawn yet, so it has not begun to load.
    return picture.complete || !isInSight || !picture.checkVisibility();
  });
}
