import { expect, test } from "./journey.ts";
import { textsOf } from "./texts.ts";

test.use({ serviceWorkers: "allow" });

test("without a network the app still opens, drawn whole, and comes back by itself", async ({
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
