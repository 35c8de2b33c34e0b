import { chromium } from "@playwright/test";
import { expect, test } from "./journey.ts";

test("the browser finds nothing that keeps the app from being installed", async ({ baseURL }) => {
  // Headless shell cannot install apps; this test starts a whole browser.
  const browser = await chromium.launch({
    ...(process.env.CHROMIUM_PATH === undefined
      ? {}
      : { executablePath: process.env.CHROMIUM_PATH }),
    args: ["--no-sandbox"],
  });
  const page = await browser.newPage({ serviceWorkers: "allow" });
  await page.goto(`${baseURL ?? ""}/m/home`);
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => true));
  const chrome = await page.context().newCDPSession(page);
  const manifest = await chrome.send("Page.getAppManifest");
  expect(manifest.url).toContain("/manifest.webmanifest");
  expect(manifest.errors).toEqual([]);
  const { installabilityErrors } = await chrome.send("Page.getInstallabilityErrors");
  // The test's own profile is a private one, which installs nothing.
  expect(installabilityErrors.map(({ errorId }) => errorId)).toEqual(["in-incognito"]);
  await browser.close();
});
