import type { Page } from "@playwright/test";
import { expect, test } from "./journey.ts";
import { loseAnswers } from "./lost-answers.ts";
import { deposit, freshName, pressSignOut, shownBalance } from "./player.ts";
import { goOnTo, inLanguage } from "./screens.ts";
import { newMember, payIn } from "./session.ts";
import { textsOf } from "./texts.ts";

test.use({ serviceWorkers: "block" });

const t = textsOf("en");

test("a withdrawal whose answer is lost shows that it is being checked, survives a reload, and is made once", async ({
  page,
}) => {
  test.setTimeout(120_000);
  await inLanguage(page, "EN");
  await newMember(page, freshName());
  await payIn(page, 500);
  await page.goto("/m/withdraw");
  const line = await loseAnswers(page, "/api/v1/cashier/withdrawals");
  await fillWithdrawal(page, "100");
  await expect(page.getByText(t("shell.checking"))).toBeVisible();
  await page.reload();
  await expect(page.getByText(t("shell.checking"))).toBeVisible();
  line.mend();
  await expect(page.getByText(t("cashier.withdraw_asked"))).toBeVisible({ timeout: 20_000 });
  expect(line.ids.length).toBeGreaterThan(1);
  expect(new Set(line.ids).size).toBe(1);
  await expect(page.getByText(t("shell.checking"))).toBeHidden();
  await page.reload();
  await expect(page.locator("details")).toHaveCount(1);
  await expect.poll(() => shownBalance(page)).toBe(400_00);
});

test("a deposit whose answer is lost is made once, even after a second tap", async ({ page }) => {
  await inLanguage(page, "EN");
  await newMember(page, freshName());
  await page.goto("/m/voucherCenter");
  const line = await loseAnswers(page, "/api/v1/cashier/deposits");
  await page.getByLabel(t("cashier.amount"), { exact: true }).fill("200");
  const pay = page.getByRole("button", { name: t("cashier.pay") });
  await pay.click();
  await pay.click({ force: true });
  await expect(page.getByText(t("shell.checking"))).toBeVisible();
  line.mend();
  await expect(page).toHaveURL(/\/pay\/sandbox\//, { timeout: 20_000 });
  expect(new Set(line.ids).size).toBe(1);
});

test("after a sign-out only the id of an open withdrawal is left in the browser", async ({
  page,
}) => {
  await inLanguage(page, "EN");
  await newMember(page, freshName());
  // The cashier's pages make the deposit, so nothing that they stored of it may be left, either.
  await deposit(page, t, "500");
  await expect(page.locator("[data-state]").first()).toContainText(t("cashier.state_paid"), {
    timeout: 20_000,
  });
  await goOnTo(page, "/m/withdraw");
  const line = await loseAnswers(page, "/api/v1/cashier/withdrawals");
  await fillWithdrawal(page, "100");
  await expect(page.getByText(t("shell.checking"))).toBeVisible();
  await signOut(page);
  const kept = await page.evaluate(() => Object.values({ ...sessionStorage }));
  expect(kept).toHaveLength(1);
  expect(Object.keys(JSON.parse(kept[0] ?? "{}"))).toEqual(["id", "sentAt"]);
  expect(kept[0]).toContain(line.ids[0]);
});

test("a sign-out removes all that the browser stored since before the log-in, except the device's own settings", async ({
  page,
}) => {
  await page.goto("/m/home");
  await inLanguage(page, "EN");
  const before = await everythingKept(page);
  await newMember(page, freshName());
  await page.goto("/m/search?q=jeepney");
  await goOnTo(page, "/m/play/color-game");
  await expect(page.getByTestId("game")).toHaveAttribute("data-state", "rest");
  await signOut(page);
  const after = await everythingKept(page);
  // What every page stores without a player, and the flag that nobody is signed in at the start.
  const device =
    /^local (MC_(LANGUAGE|THEME|SOUND|STATUS|VENDORS|POPUPS_HIDDEN)|.*ottList|getGameLotts|autoLogin)$/;
  expect(after.filter((name) => !before.includes(name) && !device.test(name))).toEqual([]);
  expect(after.join()).not.toContain("jeepney");
});

async function fillWithdrawal(page: Page, pesos: string): Promise<void> {
  await page.getByLabel(t("cashier.wallet_number")).fill("09171234567");
  await page.getByLabel(t("cashier.amount"), { exact: true }).fill(pesos);
  await page.getByRole("button", { name: t("cashier.withdraw"), exact: true }).click();
  await page
    .getByRole("alertdialog")
    .getByRole("button", { name: t("cashier.confirm"), exact: true })
    .click();
}

async function signOut(page: Page): Promise<void> {
  await page.goto("/m/set");
  await pressSignOut(page, t);
  await expect(page).toHaveURL(/\/m\/home$/);
}

/** The names of all that the browser stores: both storages, databases with their keys, caches. */
function everythingKept(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const names = [
      ...Object.keys(localStorage).map((key) => `local ${key}`),
      ...Object.keys(sessionStorage).map((key) => `tab ${key}`),
      ...(await caches.keys()).map((name) => `cache ${name}`),
    ];
    for (const { name = "" } of await indexedDB.databases()) {
      const keys = await new Promise<string[]>((done) => {
        const opening = indexedDB.open(name);
        opening.onsuccess = () => {
          const [table] = [...opening.result.objectStoreNames];
          if (table === undefined) return done([]);
          const reading = opening.result.transaction(table).objectStore(table).getAllKeys();
          reading.onsuccess = () => done(reading.result.map(String));
        };
      });
      names.push(...keys.map((key) => `database ${name} ${key}`));
    }
    return names;
  });
}
