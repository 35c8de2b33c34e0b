import type { Page } from "@playwright/test";
import { seriousFaults } from "./axe.ts";
import { expect, test } from "./journey.ts";
import { deposit, freshName, PASSWORD, shownBalance } from "./player.ts";
import { inLanguage } from "./screens.ts";
import { newMember } from "./session.ts";
import { textsOf } from "./texts.ts";

const ty = textsOf("ty");
const en = textsOf("en");

for (const [language, t] of [
  ["TY", ty],
  ["EN", en],
] as const) {
  test(`the payment password that a player has set confirms their withdrawal (${language})`, async ({
    page,
  }) => {
    test.setTimeout(120_000);
    await inLanguage(page, language);
    await newMember(page, freshName());
    await deposit(page, t, "500");
    await expect(page.locator("[data-state]").first()).toContainText(t("cashier.state_paid"), {
      timeout: 20_000,
    });
    await page.goto("/m/withdraw?pop=security&id=payment");
    await setDigits(page, t, "739254");

    // The page knows without a reload that the payment password is required from now on.
    await page.getByLabel(t("cashier.wallet_number")).fill("09171234567");
    await page.getByLabel(t("cashier.amount"), { exact: true }).fill("100");
    await page.getByRole("button", { name: t("cashier.withdraw"), exact: true }).click();
    const dialog = page.getByRole("dialog", { name: t("cashier.confirm_withdraw") });
    const digits = dialog.getByLabel(t("auth.paymentPassword"), { exact: true });
    const confirm = dialog.getByRole("button", { name: t("cashier.confirm"), exact: true });
    await expect(dialog).toContainText("09171234567");
    await digits.pressSequentially("7392a");
    await expect(digits).toHaveValue("7392");
    await confirm.click();
    await expect(dialog.getByText(t("auth.paymentPassword_format"))).toBeVisible();
    await digits.fill("111111");
    await confirm.click();
    await expect(dialog.getByRole("alert")).not.toBeEmpty();
    await expect(digits).toHaveValue("");
    expect(await seriousFaults(page)).toEqual([]);
    let sent = 0;
    page.on("request", (request) => {
      if (request.method() === "POST" && request.url().endsWith("/cashier/withdrawals")) sent++;
    });

    await digits.fill("739254");
    await confirm.click();
    await expect(page.getByText(t("cashier.withdraw_asked"))).toBeVisible();
    await expect(dialog).toBeHidden();
    expect(sent).toBe(1);
    await expect.poll(() => shownBalance(page)).toBe(400_00);

    // A forgotten one is replaced by the account's password, the form stays as it was, and the new
    // one confirms nothing for a day.
    await page.getByLabel(t("cashier.wallet_number")).fill("09171234567");
    await page.getByLabel(t("cashier.amount"), { exact: true }).fill("100");
    await page.getByRole("button", { name: t("cashier.withdraw"), exact: true }).click();
    await dialog.getByRole("link", { name: t("cashier.proof_forgot") }).click();
    const sheet = page.getByRole("dialog", { name: t("security.payment"), exact: true });
    await sheet.getByRole("button", { name: t("security.payment_forgot") }).click();
    await expect(sheet).toContainText(t("security.payment_forgot_text"));
    await setDigits(page, t, "264815");
    await expect(page.getByLabel(t("cashier.amount"), { exact: true })).toHaveValue("100");
    await page.getByRole("button", { name: t("cashier.withdraw"), exact: true }).click();
    await digits.fill("264815");
    await confirm.click();
    await expect(dialog.getByRole("alert")).not.toBeEmpty();
    await expect(digits).toHaveValue("");
    expect(sent).toBe(1);
  });
}

async function setDigits(page: Page, t: typeof ty, paymentPassword: string): Promise<void> {
  const sheet = page.getByRole("dialog", { name: t("security.payment"), exact: true });
  await sheet.getByLabel(t("security.payment_by_password"), { exact: true }).fill(PASSWORD);
  await sheet.getByLabel(t("auth.paymentPassword"), { exact: true }).fill(paymentPassword);
  await sheet.getByLabel(t("security.payment_again"), { exact: true }).fill(paymentPassword);
  await sheet.getByRole("button", { name: t("security.save") }).click();
  await expect(sheet).toBeHidden();
}
