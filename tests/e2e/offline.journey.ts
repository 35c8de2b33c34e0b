import { request as ask, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "@playwright/test";
import { expect, test } from "./journey.ts";
import { textsOf } from "./texts.ts";

test.use({ serviceWorkers: "allow" });

test("without a network the app still opens, draws the whole page, and reconnects by itself", async ({
  page,
  context,
}) => {
  const t = textsOf("ty");
  await page.goto("/m/home");
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => true));
  await context.setOffline(true);
  await page.goto("/m/offline");
  await expect(
    page.getByRole("heading", { name: t("shell.offline_title"), level: 2 }),
  ).toBeVisible();
  const art = page.locator('img[src="/scenes/offline.svg"]');
  await expect
    .poll(() => art.evaluate((img: HTMLImageElement) => img.naturalWidth))
    .toBeGreaterThan(0);
  await context.setOffline(false);
  await expect(page).toHaveURL(/\/m\/home$/);
});

test("without a network the app opens with the last status, not with that of its installation, and fetches the status when there is a network", async ({
  page,
  context,
}) => {
  const t = textsOf("ty");
  const house = (brand: string) =>
    page.getByRole("link", { name: t("shell.home_link", { brand }) });
  await page.goto("/m/home");
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => true));
  // This stands for a later status with another name of the house.
  const kept = await page.evaluate(() => localStorage.getItem("MC_STATUS"));
  const later = JSON.parse(kept ?? "{}");
  later.at += 60_000;
  later.data.info.brandName = "Later House";
  await context.setOffline(true);
  // Only the page's own data is left: the app does not take that for fresh.
  await page.evaluate(() => localStorage.removeItem("MC_STATUS"));
  const sought = page.waitForRequest("**/api/v1/status");
  await page.goto("/m/home");
  await sought;
  await expect(house("Perya")).toBeVisible();
  await page.evaluate((text) => localStorage.setItem("MC_STATUS", text), JSON.stringify(later));
  await page.goto("/m/home");
  await expect(house("Later House")).toBeVisible();
  // The page's own data is shown, though nothing newer comes: by now the app has asked twice.
  await page.waitForTimeout(2_000);
  await expect(page.getByRole("region", { name: t("home.banners") })).toBeVisible();
  await context.setOffline(false);
  const asked = page.waitForRequest("**/api/v1/status");
  await page.goto("/m/home");
  await asked;
  await expect(house("Perya")).toBeVisible();
});

test("a page that begins in time and loads slowly is shown to its end, not cut off", async ({
  page,
  baseURL,
}) => {
  const line = await slowLine(baseURL ?? "");
  try {
    await keepApp(page, line.url);
    line.slowDown();
    await page.goto(`${line.url}/m/help`, { waitUntil: "commit" });
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible({ timeout: 20_000 });
    // This is the server's page, not the one that the service worker stores for every address.
    await expect(page.locator('link[rel="canonical"]')).toHaveAttribute("href", /\/m\/help$/);
  } finally {
    await line.close();
  }
});

test("a page that the server is too busy for is shown from the app that the phone stored", async ({
  page,
  baseURL,
}) => {
  const title = page.getByRole("heading", { name: textsOf("ty")("help.title"), level: 1 });
  const line = await slowLine(baseURL ?? "");
  try {
    await keepApp(page, line.url);
    line.refuse();
    await page.goto(`${line.url}/m/help`);
    await expect(title).toBeVisible();
  } finally {
    await line.close();
  }
});

/** Waits until the service worker has stored the app and answers the open page. */
async function keepApp(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/m/home`);
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => true));
  await expect
    .poll(() => page.evaluate(() => navigator.serviceWorker.controller !== null))
    .toBe(true);
}

/** Longer than the service worker waits for a page to begin. */
const BODY_MS = 6_000;
const FIRST_BYTES = 200;

/**
 * A proxy to the server. Pages that it slows down begin at once and take `BODY_MS`; pages that it
 * refuses answer 503.
 */
async function slowLine(serverUrl: string) {
  const { hostname, port, host } = new URL(serverUrl);
  let slow = false;
  let refused = false;
  const server = createServer((incoming, outgoing) => {
    const { method, url: path, headers } = incoming;
    if (refused && path?.startsWith("/m/")) return outgoing.writeHead(503).end("busy");
    const isPage = slow && path?.startsWith("/m/");
    const onward = { ...headers, host, "accept-encoding": isPage ? "identity" : undefined };
    const through = ask({ hostname, port, method, path, headers: plain(onward) }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      if (!isPage) return answer.pipe(outgoing);
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("end", () => {
        const body = Buffer.concat(chunks);
        outgoing.write(body.subarray(0, FIRST_BYTES));
        setTimeout(() => outgoing.end(body.subarray(FIRST_BYTES)), BODY_MS);
      });
    });
    through.on("error", () => outgoing.destroy());
    incoming.pipe(through);
  });
  await new Promise<void>((done) => server.listen(0, "localhost", done));
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`, // It listens on a port.
    slowDown() {
      slow = true;
    },
    refuse() {
      refused = true;
    },
    close: () =>
      new Promise<void>((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

function plain(headers: Readonly<Record<string, string | string[] | undefined>>) {
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
}
