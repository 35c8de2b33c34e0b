import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Browser, chromium } from "@playwright/test";
import { startPerya } from "../e2e/perya.ts";
import {
  atRest,
  inLanguage,
  logInAs,
  MEMBER_SCREENS,
  type Screen,
  VISITOR_SCREENS,
} from "../e2e/screens.ts";
import { textsOf } from "../e2e/texts.ts";

/** `npm run shots [-- name …]`: a picture of every screen at 390×844, in both languages. */
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
    await shoot(browser, language, "visitor", VISITOR_SCREENS);
    await shoot(browser, language, "member", MEMBER_SCREENS);
  }
} finally {
  await browser.close();
  await perya.stop();
}

async function shoot(
  on: Browser,
  language: "TY" | "EN",
  who: "visitor" | "member",
  screens: readonly Screen[],
): Promise<void> {
  const t = textsOf(language === "TY" ? "ty" : "en");
  const folder = join(FOLDER, language.toLowerCase());
  mkdirSync(folder, { recursive: true });
  const context = await on.newContext({
    baseURL: perya.url,
    viewport: { width: 390, height: 844 },
    deviceScaleFactor: 2,
    isMobile: true,
    hasTouch: true,
  });
  const page = await context.newPage();
  await inLanguage(page, language);
  if (who === "member") await logInAs(page, t, "maria", "Fiesta2026");
  for (const screen of screens) {
    if (asked.length > 0 && !asked.includes(screen.name)) continue;
    await page.goto(screen.path);
    await atRest(page);
    await screen.open?.(page, t);
    // Fades and lazy pictures settle; a picture is looked at, never compared.
    await page.waitForTimeout(1_200);
    await page.screenshot({ path: join(folder, `${screen.name}.png`) });
    process.stdout.write(`${language} ${screen.name}\n`);
  }
  await context.close();
}
