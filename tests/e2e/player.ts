import { randomBytes } from "node:crypto";
import { expect, type Locator, type Page } from "@playwright/test";
import type { textsOf } from "./texts.ts";

type T = ReturnType<typeof textsOf>;

export const PASSWORD = "Parol2026x";

/** A name that no player has yet. */
export function freshName(): string {
  return `p${randomBytes(5).toString("hex")}`;
}

/** Registers through the popup and logs in through the one that opens after it. */
export async function registerAndLogIn(page: Page, t: T, name: string): Promise<void> {
  await page.goto("/m/register");
  const register = registerDialog(page, t);
  await register.getByRole("textbox", { name: t("auth.username"), exact: true }).fill(name);
  await register.getByLabel(t("auth.password"), { exact: true }).fill(PASSWORD);
  await register.getByLabel(t("auth.confirm_password"), { exact: true }).fill(PASSWORD);
  const submit = register.getByRole("button", { name: t("auth.register"), exact: true });
  await expect(submit).toBeDisabled();
  await register.getByRole("checkbox").check();
  await submit.click();
  const login = loginDialog(page, t);
  await expect(login.getByRole("textbox", { name: t("auth.username"), exact: true })).toHaveValue(
    name,
  );
  await fillPassword(page, t, PASSWORD);
  await expect(page.getByRole("dialog")).toBeHidden();
}

export function registerDialog(page: Page, t: T): Locator {
  return page.getByRole("dialog", { name: t("auth.register"), exact: true });
}

export function loginDialog(page: Page, t: T): Locator {
  return page.getByRole("dialog", { name: t("auth.login_title"), exact: true });
}

/** Signs out by the button of the settings, and confirms it. */
export async function pressSignOut(page: Page, t: T): Promise<void> {
  const name = t("member.sign_out");
  await page.getByRole("main").getByRole("button", { name }).click();
  await page.getByRole("alertdialog").getByRole("button", { name }).click();
}

/** Completes a log-in whose name is filled in already. */
export async function fillPassword(page: Page, t: T, password: string): Promise<void> {
  const login = loginDialog(page, t);
  await login.getByLabel(t("auth.password"), { exact: true }).fill(password);
  await login.getByRole("button", { name: t("auth.login"), exact: true }).click();
}

/** Answers the proof sheet, which opens over the sheet that needs the proof. */
export async function proveOwner(page: Page, t: T, password = PASSWORD): Promise<void> {
  const proof = page.getByRole("dialog", { name: t("security.proof_title") });
  await proof.getByLabel(t("auth.password"), { exact: true }).fill(password);
  await proof.getByRole("button", { name: t("auth.confirm") }).click();
  await expect(proof).toBeHidden();
}

/** Pays in through the sandbox provider's hosted page and waits until it is paid. */
export async function deposit(page: Page, t: T, pesos: string): Promise<void> {
  await page.goto("/m/voucherCenter");
  await page.getByLabel(t("cashier.amount"), { exact: true }).fill(pesos);
  await page.getByRole("button", { name: t("cashier.pay") }).click();
  await page.waitForURL(/\/pay\/sandbox\//);
  await page.locator("button.pay").click();
  await page.waitForURL(/\/m\/voucherCenter\?deposit=dep_/);
}

/** The balance as the header shows it, in minor units. */
export async function shownBalance(page: Page): Promise<number> {
  const text = await page.locator("header [aria-live]").first().innerText();
  return Math.round(Number(text.replace(/[^\d.]/g, "")) * 100);
}

/** What the page stores of a session and of a log-in. */
export function stored(page: Page) {
  return page.evaluate(() => {
    const json = (text: string | null) => JSON.parse(text ?? "null");
    return {
      session: json(localStorage.getItem("MC_SESSION_INFO")),
      inTab: json(sessionStorage.getItem("MC_SESSION_INFO")),
      trialName: sessionStorage.getItem("trialName"),
      autoLogin: localStorage.getItem("autoLogin"),
      remembered: json(localStorage.getItem("MC_REMEMBERED_LOGIN")),
    };
  });
}
