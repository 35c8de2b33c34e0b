import type { Page } from "@playwright/test";
import { expect, test } from "./journey.ts";

test.use({ serviceWorkers: "allow" });

/** Makes the browser refuse every write to a cache, like a phone that has no room left. */
async function fillStorage(page: Page, origin = ""): Promise<void> {
  const chrome = await page.context().newCDPSession(page);
  await chrome.send("Storage.overrideQuotaForOrigin", { origin, quotaSize: 1 });
}

const started = (page: Page) => expect(page.locator("#screen")).toBeVisible();

test("a page whose files are not cached starts on a phone without room for them", async ({
  page,
  baseURL,
}) => {
  await page.goto("/m/home");
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => true));
  await expect
    .poll(() => page.evaluate(() => navigator.serviceWorker.controller !== null))
    .toBe(true);
  // This is the state after a deploy, whose files have other names.
  await page.evaluate(async () => {
    for (const name of await caches.keys()) await caches.delete(name);
  });
  await fillStorage(page, baseURL);
  await page.reload();
  await started(page);
  expect(await page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true);
});

test("a service worker is installed on a phone without room for its files", async ({
  page,
  baseURL,
}) => {
  await fillStorage(page, baseURL);
  await page.goto("/m/home");
  await expect
    .poll(() => page.evaluate(() => navigator.serviceWorker.controller !== null))
    .toBe(true);
  await page.reload();
  await started(page);
});
