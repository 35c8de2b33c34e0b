import type { Page } from "@playwright/test";
import { seriousFaults } from "./axe.ts";
import { inDatabase } from "./database.ts";
import { expect, test } from "./journey.ts";
import { type Perya, startPerya } from "./perya.ts";
import { freshName } from "./player.ts";
import { inLanguage } from "./screens.ts";
import { newMember, payIn } from "./session.ts";
import { textsOf } from "./texts.ts";

test.use({ serviceWorkers: "block" });

const t = textsOf("en");
let perya: Perya;

test.beforeAll(async () => {
  perya = await startPerya();
});

test.afterAll(() => perya.stop());

test("[G1-04] a brand switches cockfights on, and a member watches a virtual match to its end and proves it", async ({
  browser,
}) => {
  test.setTimeout(200_000);
  const context = await browser.newContext({ baseURL: perya.url });
  const page = await context.newPage();
  await inLanguage(page, "EN");
  await newMember(page, freshName());
  await payIn(page, 500);
  for (const path of ["/m/cockfight?gameType=COCKFIGHT", "/m/play/cockfight"]) {
    await page.goto(path);
    const reason = page.getByRole("main").getByText(t("shell.unavailable"), { exact: true });
    await expect(reason).toBeVisible();
  }

  await switchOn();
  // A process that starts reads the brand anew, and begins a match.
  await perya.kill();
  await perya.restart();
  await page.goto("/m/cockfight?gameType=COCKFIGHT");
  await page.getByRole("main").getByText("Salpukan").first().click();
  await expect(page).toHaveURL(/\/m\/play\/cockfight/);
  const game = page.getByTestId("game");
  const secondsLeft = () => page.getByTestId("countdown").textContent({ timeout: 60_000 });
  await expect
    .poll(async () => Number(await secondsLeft()), { timeout: 90_000 })
    .toBeGreaterThan(8);
  for (const side of ["meron", "wala"] as const) {
    await page.getByRole("radio", { name: t(`games.cock_${side}`) }).check({ force: true });
    await bet(page, side);
    await expect(sideOf(page, side)).toContainText("₱10.00");
  }
  await expect(page.getByTestId("balance")).toHaveText("₱480.00");
  for (const side of ["meron", "wala"] as const) {
    await expect(sideOf(page, side)).toContainText("₱1.90");
  }

  expect(await seriousFaults(page)).toEqual([]);

  await expect(game).toHaveAttribute("data-state", "settled", { timeout: 60_000 });
  // The member bet on both sides of an even pool: the commission is gone, or the fight was drawn.
  await expect(page.getByTestId("balance")).toHaveText(/₱(499|500)\.00/);
  await expect(game).toHaveAttribute("data-bet", "returned");

  await page.getByRole("button", { name: t("games.cock_road") }).click();
  const road = page.getByRole("dialog", { name: t("games.cock_road") });
  expect(await seriousFaults(page)).toEqual([]);
  await road.getByRole("listitem").first().click();
  await road.getByRole("button", { name: t("games.verify") }).click();
  await expect(road.getByText(t("games.cock_proof_good"))).toBeVisible();
  await context.close();
});

function sideOf(page: Page, side: "meron" | "wala") {
  return page.locator("label").filter({ hasText: t(`games.cock_${side}`) });
}

async function bet(page: Page, side: "meron" | "wala"): Promise<void> {
  const values = { amount: "₱10.00", side: t(`games.cock_${side}`) };
  await page.getByRole("button", { name: t("games.cock_bet_on", values) }).click();
}

/** Does what an operator would; the product has no call for it yet. */
async function switchOn(): Promise<void> {
  await inDatabase(
    (client) =>
      client.query(
        "UPDATE merchants SET settings = jsonb_set(settings, '{flags,COCKFIGHT}', 'true')",
      ),
    perya,
  );
}
