import type { Request } from "@playwright/test";
import { expect, test } from "./journey.ts";
import { type Perya, startPerya } from "./perya.ts";
import { goOnTo, inLanguage } from "./screens.ts";
import { signIn } from "./session.ts";
import { textsOf } from "./texts.ts";

const t = textsOf("en");

let perya: Perya;
let vendors: string;

test.beforeAll(async () => {
  // The same server under another name is another origin, like a real vendor's.
  perya = await startPerya((port) => {
    vendors = `http://127.0.0.1:${port}`;
    return { SIMULATOR_ORIGIN: vendors, IMAGE_CDNS: vendors };
  });
});

test.afterAll(() => perya?.stop());

test("a vendor at another origin opens in the frame of its game, also from a screen of the app", async ({
  browser,
}) => {
  test.setTimeout(90_000);
  const context = await browser.newContext({ baseURL: perya.url });
  const page = await context.newPage();
  await inLanguage(page, "EN");
  await signIn(page, "maria", "Fiesta2026");
  const listed = await page.request.get("/api/v1/games?vassalage=PGE&pageSize=1");
  const { nodeId, displayName } = (await listed.json()).value.games[0];
  const faults: string[] = [];
  page.on("console", (message) => {
    if (/Content Security Policy/.test(message.text())) faults.push(message.text());
  });
  const table = page.frameLocator("iframe");
  const spin = async () => {
    await expect(table.getByRole("heading", { name: displayName })).toBeVisible();
    await expect(page.locator("iframe")).toHaveAttribute("src", new RegExp(`^${vendors}/`));
    await table.getByRole("button", { name: "Spin" }).click();
    await expect(table.getByTestId("result")).not.toBeEmpty();
  };

  await page.goto(`/m/launch/${nodeId}`);
  await spin();

  await page.goto("/m/slot-games?vassalage=PGE");
  const tiles = page.getByRole("list", { name: t("games.results") }).getByRole("listitem");
  await tiles.first().getByRole("link").click();
  const sheet = page.getByRole("dialog", { name: displayName });
  await sheet.getByRole("button", { name: t("games.play"), exact: true }).click();
  await expect(page).toHaveURL(`${perya.url}/m/launch/${nodeId}`);
  await spin();
  expect(faults).toEqual([]);
  await page.getByRole("button", { name: t("games.back"), exact: true }).click();
  await expect(page).toHaveURL(/\/m\/slot-games/);

  // No other page may frame it.
  await page.goto("/m/home");
  const framed = await page.evaluate((src) => {
    const frame = document.createElement("iframe");
    frame.src = src;
    const blocked = new Promise((done) => {
      document.addEventListener("securitypolicyviolation", ({ violatedDirective }) =>
        done(violatedDirective),
      );
    });
    document.body.append(frame);
    return blocked;
  }, `${vendors}/sandbox/vendor/PGE/play`);
  expect(framed).toBe("frame-src");
  await context.close();
});

test("[G3-13 G3-14] pictures of games, vendors, banners and countries come from the image host, and missing ones from the page's own origin", async ({
  browser,
}) => {
  const context = await browser.newContext({ baseURL: perya.url });
  const page = await context.newPage();
  await inLanguage(page, "EN");
  const FLAG = /^\/assets\/[A-Z]{2}-.*\.svg$/;
  const asked: string[] = [];
  const shown: string[] = [];
  const pathOf = (request: Request) => new URL(request.url()).pathname;
  page.on("request", (request) => {
    const path = pathOf(request);
    if (!/^\/art\/\w+\//.test(path) && !FLAG.test(path)) return;
    asked.push(`${request.url().startsWith(vendors) ? "host" : "own"} ${path}`);
  });
  // A request that the browser blocks does not count as finished.
  page.on("requestfinished", (request) => {
    if (request.url().startsWith(vendors)) shown.push(pathOf(request));
  });
  await page.goto("/m/home");
  await expect(page.locator(`img[src^="${vendors}/art/banner/"]`).first()).toBeVisible();
  await expect(page.locator(`img[src$="-SMALL.png"]`).first()).toBeAttached();
  await goOnTo(page, "/m/slot-games");
  const tiles = page.getByRole("list", { name: t("games.results") }).getByRole("listitem");
  await expect(page.locator('img[src$="PISTA-COLOR.png"]')).toBeVisible();
  await tiles.first().getByRole("link").click();
  await expect(page.getByRole("dialog").locator("img").first()).toBeVisible();
  await goOnTo(page, "/m/home?pop=language");
  await expect(page.getByRole("dialog").locator("img").first()).toBeVisible();
  await expect.poll(() => shown.filter((path) => FLAG.test(path)).length).toBeGreaterThan(3);
  expect(asked.filter((one) => !one.startsWith("host "))).toEqual([]);

  await page.route(`${vendors}/art/**`, (route) => route.abort());
  await page.goto("/m/slot-games");
  await expect(tiles.first().locator("img")).toHaveAttribute("src", "/art/tile/default.svg");
  await expect
    .poll(() =>
      tiles
        .first()
        .locator("img")
        .evaluate((img) => (img as HTMLImageElement).naturalWidth),
    )
    .toBeGreaterThan(0);
  await expect(page.locator('img[src^="/art/banner/"]').first()).toBeVisible();
  await expect(page.locator('img[src*="/art/vendor/"]')).toHaveCount(0);
  await context.close();
});
