import { expect, type Page, test } from "@playwright/test";
import { inDatabase } from "./database.ts";
import { loseAnswers } from "./lost-answers.ts";
import { deposit, freshName } from "./player.ts";
import { atRest, inLanguage } from "./screens.ts";
import { newMember } from "./session.ts";
import { textsOf } from "./texts.ts";

/** Within which every open page shows it. */
const EFFECT_MS = 5_000;

test.describe("a site under maintenance", () => {
  // The other journeys of this worker need it open.
  test.afterEach(() => setMaintenance(false));

  test("[A2.13-02] closes open pages and addresses within five seconds, and gives them back as they were, with what was on its way", async ({
    page,
    context,
  }) => {
    const t = textsOf("en");
    await inLanguage(page, "EN");
    await newMember(page, freshName());
    await deposit(page, t, "500");
    await expect(page.locator("[data-state]").first()).toContainText(t("cashier.state_paid"), {
      timeout: 20_000,
    });
    await page.goto("/m/withdraw");
    const line = await loseAnswers(page, "/api/v1/cashier/withdrawals");
    await page.getByLabel(t("cashier.wallet_number")).fill("09171234567");
    await page.getByLabel(t("cashier.amount"), { exact: true }).fill("100");
    await page.getByRole("button", { name: t("cashier.withdraw"), exact: true }).click();
    await page
      .getByRole("alertdialog")
      .getByRole("button", { name: t("cashier.confirm"), exact: true })
      .click();
    await expect(page.getByText(t("shell.checking"))).toBeVisible();
    // Nobody touches this one, and it asks the server for nothing.
    const idle = await context.newPage();
    await inLanguage(idle, "EN");
    await idle.goto("/m/fairness");
    await atRest(idle);
    await idle.waitForTimeout(2_000);

    await setMaintenance(true);
    await Promise.all([page, idle].map((one) => expectClosed(one, EFFECT_MS)));
    line.mend();
    const link = await context.newPage();
    await inLanguage(link, "EN");
    await link.goto("/m/slot-games");
    await expectClosed(link, EFFECT_MS);
    await link.close();

    await setMaintenance(false);
    await expect(idle.getByRole("heading", { name: t("shell.fairness") }).first()).toBeVisible();
    await expect(idle).toHaveURL(/\/m\/fairness$/);
    await expect(page).toHaveURL(/\/m\/withdraw$/);
    await expect(page.getByText(t("cashier.withdraw_asked"))).toBeVisible({ timeout: 30_000 });
    expect(new Set(line.ids).size).toBe(1);
    await page.reload();
    await expect(page.locator("details")).toHaveCount(1);
  });
});

for (const language of ["TY", "EN"] as const) {
  test(`a game under maintenance says so in ${language} and offers no launch`, async ({ page }) => {
    const t = textsOf(language === "TY" ? "ty" : "en");
    await inLanguage(page, language);
    const closed = await page.request.get("/api/v1/games?vassalage=LWY&pageSize=1");
    const [game] = (await closed.json()).value.games;
    await page.goto(`/m/help?pop=game&id=${game.nodeId}`);
    await atRest(page);
    const sheet = page.getByRole("dialog");
    await expect(sheet.getByText(t("games.maintenance"), { exact: true })).toBeVisible();
    // But for the stars of other games.
    await expect(sheet.locator("button:not(li button)")).toHaveCount(1);
    await expect(sheet.getByRole("button", { name: t("shell.close") })).toBeVisible();
  });
}

async function expectClosed(page: Page, timeout: number): Promise<void> {
  const heading = page.getByRole("heading", { level: 1 });
  await expect(heading).toHaveText(textsOf("en")("error.maintenance_title"), { timeout });
  await expect(page.getByRole("navigation")).toHaveCount(0);
}

function setMaintenance(maintenance: boolean): Promise<unknown> {
  const settings = JSON.stringify({ maintenance });
  return inDatabase((client) =>
    client.query("UPDATE merchants SET settings = settings || $1", [settings]),
  );
}
