import type { Page } from "@playwright/test";
import { withBrand } from "./brand-status.ts";
import type { textsOf } from "./texts.ts";

type T = ReturnType<typeof textsOf>;

/** Answers a call in the server's place, for a step that is hard to reach. */
export async function answering(page: Page, path: string, value: object): Promise<void> {
  await page.route(`**/api/v1${path}`, (route) => route.fulfill({ json: { value } }));
}

/** The second step of a log-in with two factors. */
export async function toSecondFactor(page: Page, t: T): Promise<void> {
  const pending = { secondFactor: true, pending: "x".repeat(43), expiresAt: 9e12 };
  await answering(page, "/auth/login", pending);
  await page.goto("/m/login");
  const login = page.getByRole("dialog");
  await login.getByRole("textbox", { name: t("auth.username"), exact: true }).fill("maria");
  await login.getByLabel(t("auth.password"), { exact: true }).fill("Fiesta2026");
  await login.getByRole("button", { name: t("auth.login"), exact: true }).click();
  await login.getByLabel(t("auth.authenticator_code")).waitFor();
}

/** Recovery by phone, at its first step. */
export async function toRecoveryByPhone(page: Page): Promise<void> {
  await withBrand(page, (info) => {
    info.recoveryByPhone = true;
  });
  await answering(page, "/auth/recovery-name", { accepted: true });
  await page.goto("/m/forget");
}

export async function toRecoveryCode(page: Page, t: T): Promise<void> {
  await toRecoveryByPhone(page);
  await onToRecoveryCode(page, t);
}

/** From the first step to the second. */
export async function onToRecoveryCode(page: Page, t: T): Promise<void> {
  await page.getByRole("textbox", { name: t("auth.username"), exact: true }).fill("maria");
  await page.getByRole("button", { name: t("auth.next") }).click();
  await page.getByLabel(t("auth.new_password"), { exact: true }).waitFor();
}

export async function toRecoveryDone(page: Page, t: T): Promise<void> {
  await toRecoveryCode(page, t);
  await onToRecoveryDone(page, t);
}

/** From the second step to the last. */
export async function onToRecoveryDone(page: Page, t: T): Promise<void> {
  await answering(page, "/auth/password-by-phone", { changed: true });
  await page.getByRole("textbox", { name: t("auth.mobileNum"), exact: true }).fill("9171234567");
  await page.getByLabel(t("auth.sms_code"), { exact: true }).fill("123456");
  await page.getByLabel(t("auth.new_password"), { exact: true }).fill("Kalesa2027y");
  await page.getByRole("button", { name: t("auth.retrieve") }).click();
  await page.getByText(t("auth.reset_done")).waitFor();
}

/** The form behind the link of a mail. */
export async function toResetForm(page: Page, t: T): Promise<void> {
  await answering(page, "/auth/reset-link", { userName: "maria" });
  await page.goto(`/m/reset?token=${"x".repeat(43)}`);
  await page.getByText(t("auth.reset_text", { name: "maria" })).waitFor();
}

/** The prompt that says that the new password is the old one. */
export async function toSamePassword(page: Page, t: T): Promise<void> {
  await page.goto("/m/changePsw");
  for (const field of ["auth.old_password", "auth.new_password", "auth.confirm_new_password"]) {
    await page.getByLabel(t(field), { exact: true }).fill("Fiesta2026");
  }
  await page.getByRole("button", { name: t("auth.change_password") }).click();
  await page.getByRole("alertdialog").waitFor();
}

/** The log-in with a captcha and the brand's service links. */
export async function toCaptcha(page: Page, t: T): Promise<void> {
  await withBrand(page, (info) => {
    info.resources = [
      { resourceType: "TELEGRAM", url: "https://t.me/perya" },
      { resourceType: "FACEBOOK", url: "https://facebook.com/perya" },
    ];
  });
  await page.goto("/m/login");
  const login = page.getByRole("dialog");
  await login.getByRole("textbox", { name: t("auth.username"), exact: true }).fill("nobody_here");
  await login.getByLabel(t("auth.password"), { exact: true }).fill("Wrong2026x");
  await login.getByRole("button", { name: t("auth.login"), exact: true }).click();
  await login.getByRole("img").waitFor();
}
