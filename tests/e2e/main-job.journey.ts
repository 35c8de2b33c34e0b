import type { Page } from "@playwright/test";
import { expect, test } from "./journey.ts";
import { deposit, freshName, registerAndLogIn, shownBalance } from "./player.ts";
import { textsOf } from "./texts.ts";

test.use({ serviceWorkers: "allow", contextOptions: { reducedMotion: "no-preference" } });

const ty = textsOf("ty");
const en = textsOf("en");

/** Our texts on the home screen that differ in the two languages. */
const tagalogOnly = new Set(
  [
    "games.hot",
    "games.hot_short",
    "auth.login",
    "auth.register",
    "shell.tab_promotion",
    "shell.tab_prize",
    "shell.see_all",
    "home.winners",
    "type.PVP",
    "type.FISH",
  ].map((id) => ty(id)),
);

test("a visitor sees the site in Tagalog, and English changes every text", async ({ page }) => {
  await page.goto("/m/home");
  await expect(page.locator("html")).toHaveAttribute("lang", "fil");
  await expect(page.getByRole("region", { name: ty("home.banners") })).toBeVisible();
  await expect(page.getByRole("region", { name: ty("home.announcements") })).toBeVisible();
  await expect(page.getByRole("radio", { name: ty("type.RNG") })).toBeAttached();
  await expect(page.getByRole("heading", { name: ty("games.hot") })).toBeVisible();
  await expect(page.locator('img[src^="/art/tile/"]').first()).toBeVisible();
  await expect(page.getByRole("navigation", { name: ty("shell.tabs") })).toBeVisible();
  const before = await visibleTexts(page);

  await page.getByRole("button", { name: ty("shell.menu"), exact: true }).click();
  await page.getByRole("link", { name: new RegExp(ty("shell.language")) }).click();
  await page.getByRole("radio", { name: "English" }).click();
  await expect(page.locator("html")).toHaveAttribute("lang", "en");
  await expect(page.getByRole("heading", { name: en("games.hot") })).toBeVisible();
  const after = await visibleTexts(page);
  // Names of games, vendors and people are the same in both languages; our sentences are not.
  const ours = new Set([...before].filter((text) => tagalogOnly.has(text)));
  expect(ours.size).toBeGreaterThan(5);
  for (const text of ours) expect(after.has(text), `still in Tagalog: ${text}`).toBe(false);
});

test("[G1-05] a new player deposits, sees it arrive in two tabs, withdraws and signs out", async ({
  page,
  context,
}) => {
  await registerAndLogIn(page, ty, freshName());
  await page.goto("/m/home");
  expect(await shownBalance(page)).toBe(0);
  const second = await context.newPage();
  await second.goto("/m/home");
  expect(await shownBalance(second)).toBe(0);

  await deposit(page, ty, "500");
  const status = page.locator("[data-state]").first();
  await expect(status).toContainText(ty("cashier.state_paid"), { timeout: 20_000 });
  await expect.poll(() => shownBalance(second), { timeout: 15_000 }).toBe(50_000);

  await page.goto("/m/withdraw");
  await page.getByLabel(ty("cashier.wallet_number")).fill("09171234567");
  await page.getByLabel(ty("cashier.amount"), { exact: true }).fill("5000");
  await page.getByRole("button", { name: ty("cashier.withdraw"), exact: true }).click();
  await expect(page.getByText(ty("cashier.above_balance"))).toBeVisible();

  await page.getByLabel(ty("cashier.amount"), { exact: true }).fill("200");
  await page.getByRole("button", { name: ty("cashier.withdraw"), exact: true }).click();
  await page.getByRole("button", { name: ty("cashier.confirm") }).click();
  const row = page.locator("details").first();
  await expect(row).toContainText("200.00");
  await expect.poll(() => shownBalance(second), { timeout: 15_000 }).toBe(30_000);
  await expect(row).toHaveAttribute("data-state", "paid", { timeout: 20_000 });
  await row.locator("summary").click();
  for (const state of ["held", "approved", "sent", "paid"]) {
    await expect(row.getByText(ty(`cashier.state_${state}`)).first()).toBeVisible();
  }

  await page.goto("/m/transaction/record");
  await expect(page.getByText(ty("records.entry_withdrawal_paid"))).toBeVisible();
  await expect(page.getByText(ty("records.kind_deposit")).last()).toBeVisible();

  await page.goto("/m/set");
  await page.getByRole("button", { name: ty("member.sign_out") }).click();
  await page
    .getByRole("alertdialog")
    .getByRole("button", { name: ty("member.sign_out") })
    .click();
  await expect(page).toHaveURL(/\/m\/home/);
  await expect(page.getByRole("button", { name: ty("auth.login"), exact: true })).toBeVisible();
});

test("a misspelt name finds the game", async ({ page }) => {
  await page.goto("/m/search");
  await page.getByRole("searchbox").fill("parol fotune");
  await page.getByRole("searchbox").press("Enter");
  await expect(page.getByText("Parol Fortune").first()).toBeVisible();
});

/** Every separate piece of text on the page. */
async function visibleTexts(page: Page): Promise<Set<string>> {
  const texts = await page.evaluate(() => {
    const found: string[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      found.push(node.textContent?.trim() ?? "");
    }
    return found;
  });
  return new Set(texts.filter((text) => text !== ""));
}
