import { expect, test } from "@playwright/test";
import { atRest, inLanguage } from "./screens.ts";
import { textsOf } from "./texts.ts";

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
