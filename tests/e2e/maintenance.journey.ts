import { expect, test } from "@playwright/test";
import { atRest, inLanguage } from "./screens.ts";
import { textsOf } from "./texts.ts";

for (const language of ["TY", "EN"] as const) {
  test(`a game under maintenance says so in ${language} and offers no launch`, async ({ page }) => {
    const t = textsOf(language === "TY" ? "ty" : "en");
    await inLanguage(page, language);
    await page.goto("/m/home?pop=game&id=1050");
    await atRest(page);
    const sheet = page.getByRole("dialog");
    await expect(sheet.getByText(t("games.maintenance"), { exact: true })).toBeVisible();
    await expect(sheet.getByRole("button")).toHaveCount(1);
    await expect(sheet.getByRole("button", { name: t("shell.close") })).toBeVisible();
  });
}
