import type { Page } from "@playwright/test";
import { inDatabase } from "./database.ts";
import { expect, test } from "./journey.ts";
import { loseAnswers } from "./lost-answers.ts";
import { freshName } from "./player.ts";
import { atRest, inLanguage } from "./screens.ts";
import { newMember, payIn } from "./session.ts";
import { serverOfWorker } from "./start-perya.ts";
import { textsOf } from "./texts.ts";

/** Every open page shows the maintenance within this time. */
const EFFECT_MS = 5_000;

test.describe("a site under maintenance", () => {
  // The other journeys of this worker need the site open.
  test.afterEach(async () => {
    await setMaintenance(false);
    const open = async () => (await fetch(`${serverOfWorker().url}/api/v1/games/hot`)).status;
    await expect.poll(open).toBe(200);
  });

  test("[A2.13-02] closes open pages and addresses within five seconds, and then shows them as they were, with the calls that were under way", async ({
    page,
    context,
  }) => {
    const t = textsOf("en");
    await inLanguage(page, "EN");
    await newMember(page, freshName());
    await payIn(page, 500);
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
    // Nobody touches this page, and it makes no call.
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

    // The message shows for a few seconds from when this page opens: the other may open later.
    const told = expect(page.getByText(t("cashier.withdraw_asked"))).toBeVisible({
      timeout: 60_000,
    });
    await Promise.all([setMaintenance(false), told]);
    await expect(idle.getByRole("heading", { name: t("shell.fairness") }).first()).toBeVisible();
    await expect(idle).toHaveURL(/\/m\/fairness$/);
    await expect(page).toHaveURL(/\/m\/withdraw$/);
    expect(new Set(line.ids).size).toBe(1);
    await page.reload();
    await expect(page.locator("details")).toHaveCount(1);
  });

  test("[A2.13-02] lets a player cash out a bet of the running flight from the closed page", async ({
    page,
  }) => {
    test.setTimeout(300_000);
    const t = textsOf("en");
    await inLanguage(page, "EN");
    await page.goto("/m/help?pop=login");
    await page.getByRole("button", { name: t("auth.trial") }).click();
    await expect(page.getByRole("dialog")).toBeHidden();
    const cash = page
      .getByTestId("flight-exit")
      .getByRole("button", { name: t("games.kite_cash") });
    const said = page.getByTestId("flight-exit").getByRole("status");
    let cashed = false;
    // A flight may end before the button can be pressed.
    while (!cashed) {
      await page.goto("/m/play/saranggola");
      const placed = page.waitForResponse(
        (response) =>
          response.url().endsWith("/api/v1/saranggola/bets") && response.status() === 200,
        { timeout: 180_000 },
      );
      await page
        .getByRole("button", {
          name: new RegExp(`^(${t("games.kite_bet")}|${t("games.kite_bet_next")})$`),
        })
        .click();
      await placed;
      await setMaintenance(true);
      await expectClosed(page, EFFECT_MS);
      const answer = page.waitForResponse(
        (response) => response.url().endsWith("/api/v1/saranggola/cash-outs"),
        { timeout: 14_000 },
      );
      const [, paid] = await Promise.all([
        cash.click({ timeout: 12_000 }).catch(() => undefined),
        answer.then((response) => response.status() === 200).catch(() => false),
      ]);
      cashed = paid;
      if (paid) await expect(said).toContainText(/^Cashed out at \d/);
      await setMaintenance(false);
      await expect(page.getByRole("heading", { level: 1 })).not.toHaveText(
        t("error.maintenance_title"),
      );
    }
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
    // The stars of other games do not count.
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
