import { expect, type Page, test } from "@playwright/test";
import { loginDialog } from "./player.ts";
import { inLanguage, logInAs } from "./screens.ts";
import { textsOf } from "./texts.ts";

const t = textsOf("ty");

test.use({ serviceWorkers: "block" });

test.beforeEach(({ page }) => inLanguage(page, "TY"));

test("[A2.6-01 A2.2-08 A4-12] the change of password opens from the settings and at its address; the body knows of a popup while it is open", async ({
  page,
}) => {
  const body = page.locator("body");
  await page.goto("/m/home");
  await expect(body).not.toHaveClass(/popup-on/);
  await page
    .getByRole("banner")
    .getByRole("button", { name: t("auth.login"), exact: true })
    .click();
  await expect(loginDialog(page, t)).toBeVisible();
  await expect(body).toHaveClass(/popup-on/);
  await page.getByRole("button", { name: t("shell.close") }).click();
  await expect(loginDialog(page, t)).toBeHidden();
  await expect(body).not.toHaveClass(/popup-on/);

  await logInAs(page, t, "bea", "Fiesta2026");
  await page.goto("/m/set");
  await page.getByRole("link", { name: t("auth.change_password") }).click();
  const change = page.getByRole("dialog", { name: t("auth.change_password") });
  await expect(change).toBeVisible();
  await expect(page).toHaveURL(/\/m\/changePsw$/);
  await page.goto("/m/changePsw");
  await expect(change).toBeVisible();
  await expect(body).toHaveClass(/popup-on/);
});

function stored(page: Page, key: string): Promise<string | null> {
  return page.evaluate((name) => localStorage.getItem(name), key);
}

test("[A2.8-18] a sign-out asks, says that it is under way, tells the server, forgets, and goes home", async ({
  page,
}) => {
  await logInAs(page, t, "bea", "Fiesta2026");
  await page.goto("/m/set");
  const session = await stored(page, "MC_SESSION_INFO");
  expect(session).not.toBeNull();
  const told: string[] = [];
  let release = (): void => undefined;
  const held = new Promise<void>((done) => {
    release = done;
  });
  await page.route("**/api/v1/auth/logout", async (route) => {
    told.push(`${route.request().method()} ${await route.request().headerValue("authorization")}`);
    await held;
    await route.fallback();
  });
  const ask = page.getByRole("main").getByRole("button", { name: t("member.sign_out") });
  const dialog = page.getByRole("alertdialog");
  await ask.click();
  await expect(dialog).toContainText(t("member.in_sure_logout"));
  await dialog.getByRole("button", { name: t("shell.cancel") }).click();
  await expect(dialog).toBeHidden();
  expect(told).toEqual([]);
  expect(await stored(page, "MC_SESSION_INFO")).toBe(session);
  expect(await stored(page, "autoLogin")).not.toBe("0");

  await ask.click();
  await dialog.getByRole("button", { name: t("member.sign_out") }).click();
  await expect(page.getByText(t("shell.in_please_wait"))).toBeVisible();
  await expect.poll(() => told.length).toBe(1);
  expect(told[0]).toBe(`DELETE Bearer ${JSON.parse(session ?? "{}").token}`);
  // Nothing is forgotten before the server has answered.
  expect(await stored(page, "MC_SESSION_INFO")).toBe(session);
  await expect(page).toHaveURL(/\/m\/set/);
  release();
  await expect(page).toHaveURL(/\/m\/home$/);
  expect(await stored(page, "MC_SESSION_INFO")).toBeNull();
  expect(await stored(page, "autoLogin")).toBe("0");
  await expect(page.getByText(t("shell.in_please_wait"))).toBeHidden();
});
