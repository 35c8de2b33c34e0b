import type { Locator, Page } from "@playwright/test";
import { seriousFaults } from "./axe.ts";
import { withBrand } from "./brand-status.ts";
import { expect, test } from "./journey.ts";
import { inLanguage, visit } from "./screens.ts";
import { textsOf } from "./texts.ts";

const t = textsOf("en");
const PING = /\/common\/v\.1\.0\.1\/ping\.json\?speed=0?\.\d/;

test.beforeEach(({ page }) => inLanguage(page, "EN"));

async function openPicker(page: Page): Promise<Locator> {
  await page.goto("/m/help?pop=speed");
  return pickerOf(page);
}

async function pickerOf(page: Page): Promise<Locator> {
  const sheet = page.getByRole("dialog", { name: t("speed.title") });
  await expect(sheet.getByRole("radio").first()).toBeVisible();
  return sheet;
}

test("[G2.11-03 G2.11-04 G2.11-05 G2.11-08 G7-16] a player switches from the open server to another, and stays when confirming the open one", async ({
  page,
}) => {
  const pings: string[] = [];
  page.on("request", (request) => {
    if (PING.test(request.url())) pings.push(new URL(request.url()).host);
  });
  const sheet = await openPicker(page);
  const { host, port } = new URL(page.url());
  const other = `127.0.0.1:${port}`;
  expect(pings.sort()).toEqual([other, host].sort());
  const rows = sheet.getByRole("radio");
  await expect(rows).toHaveCount(2);
  await expect(sheet.getByRole("radio", { name: host })).toBeChecked();
  // The demo's bands range from 20 to 150, for any measured time.
  for (const ms of await sheet.getByText(/^\d+ ms$/).allInnerTexts()) {
    expect(Number.parseInt(ms, 10)).toBeGreaterThanOrEqual(20);
    expect(Number.parseInt(ms, 10)).toBeLessThanOrEqual(150);
  }
  expect(await seriousFaults(page)).toEqual([]);

  await sheet.getByRole("button", { name: t("speed.confirm") }).click();
  await expect(sheet).toBeHidden();
  expect(new URL(page.url()).host).toBe(host);

  await visit(page, "/m/help?pop=speed");
  const again = await pickerOf(page);
  await again.getByRole("radio", { name: other }).check();
  await again.getByRole("button", { name: t("speed.confirm") }).click();
  await expect(page).toHaveURL(`http://${other}/m/help`);
  await expect(page.getByRole("heading", { level: 1 })).not.toHaveText("");
});

test.describe("at a brand with many servers", () => {
  // The page's security policy allows only its own brand's servers.
  test.use({ bypassCSP: true });

  test("[G2.11-01 G2.11-07] five servers are timed, and one that does not answer is slow and last", async ({
    page,
  }) => {
    const names = [1, 2, 3, 4, 5, 6, 7].map((one) => `s${one}.example`);
    await page.route("**/api/v1/domain-routes*", (route) =>
      route.fulfill({
        json: { value: { domainList: names.map((domainName) => ({ domainName })) } },
      }),
    );
    const pings: string[] = [];
    await page.route(PING, (route) => {
      const { host } = new URL(route.request().url());
      pings.push(host);
      if (host === "s2.example") return route.abort();
      const headers = { "access-control-allow-origin": "*" };
      return route.fulfill({ json: { ping: "pong" }, headers });
    });
    const sheet = await openPicker(page);
    await expect(sheet.getByRole("radio")).toHaveCount(5);
    expect(pings.sort()).toEqual(names.slice(0, 5));
    const last = sheet.locator("label").last();
    await expect(last).toContainText("s2.example");
    await expect(last).toContainText("9,999 ms");
    await expect(last).toContainText(t("speed.slow"));
    await sheet.getByRole("button", { name: t("speed.again") }).click();
    await expect.poll(() => pings.length).toBe(10);
  });
});

test("[G2.11-09] a list that cannot be loaded offers another try, and a brand may show the measured times", async ({
  page,
}) => {
  await withBrand(page, (info) => {
    info.speedDisplay = "measured";
  });
  let fails = true;
  await page.route("**/api/v1/domain-routes*", (route) =>
    fails ? route.abort() : route.continue(),
  );
  await page.goto("/m/help?pop=speed");
  const sheet = page.getByRole("dialog", { name: t("speed.title") });
  const retry = sheet.getByRole("button", { name: t("error.load_failed") });
  await expect(retry).toBeVisible();
  fails = false;
  await retry.click();
  await expect(sheet.getByRole("radio")).toHaveCount(2);
  const shown = await sheet.getByText(/^[\d,]+ ms$/).allInnerTexts();
  // The list is sorted by the measured times, which it shows.
  const numbers = shown.map((text) => Number.parseInt(text.replace(",", ""), 10));
  expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
});

test("any address of the brand may call the ping, and no cache stores it", async ({ request }) => {
  const answer = await request.get("/common/v.1.0.1/ping.json?speed=0.5");
  expect(answer.status()).toBe(200);
  const headers = answer.headers();
  expect(headers["access-control-allow-origin"]).toBe("*");
  expect(headers["cache-control"]).toBe("no-store");
  expect(headers["set-cookie"]).toBeUndefined();
});
