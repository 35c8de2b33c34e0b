import type { Page } from "@playwright/test";
import { startOpenIdProvider } from "../server/openid-provider.ts";
import { seriousFaults } from "./axe.ts";
import { withBrand } from "./brand-status.ts";
import { test as base, expect } from "./journey.ts";
import { type Perya, startPerya } from "./perya.ts";
import { freshName, loginDialog, PASSWORD, proveOwner } from "./player.ts";
import { atRest, inLanguage, visit } from "./screens.ts";
import { newMember } from "./session.ts";
import { textsOf } from "./texts.ts";

const ty = textsOf("ty");
const en = textsOf("en");
type T = typeof ty;
/** Starting a separate database takes a while. */
const START_TIMEOUT_MS = 120_000;

/** Accounts at the provider; Facebook never confirms whose an e-mail address is. */
const PEOPLE = {
  "maria-of-google": { email: "maria@example.com", email_verified: true },
  "boyet-of-facebook": {},
  "luz-of-google": {},
  "ana-of-google": { email: "ana@example.com", email_verified: true },
} as const;

/** A brand whose players may log in with a real OpenID provider, which runs beside it. */
const test = base.extend<object, { perya: Perya }>({
  perya: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the needed fixtures from it.
    async ({}, use) => {
      const provider = await startOpenIdProvider(PEOPLE);
      const { clientId, clientSecret, issuer } = provider.client;
      const perya = await startPerya({
        ...{ GOOGLE_CLIENT_ID: clientId, GOOGLE_CLIENT_SECRET: clientSecret },
        ...{ FACEBOOK_CLIENT_ID: clientId, FACEBOOK_CLIENT_SECRET: clientSecret },
        ...{ GOOGLE_ISSUER: issuer, FACEBOOK_ISSUER: issuer },
      });
      provider.register([
        `${perya.url}/auth/callback/google`,
        `${perya.url}/auth/callback/facebook`,
      ]);
      await use(perya);
      await perya.stop();
      await provider.close();
    },
    { scope: "worker", timeout: START_TIMEOUT_MS },
  ],
  baseURL: ({ perya }, use) => use(perya.url),
});

test("[A2.3-08] a player with a Google account registers with the fields that the brand asks for, and logs in with Google the next time", async ({
  page,
}) => {
  await page.goto("/m/voucherCenter");
  await loginDialog(page, ty)
    .getByRole("button", { name: ty("auth.with_google") })
    .click();
  await atProvider(page, "maria-of-google");
  const last = page.getByRole("dialog", { name: ty("auth.outside_title") });
  await expect(last.getByText(ty("auth.outside_text", { provider: "Google" }))).toBeVisible();
  await expect(
    last.getByText(ty("auth.outside_email", { email: "maria@example.com" })),
  ).toBeVisible();
  await expect(last.getByLabel(ty("auth.password"), { exact: true })).toHaveCount(0);
  expect(await seriousFaults(page)).toEqual([]);

  const open = last.getByRole("button", { name: ty("auth.outside_open") });
  await expect(open).toBeDisabled();
  await last.getByRole("checkbox").check();
  const birthday = last.getByLabel(ty("auth.optional", { field: ty("auth.birthday") }));
  await birthday.fill(`${new Date().getFullYear() - 10}-01-01`);
  await open.click();
  await expect(last.getByText(ty("auth.too_young", { age: "21" }))).toBeVisible();
  await birthday.fill("1990-06-15");
  const invitation = last.getByRole("textbox", { name: ty("auth.affiliateCode") });
  await invitation.fill("NOBODY77");
  await open.click();
  await expect(invitation).toHaveAttribute("aria-invalid", "true");
  await invitation.fill("");
  const name = freshName();
  await last.getByRole("textbox", { name: ty("auth.username") }).fill(name);
  await open.click();
  // The player goes on to where they were going before the log-in.
  await expect(page).toHaveURL(/\/m\/voucherCenter$/);
  await expect(page.getByRole("dialog")).toHaveCount(0);
  expect(await playerOf(page)).toBe(name);

  await signOut(page, ty);
  await visit(page, "/m/login");
  await loginDialog(page, ty)
    .getByRole("button", { name: ty("auth.with_google") })
    .click();
  await atProvider(page, "maria-of-google");
  await expect(page.getByText(ty("auth.welcome", { name }))).toBeVisible();
  await expect(page).toHaveURL(/\/m\/home$/);
});

test("[A2.3-07 A2.3-08] a player with a Facebook account gets a generated name and an account without an e-mail address, in English", async ({
  page,
}) => {
  await inLanguage(page, "EN");
  let offered = ["google"];
  await withBrand(page, (info) => {
    info.externalLogin = offered;
  });
  await page.goto("/m/login");
  const facebook = loginDialog(page, en).getByRole("button", { name: en("auth.with_facebook") });
  await expect(
    loginDialog(page, en).getByRole("button", { name: en("auth.with_google") }),
  ).toBeVisible();
  await expect(facebook).toHaveCount(0);
  offered = ["facebook"];
  await page.reload();
  await expect(facebook).toBeVisible();
  await expect(
    loginDialog(page, en).getByRole("button", { name: en("auth.with_google") }),
  ).toHaveCount(0);
  await facebook.click();
  await atProvider(page, "boyet-of-facebook");
  const last = page.getByRole("dialog", { name: en("auth.outside_title") });
  await expect(last.getByText(en("auth.outside_text", { provider: "Facebook" }))).toBeVisible();
  await last.getByRole("checkbox").check();
  await last.getByRole("button", { name: en("auth.outside_open") }).click();
  await expect(page).toHaveURL(/\/m\/home$/);
  expect(await playerOf(page)).toMatch(/^player_/);
});

test("a player who says no at the provider is told so, and can log in another way", async ({
  page,
}) => {
  await page.goto("/m/login");
  const login = loginDialog(page, ty);
  await login.getByRole("button", { name: ty("auth.with_google") }).click();
  await page.getByRole("link", { name: /cancel/i }).click();
  await expect(login.getByRole("alert")).toBeVisible();
  await expect(login.getByRole("alert")).not.toBeEmpty();
  await login.getByRole("button", { name: ty("auth.create_account") }).click();
  await expect(page).toHaveURL(/\/m\/register$/);
});

test("a Google account that is added in the security centre logs its player in, until it is removed", async ({
  page,
}) => {
  const name = freshName();
  await newMember(page, name);
  await page.goto("/m/securityCenter");
  await entry(page, ty).click();
  const sheet = page.getByRole("dialog", { name: ty("security.external"), exact: true });
  await sheet
    .getByRole("button", { name: ty("security.external_add", { provider: "Google" }) })
    .click();
  await proveOwner(page, ty);
  await atProvider(page, "luz-of-google");
  await expect(page.getByText(ty("security.external_added", { provider: "Google" }))).toBeVisible();
  const remove = sheet.getByRole("button", {
    name: ty("security.external_remove", { provider: "Google" }),
  });
  await expect(remove).toBeVisible();
  expect(new URL(page.url()).searchParams.has("link")).toBe(false);
  expect(await seriousFaults(page)).toEqual([]);

  await signOut(page, ty);
  await visit(page, "/m/login");
  await loginDialog(page, ty)
    .getByRole("button", { name: ty("auth.with_google") })
    .click();
  await atProvider(page, "luz-of-google");
  await expect(page).toHaveURL(/\/m\/home$/);
  expect(await playerOf(page)).toBe(name);

  await visit(page, "/m/securityCenter?pop=security&id=external");
  await remove.click();
  await page
    .getByRole("alertdialog")
    .getByRole("button", { name: ty("security.remove") })
    .click();
  // This is another session: a log-in with Google does not count as a proof of the owner.
  await proveOwner(page, ty);
  await expect(remove).toHaveCount(0);
  await visit(page, "/m/securityCenter");
  await expect(entry(page, ty)).toContainText(ty("security.external_none"));
});

test("an external account that is the only way to log in stays, and the page says why one was not added", async ({
  page,
}) => {
  await inLanguage(page, "EN");
  await page.goto("/m/login");
  await loginDialog(page, en)
    .getByRole("button", { name: en("auth.with_google") })
    .click();
  await atProvider(page, "ana-of-google");
  const last = page.getByRole("dialog", { name: en("auth.outside_title") });
  await last.getByRole("checkbox").check();
  await last.getByRole("button", { name: en("auth.outside_open") }).click();
  await expect(page).toHaveURL(/\/m\/home$/);
  await visit(page, "/m/securityCenter");
  await entry(page, en).click();
  const sheet = page.getByRole("dialog", { name: en("security.external"), exact: true });
  await expect(sheet.getByText(en("security.external_only"))).toBeVisible();
  await sheet
    .getByRole("button", { name: en("security.external_add", { provider: "Facebook" }) })
    .click();
  await page.getByRole("link", { name: /cancel/i }).click();
  await expect(sheet).toBeVisible();
  await expect(
    page
      .getByRole("listitem")
      .filter({ hasText: /Google|Facebook/ })
      .first(),
  ).toBeVisible();

  // The first password needs no old one, and is another way to log in.
  await visit(page, "/m/changePsw");
  const popup = page.getByRole("dialog", { name: en("auth.change_password") });
  await expect(popup.getByLabel(en("auth.old_password"), { exact: true })).toHaveCount(0);
  for (const field of ["auth.new_password", "auth.confirm_new_password"]) {
    await popup.getByLabel(en(field), { exact: true }).fill(PASSWORD);
  }
  await popup.getByRole("button", { name: en("auth.change_password") }).click();
  await expect(page).toHaveURL(/\/m\/home$/);
  await visit(page, "/m/securityCenter?pop=security&id=external");
  const remove = en("security.external_remove", { provider: "Google" });
  await expect(sheet.getByRole("button", { name: remove })).toBeVisible();
});

function entry(page: Page, t: T) {
  return page.getByRole("main").getByRole("link", { name: t("security.external") });
}

/** Logs in at the provider's own pages and lets it tell Perya who that is. */
async function atProvider(page: Page, login: keyof typeof PEOPLE): Promise<void> {
  await page.getByPlaceholder(/login/i).fill(login);
  await page.getByPlaceholder(/password/i).fill("any");
  await page.getByRole("button", { name: /sign-in/i }).click();
  await page.getByRole("button", { name: /continue/i }).click();
  await page.waitForURL(/\/m\//);
  // The provider forgets its session, as on another device.
  await page.context().clearCookies({ domain: "127.0.0.1" });
}

async function signOut(page: Page, t: T): Promise<void> {
  await visit(page, "/m/set?pop=signout");
  const dialog = page.getByRole("alertdialog");
  await dialog.getByRole("button", { name: t("member.sign_out"), exact: true }).click();
  await expect(page).toHaveURL(/\/m\/home$/);
}

async function playerOf(page: Page): Promise<unknown> {
  await atRest(page);
  return page.evaluate(() => JSON.parse(localStorage.getItem("MC_SESSION_INFO") ?? "{}").userName);
}
