import { randomInt } from "node:crypto";
import type { Browser, Page } from "@playwright/test";
import { Secret, TOTP } from "otpauth";
import { seriousFaults } from "./axe.ts";
import { withBrand } from "./brand-status.ts";
import { expect, sendPopupsAway, test } from "./journey.ts";
import { codeIn, linkIn, messageTo } from "./outbox.ts";
import { fillPassword, freshName, loginDialog, PASSWORD, proveOwner } from "./player.ts";
import { inLanguage, refuseOnce, visit } from "./screens.ts";
import { newMember, signIn } from "./session.ts";
import { textsOf } from "./texts.ts";

const ty = textsOf("ty");
const en = textsOf("en");
type T = typeof ty;
/** A human check and a code take longer than a click. */
const SLOW = { timeout: 40_000 };
const STEP_MS = 30_000;

test.describe("the security centre", () => {
  test("[A2.8-14 A6-11 G2.1-22] is in the account's menu, for members of a brand that has it", async ({
    page,
  }) => {
    let on = true;
    await withBrand(page, (info) => {
      info.whitelabel.SECPRIV = on;
    });
    await page.goto("/m/securityCenter");
    await expect(page).toHaveURL(/\/m\/login/);
    await expect(loginDialog(page, ty)).toBeVisible();

    await newMember(page, freshName());
    await page.goto("/m/member/home");
    await page.getByRole("link", { name: ty("security.title") }).click();
    await expect(page).toHaveURL(/\/m\/securityCenter$/);
    const strength = page.getByRole("progressbar");
    await expect(strength).toHaveAttribute(
      "aria-valuetext",
      ty("security.set_of", { set: "1", all: "5" }),
    );
    await expect(page.getByText(ty("security.next_email"))).toBeVisible();

    on = false;
    await page.goto("/m/securityCenter");
    await expect(page.getByText(ty("error.feature_unavailable"))).toBeVisible();
    await expect(strength).toHaveCount(0);
    await visit(page, "/m/member/home");
    await expect(page.getByText(ty("member.settings"))).toBeVisible();
    await expect(page.getByRole("link", { name: ty("security.title") })).toHaveCount(0);
  });

  test("switches two-factor login on, and the next log-in asks for it", async ({
    page,
    browser,
  }) => {
    test.setTimeout(240_000);
    await inLanguage(page, "TY");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const name = freshName();
    await newMember(page, name);
    await page.goto("/m/securityCenter");
    await entry(page, ty, "security.totp").click();
    const sheet = page.getByRole("dialog", { name: ty("security.totp"), exact: true });
    await sheet.getByRole("button", { name: ty("security.totp_begin") }).click();
    await proveOwner(page, ty);
    await expect(sheet.getByRole("img", { name: ty("security.totp_qr") })).toBeVisible();
    await sheet.getByRole("button", { name: ty("security.copy") }).click();
    await expect(page.getByText(ty("shell.copy_success"))).toBeVisible();
    const shown = (await sheet.locator("code").innerText()).replaceAll(" ", "");
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(shown);
    const secret = Secret.fromBase32(shown);

    const code = sheet.getByLabel(ty("auth.authenticator_code"), { exact: true });
    const confirm = sheet.getByRole("button", { name: ty("security.totp_confirm") });
    await code.fill("12");
    await confirm.click();
    await expect(sheet.getByText(ty("auth.code_format"))).toBeVisible();
    const used = TOTP.generate({ secret });
    await code.fill(used);
    await confirm.click();
    await expect(sheet.getByText(ty("security.codes_text"))).toBeVisible();
    const recoveryCodes = await sheet.getByRole("listitem").allInnerTexts();
    expect(recoveryCodes).toHaveLength(10);
    expect(await seriousFaults(page)).toEqual([]);
    const download = page.waitForEvent("download");
    await sheet.getByRole("link", { name: ty("security.download") }).click();
    expect((await download).suggestedFilename()).toBe("recovery-codes.txt");
    await sheet.getByRole("button", { name: ty("security.codes_kept") }).click();
    await expect(sheet).toBeHidden();
    await expect(entry(page, ty, "security.totp")).toContainText(ty("security.state_on"));
    expect(await seriousFaults(page)).toEqual([]);

    // On another device the password alone does not log the player in.
    const other = await deviceOf(browser, "TY");
    await other.goto("/m/login");
    const login = loginDialog(other, ty);
    await login.getByRole("textbox", { name: ty("auth.username"), exact: true }).fill(name);
    await fillPassword(other, ty, PASSWORD);
    const second = login.getByLabel(ty("auth.authenticator_code"), { exact: true });
    // Each code is accepted once; the next step's code is valid already.
    await second.fill(TOTP.generate({ secret, timestamp: Date.now() + STEP_MS }));
    await login.getByRole("button", { name: ty("auth.confirm") }).click();
    await expect(login).toBeHidden();

    // Just after the log-in, one unused code alone switches it off again.
    await visit(other, "/m/securityCenter?pop=security&id=totp");
    const off = other.getByRole("dialog", { name: ty("security.totp"), exact: true });
    const given = off.getByLabel(ty("auth.authenticator_code"), { exact: true });
    const switchOff = off.getByRole("button", { name: ty("security.totp_off") });
    await switchOff.click();
    await expect(given).toHaveAttribute("aria-invalid", "true");
    await given.fill(used);
    await switchOff.click();
    await expect(off.getByRole("alert")).toBeVisible();
    expect(await seriousFaults(other)).toEqual([]);
    await given.fill(recoveryCodes[0] ?? "");
    await switchOff.click();
    await expect(off).toBeHidden();
    await expect(entry(other, ty, "security.totp")).toContainText(ty("security.state_missing"));
    await other.context().close();
  });

  test("offers new recovery codes when the answer with the first ones was lost", async ({
    page,
  }) => {
    await inLanguage(page, "TY");
    await newMember(page, freshName());
    await page.goto("/m/securityCenter");
    await entry(page, ty, "security.totp").click();
    const sheet = page.getByRole("dialog", { name: ty("security.totp"), exact: true });
    await sheet.getByRole("button", { name: ty("security.totp_begin") }).click();
    await proveOwner(page, ty);
    const secret = Secret.fromBase32((await sheet.locator("code").innerText()).replaceAll(" ", ""));
    let lost: string[] = [];
    await page.route(
      "**/api/v1/member/totp/confirm",
      async (route) => {
        lost = (await (await route.fetch()).json()).value.recoveryCodes;
        await route.abort();
      },
      { times: 1 },
    );
    const confirm = sheet.getByRole("button", { name: ty("security.totp_confirm") });
    await sheet
      .getByLabel(ty("auth.authenticator_code"), { exact: true })
      .fill(TOTP.generate({ secret }));
    await confirm.click();
    await expect(sheet.getByRole("alert")).toBeVisible();
    await confirm.click();
    await expect(sheet.getByText(ty("security.codes_missed"))).toBeVisible();
    await expect(confirm).toHaveCount(0);
    await expect(sheet.getByRole("alert")).toHaveCount(0);
    expect(await seriousFaults(page)).toEqual([]);

    const make = sheet.getByRole("button", { name: ty("security.codes_new") });
    await make.click();
    await expect(sheet.getByText(ty("security.codes_text"))).toBeVisible();
    const codes = await sheet.getByRole("listitem").allInnerTexts();
    expect(new Set([...lost, ...codes]).size).toBe(20);
    await sheet.getByRole("button", { name: ty("security.codes_kept") }).click();
    await expect(sheet).toBeHidden();

    // Later the sheet shows how many are left, and replaces them after a fresh proof.
    await entry(page, ty, "security.totp").click();
    await expect(sheet.getByText(/^10 recovery code/)).toBeVisible();
    await expect(sheet.getByText(ty("security.codes_missed"))).toHaveCount(0);
    expect(await seriousFaults(page)).toEqual([]);
    await refuseOnce(page, "**/api/v1/member/totp/recovery-codes");
    await make.click();
    const proof = page.getByRole("dialog", { name: ty("security.proof_title") });
    await proof.getByLabel(ty("auth.authenticator_code"), { exact: true }).fill(codes[0] ?? "");
    await proof.getByRole("button", { name: ty("auth.confirm") }).click();
    await expect(sheet.getByText(ty("security.codes_text"))).toBeVisible();
    const others = await sheet.getByRole("listitem").allInnerTexts();
    expect(new Set([...codes, ...others]).size).toBe(20);
  });

  test("sets a payment password by the account's password, and replaces it by the old one or by the account's", async ({
    page,
  }) => {
    await inLanguage(page, "EN");
    await newMember(page, freshName());
    await page.goto("/m/securityCenter");
    await entry(page, en, "security.payment").click();
    const sheet = page.getByRole("dialog", { name: en("security.payment"), exact: true });
    const first = sheet.getByLabel(en("auth.paymentPassword"), { exact: true });
    const again = sheet.getByLabel(en("security.payment_again"), { exact: true });
    const own = sheet.getByLabel(en("security.payment_by_password"), { exact: true });
    const before = sheet.getByLabel(en("security.payment_current"), { exact: true });
    const save = sheet.getByRole("button", { name: en("security.save") });
    const saved = page.getByText(en("security.saved"));
    await first.fill("271935");
    await again.fill("271935");
    await save.click();
    await expect(sheet.getByText(en("auth.password_required"))).toBeVisible();
    await own.fill("Wrong2026x");
    await save.click();
    await expect(sheet.getByRole("alert")).toContainText("password is incorrect");
    await own.fill(PASSWORD);
    await save.click();
    await expect(saved).toBeVisible();
    await expect(sheet).toBeHidden();
    await expect(saved).toBeHidden();

    await entry(page, en, "security.payment").click();
    await expect(own).toHaveCount(0);
    await before.fill("111111");
    await first.fill("739254");
    await again.fill("739254");
    await save.click();
    await expect(sheet.getByRole("alert")).toContainText("payment password is incorrect");
    await sheet.getByRole("button", { name: en("security.payment_forgot") }).click();
    await expect(before).toHaveCount(0);
    await own.fill(PASSWORD);
    await save.click();
    await expect(saved).toBeVisible();
    await expect(sheet).toBeHidden();
  });

  test("sets a payment password after a fresh proof, which Back cancels", async ({ page }) => {
    await newMember(page, freshName());
    await page.goto("/m/securityCenter");
    await entry(page, ty, "security.payment").click();
    const sheet = page.getByRole("dialog", { name: ty("security.payment"), exact: true });
    const first = sheet.getByLabel(ty("auth.paymentPassword"), { exact: true });
    const again = sheet.getByLabel(ty("security.payment_again"), { exact: true });
    const save = sheet.getByRole("button", { name: ty("security.save") });
    await first.pressSequentially("27a1 935");
    await expect(first).toHaveValue("271935");
    await again.fill("271936");
    await save.click();
    await expect(sheet.getByText(ty("auth.confirm_mismatch"))).toBeVisible();
    await sheet.getByLabel(ty("security.payment_by_password"), { exact: true }).fill(PASSWORD);
    await first.fill("123456");
    await again.fill("123456");
    await save.click();
    await expect(first).toHaveAttribute("aria-invalid", "true");

    await first.fill("271935");
    await again.fill("271935");
    await refuseOnce(page, "**/api/v1/member/payment-password");
    await save.click();
    const proof = page.getByRole("dialog", { name: ty("security.proof_title") });
    await expect(proof).toBeVisible();
    await page.goBack();
    await expect(proof).toBeHidden();
    await expect(sheet).toBeVisible();
    await expect(first).toHaveValue("271935");
    await expect(sheet.getByRole("alert")).toContainText("fresh");

    await refuseOnce(page, "**/api/v1/member/payment-password");
    await save.click();
    await proof.getByLabel(ty("auth.password"), { exact: true }).fill("Wrong2026x");
    await proof.getByRole("button", { name: ty("auth.confirm") }).click();
    await expect(proof.getByRole("alert")).toBeVisible();
    await proof.getByLabel(ty("auth.password"), { exact: true }).fill(PASSWORD);
    await proof.getByRole("button", { name: ty("auth.confirm") }).click();
    await expect(page.getByText(ty("security.saved"))).toBeVisible();
    await expect(sheet).toBeHidden();
    await expect(page).toHaveURL(/\/m\/securityCenter$/);
    await expect(entry(page, ty, "security.payment")).toContainText(ty("security.state_set"));
  });

  test("[A8-15] verifies an e-mail by its link, once, and a number by its code", async ({
    page,
  }) => {
    const name = freshName();
    await newMember(page, name);
    await page.goto("/m/securityCenter");
    await entry(page, ty, "security.email").click();
    const email = page.getByRole("dialog", { name: ty("security.email"), exact: true });
    const address = email.getByLabel(ty("auth.email"), { exact: true });
    await address.fill("nobody");
    await email.getByRole("button", { name: ty("security.email_send") }).click();
    await expect(email.getByText(ty("auth.email_format"))).toBeVisible();
    await address.fill(`${name}@example.com`);
    await email.getByRole("button", { name: ty("security.email_send") }).click();
    await proveOwner(page, ty);
    await expect(page.getByText(ty("auth.mail_sent"))).toBeVisible();
    await email.getByRole("button", { name: ty("security.done") }).click();
    const waiting = ty("security.email_waiting", { email: "" });
    await expect(entry(page, ty, "security.email")).toContainText(waiting);

    const link = linkIn(
      await messageTo(page, `${name}@example.com`, (text) =>
        text.includes("/m/verifyEmail?token="),
      ),
    );
    const { pathname, search } = new URL(link);
    await page.goto(pathname + search);
    await expect(
      page.getByText(ty("security.verified_text", { email: `${name}@example.com` })),
    ).toBeVisible();
    await page.goto(pathname + search);
    await expect(page.getByText(ty("security.link_title"))).toBeVisible();
    await visit(page, "/m/verifyEmail?token=cut");
    await expect(page.getByText(ty("auth.reset_spent"))).toBeVisible();
    await page.getByRole("link", { name: ty("security.title") }).click();
    await expect(entry(page, ty, "security.email")).toContainText(ty("security.state_verified"));

    const number = `917${String(randomInt(10_000_000)).padStart(7, "0")}`;
    await entry(page, ty, "security.mobile").click();
    const mobile = page.getByRole("dialog", { name: ty("security.mobile"), exact: true });
    await mobile.getByRole("textbox", { name: ty("auth.mobileNum"), exact: true }).fill(number);
    await mobile.getByRole("button", { name: ty("auth.sms_send") }).click();
    await expect(page.getByText(ty("auth.in_sms_send"))).toBeVisible(SLOW);
    await expect(mobile.getByRole("button", { name: /^\d+ s$/ })).toBeDisabled();
    const code = mobile.getByLabel(ty("auth.sms_code"), { exact: true });
    await code.fill("000000");
    await mobile.getByRole("button", { name: ty("security.mobile_verify") }).click();
    await expect(mobile.getByRole("alert")).toBeVisible();
    await code.fill(codeIn(await messageTo(page, `+63${number}`)));
    await mobile.getByRole("button", { name: ty("security.mobile_verify") }).click();
    await expect(page.getByText(ty("security.saved"))).toBeVisible();
    await expect(mobile).toBeHidden();
    await expect(entry(page, ty, "security.mobile")).toContainText(ty("security.state_verified"));
  });

  test("makes a passkey, names it, and forgets it", async ({ page }) => {
    const devtools = await page.context().newCDPSession(page);
    await devtools.send("WebAuthn.enable");
    await devtools.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        protocol: "ctap2",
        transport: "internal",
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    await newMember(page, freshName());
    await page.goto("/m/securityCenter");
    await entry(page, ty, "security.passkeys").click();
    const sheet = page.getByRole("dialog", { name: ty("security.passkeys"), exact: true });
    await sheet.getByLabel(ty("security.passkey_name"), { exact: true }).fill("Telepono");
    await sheet.getByRole("button", { name: ty("security.passkey_add") }).click();
    await proveOwner(page, ty);
    await expect(sheet.getByText("Telepono", { exact: true })).toBeVisible();
    await sheet
      .getByRole("button", { name: ty("security.passkey_remove", { name: "Telepono" }) })
      .click();
    await page
      .getByRole("alertdialog")
      .getByRole("button", { name: ty("security.remove") })
      .click();
    await expect(sheet.getByText("Telepono", { exact: true })).toHaveCount(0);
  });

  test("shows no passkeys in a browser that does not support them", async ({ page }) => {
    await page.addInitScript(() => Reflect.deleteProperty(window, "PublicKeyCredential"));
    await newMember(page, freshName());
    await page.goto("/m/securityCenter");
    await expect(entry(page, ty, "security.totp")).toBeVisible();
    await expect(entry(page, ty, "security.passkeys")).toHaveCount(0);
  });
});

test.describe("devices", () => {
  test("[A8-06] are listed and can be signed out; a page whose session was ended elsewhere keeps the typed text", async ({
    page,
    browser,
  }) => {
    test.setTimeout(180_000);
    const name = freshName();
    await newMember(page, name);
    const other = await deviceOf(browser, "EN");
    await signIn(other, name, PASSWORD);
    const third = await deviceOf(browser, "TY");
    await signIn(third, name, PASSWORD);

    await page.goto("/m/securityCenter?tab=devices");
    const devices = page.getByRole("main").getByRole("listitem");
    await expect(devices).toHaveCount(3);
    await expect(devices.filter({ hasText: ty("security.this_device") })).toHaveCount(1);
    await devices
      .filter({ hasNotText: ty("security.this_device") })
      .first()
      .getByRole("button")
      .click();
    await expect(devices).toHaveCount(2);
    await other.goto("/m/voucherCenter");
    await third.goto("/m/voucherCenter");
    const amountOf = (at: Page, t: T) => at.getByLabel(t("cashier.amount"), { exact: true });
    // One of the two was ended: its page says so and asks for a log-in.
    await expect
      .poll(async () => {
        const open = [loginDialog(other, en), loginDialog(third, ty)];
        return (await Promise.all(open.map((one) => one.isVisible()))).filter(Boolean).length;
      })
      .toBe(1);
    const [alive, t] = (await loginDialog(other, en).isVisible())
      ? ([third, ty] as const)
      : ([other, en] as const);
    await amountOf(alive, t).fill("271");

    await page.getByRole("button", { name: ty("security.sign_out_others") }).click();
    await page
      .getByRole("alertdialog")
      .getByRole("button", { name: ty("security.sign_out_others") })
      .click();
    await expect(devices).toHaveCount(1);
    await expect(page.getByRole("button", { name: ty("security.sign_out_others") })).toHaveCount(0);

    // The live line tells the other page at once; the log-in opens over the typed text.
    await expect(loginDialog(alive, t)).toBeVisible(SLOW);
    await expect(alive.getByText(t("error.session_ended")).first()).toBeVisible();
    await expect(amountOf(alive, t)).toHaveValue("271");
    await loginDialog(alive, t)
      .getByRole("textbox", { name: t("auth.username"), exact: true })
      .fill(name);
    await fillPassword(alive, t, PASSWORD);
    await expect(alive.getByRole("dialog")).toBeHidden();
    await expect(alive).toHaveURL(/\/m\/voucherCenter/);
    await expect(amountOf(alive, t)).toHaveValue("271");

    await visit(page, "/m/securityCenter?tab=logins");
    await expect(devices).toHaveCount(4);
    await expect(devices.first()).toContainText(ty("security.login_done"));
    await other.context().close();
    await third.context().close();
  });
});

function entry(page: Page, t: T, title: string) {
  return page.getByRole("main").getByRole("link", { name: t(title) });
}

async function deviceOf(browser: Browser, language: "TY" | "EN"): Promise<Page> {
  const context = await browser.newContext();
  await sendPopupsAway(context);
  const page = await context.newPage();
  await inLanguage(page, language);
  return page;
}
