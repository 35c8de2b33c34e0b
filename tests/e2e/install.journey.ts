import { expect, test } from "@playwright/test";

test("the browser finds nothing that keeps the app from being installed", async ({ page }) => {
  await page.goto("/m/home");
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => true));
  const chrome = await page.context().newCDPSession(page);
  const manifest = await chrome.send("Page.getAppManifest");
  expect(manifest.url).toContain("/manifest.webmanifest");
  expect(manifest.errors).toEqual([]);
  const { installabilityErrors } = await chrome.send("Page.getInstallabilityErrors");
  // The test's own profile is a private one, where nothing is installed.
  expect(installabilityErrors.map(({ errorId }) => errorId)).toEqual(["in-incognito"]);
});
