import type { Page } from "@playwright/test";
import { expect, test } from "./journey.ts";
import { atRest } from "./screens.ts";
import { textsOf } from "./texts.ts";

const ty = textsOf("ty");
const ENTRY = /\/assets\/app-[^/]*\.js$/;

/** Code is missing so often, as after another build or behind a network that was gone briefly. */
async function missing(page: Page, code: RegExp, times = Number.POSITIVE_INFINITY) {
  let left = times;
  await page.route(code, async (route) => {
    if (left-- > 0) await route.fulfill({ status: 404, body: "not found\n" });
    else await route.fallback();
  });
  return () => page.unroute(code);
}

const started = (page: Page) => expect(page.locator("#screen")).toBeVisible();

test("a page whose scripts fail to load reloads by itself", async ({ page }) => {
  await missing(page, ENTRY, 2);
  await page.goto("/m/home");
  await started(page);
  await expect.poll(() => page.evaluate(() => sessionStorage.getItem("MC_STARTS"))).toBeNull();
});

test("a page whose first texts fail to load reloads by itself", async ({ page }) => {
  await missing(page, /\/assets\/TY-[^/]*\.js$/, 2);
  await page.goto("/m/home");
  await started(page);
});

test("a page whose scripts never load says so in both languages, and starts by its button when they do", async ({
  page,
}) => {
  const back = await missing(page, ENTRY);
  await page.goto("/m/home");
  const told = page.getByRole("alert");
  await expect(told).toContainText("Hindi nabuksan ang app");
  await expect(told).toContainText("The app could not be opened");
  await back();
  await told.getByRole("button").click();
  await started(page);
  await expect(told).toHaveCount(0);
});

test("a part of a screen whose code is gone reloads the page once by itself, and never again", async ({
  page,
}) => {
  const code = /\/assets\/fairness-screen-[^/]*\.js$/;
  const again = page.getByRole("button", { name: ty("error.load_failed") });
  let loads = 0;
  page.on("load", () => loads++);
  // The code is asked for twice: ahead, and when it is needed.
  const back = await missing(page, code, 2);
  await page.goto("/m/fairness");
  await expect.poll(() => loads).toBe(2);
  await atRest(page);
  await expect(again).toHaveCount(0);
  await back();
  await missing(page, code);
  // This tab has used its one reload: from here on the player chooses.
  await page.goto("/m/fairness");
  await expect(again).toBeVisible();
  await page.waitForTimeout(1_000);
  await expect(again).toBeVisible();
  expect(loads).toBe(3);
});

test("a popup whose code fails to load closes and says so over the unchanged page, and opens at the next tap", async ({
  page,
}) => {
  await page.goto("/m/help");
  await atRest(page);
  const screen = await page.locator("#screen").elementHandle();
  const back = await missing(page, /\/assets\/language-sheet-[^/]*\.(js|css)$/);
  const open = () => page.evaluate(() => history.pushState({}, "", "?pop=language"));
  await open();
  await expect(page.locator("[data-sonner-toast]")).toContainText(ty("error.slow"));
  await expect(page).toHaveURL(/\/m\/help$/);
  expect(await screen?.isVisible()).toBe(true);
  await back();
  await open();
  await expect(page.getByRole("dialog")).toBeVisible();
  const styled = await page
    .getByRole("dialog")
    .evaluate((dialog) => getComputedStyle(dialog).position);
  expect(styled).toBe("fixed");
  expect(await screen?.isVisible()).toBe(true);
});
