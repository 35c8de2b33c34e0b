import type { Page } from "@playwright/test";
import { Secret, TOTP } from "otpauth";
import { withBrand } from "./brand-status.ts";
import { expect, test } from "./journey.ts";
import { fillPassword, freshName, loginDialog, PASSWORD, stored } from "./player.ts";
import { visit } from "./screens.ts";
import { forgetAll, newMember, proveSession, tokenOf } from "./session.ts";
import { textsOf } from "./texts.ts";

const ty = textsOf("ty");

test.describe("log-in", () => {
  test("[A2.3-02 A2.3-05 A2.3-09 A2.3-13 A6-11] offers the ways to log in that the brand has switched on", async ({
    page,
  }) => {
    const KEYS = ["MOBILEVERCODELOGIN3", "FREEPLAY3", "CBS3"];
    let on: readonly string[] = [...KEYS, "TELEGRAM"];
    await withBrand(page, (info) => {
      for (const key of KEYS) info.whitelabel[key] = on.includes(key);
      const telegram = { resourceType: "TELEGRAM", url: "https://t.me/perya" };
      info.resources = on.includes("TELEGRAM") ? [telegram] : [];
    });
    await page.goto("/m/login");
    const login = loginDialog(page, ty);
    await expect(login.getByRole("tab")).toHaveText([ty("auth.username"), ty("auth.mobileNum")]);
    await expect(login.getByRole("button", { name: ty("auth.trial") })).toBeVisible();
    await expect(login.getByRole("link", { name: "Telegram" })).toHaveAttribute(
      "href",
      "https://t.me/perya",
    );
    const chat = login.getByRole("link", { name: ty("shell.live_chat") });
    await expect(chat).toBeVisible();
    await expect(chat).toHaveAttribute("href", "/m/chat");
    // The links float: they are visible before anything is scrolled, and after.
    await page.setViewportSize({ width: 390, height: 480 });
    const people = login.getByRole("navigation", { name: ty("auth.services") });
    await expect(people).toBeInViewport({ ratio: 1 });
    await login.getByLabel(ty("auth.password"), { exact: true }).scrollIntoViewIfNeeded();
    await expect(people).toBeInViewport({ ratio: 1 });
    await expect(login.getByLabel(ty("auth.captcha"), { exact: true })).toHaveCount(0);
    // Each setting alone shows its own control and no other.
    for (const key of ["", ...on]) {
      on = [key];
      await page.goto("/m/login");
      await expect(login.getByLabel(ty("auth.password"), { exact: true })).toBeVisible();
      const trial = login.getByRole("button", { name: ty("auth.trial") });
      await expect(trial, key).toHaveCount(key === "FREEPLAY3" ? 1 : 0);
      await expect(login.getByRole("tab"), key).toHaveCount(key === "MOBILEVERCODELOGIN3" ? 2 : 0);
      const contacts = key === "CBS3" || key === "TELEGRAM" ? 1 : 0;
      await expect(login.getByRole("link"), key).toHaveCount(contacts);
    }
  });

  test("[A2.3-10 A5-02] asks for a captcha after a failure, and for a new one after each", async ({
    page,
  }) => {
    await page.goto("/m/login");
    const login = loginDialog(page, ty);
    await login.getByRole("textbox", { name: ty("auth.username"), exact: true }).fill(freshName());
    await fillPassword(page, ty, "Wrong2026x");
    const captcha = login.getByLabel(ty("auth.captcha"), { exact: true });
    await expect(captcha).toBeVisible();
    await expect(login.getByRole("alert")).toBeVisible();
    const picture = login.getByRole("img");
    await expect(picture).toBeVisible();
    const first = await picture.getAttribute("src");
    expect(first).toMatch(/^data:image\/png;base64,/);
    await captcha.pressSequentially("12a34b5678");
    await expect(captcha).toHaveValue("123456");
    await fillPassword(page, ty, "Wrong2026x");
    await expect(picture).not.toHaveAttribute("src", first ?? "");
    await expect(captcha).toHaveValue("");
    const second = await picture.getAttribute("src");
    await login.getByRole("button", { name: ty("auth.captcha_refresh") }).click();
    await expect(picture).not.toHaveAttribute("src", second ?? "");
  });

  test("asks for the second factor: six digits, or a recovery code that is valid once", async ({
    page,
  }) => {
    const name = freshName();
    await newMember(page, name);
    const [recoveryCode = ""] = await switchOnTwoFactors(page);
    const login = loginDialog(page, ty);
    const begin = async () => {
      await forgetAll(page);
      await page.goto("/m/login");
      await login.getByRole("textbox", { name: ty("auth.username"), exact: true }).fill(name);
      await fillPassword(page, ty, PASSWORD);
      await expect(login.getByLabel(ty("auth.authenticator_code"))).toBeVisible();
    };
    const confirm = login.getByRole("button", { name: ty("auth.confirm") });
    const byRecovery = async () => {
      await login.getByRole("button", { name: ty("auth.use_recovery_code") }).click();
      await login.getByLabel(ty("auth.recovery_code"), { exact: true }).fill(recoveryCode);
      await confirm.click();
    };
    await begin();
    const digits = login.getByLabel(ty("auth.authenticator_code"));
    await digits.fill("12");
    await confirm.click();
    await expect(login.getByText(ty("auth.code_format"))).toBeVisible();
    await digits.fill("000000");
    await confirm.click();
    await expect(login.getByRole("alert")).toBeVisible();
    await expect(digits).toHaveValue("");
    await byRecovery();
    await expect(page.getByRole("dialog")).toBeHidden();
    expect((await stored(page)).session.userName).toBe(name);
    await begin();
    await byRecovery();
    await expect(login.getByRole("alert")).toBeVisible();
    await expect(login).toBeVisible();
  });

  test("[A1-03 A2.3-14 A2.3-15 A3-04 A4-04 A4-05 A7-04] closes when a free trial starts and goes home, or stays on the page", async ({
    page,
  }) => {
    await page.goto("/m/slot-games?pop=login");
    const granted = page.waitForResponse("**/api/v1/auth/test-play");
    let release: () => void = () => undefined;
    const held = new Promise<void>((done) => {
      release = done;
    });
    let asked = 0;
    await page.route("**/api/v1/auth/test-play", async (route) => {
      asked++;
      await held;
      await route.continue();
    });
    const trial = loginDialog(page, ty).getByRole("button", { name: ty("auth.trial") });
    await expect(trial).not.toHaveAttribute("aria-busy");
    await trial.click();
    // The button shows that the call is under way, and a second tap asks for no second trial.
    await expect(trial).toHaveAttribute("aria-busy", "true");
    await trial.dispatchEvent("click");
    await expect(trial).toHaveAttribute("aria-busy", "true");
    release();
    await expect(page.getByRole("dialog")).toBeHidden();
    expect(asked).toBe(1);
    await page.unroute("**/api/v1/auth/test-play");
    await expect(page).toHaveURL(/\/m\/home$/);
    const request = (await granted).request();
    expect([request.method(), request.postDataJSON()]).toEqual(["POST", { moduleId: "FREEPLAY3" }]);
    const kept = await stored(page);
    expect(kept.session.type).toBe(4);
    expect(kept.session.token).toBe((await (await granted).json()).value.token);
    expect(kept.trialName).toBe(kept.session.userName);
    await page.evaluate(() => localStorage.clear());
    await page.goto("/m/slot-games?pop=login&trial=0");
    const login = loginDialog(page, ty);
    // The caller's choice still holds after a visit to the registration.
    await login.getByRole("button", { name: ty("auth.create_account") }).click();
    await page
      .getByRole("dialog", { name: ty("auth.register") })
      .getByRole("button", { name: ty("auth.login") })
      .click();
    await login.getByRole("button", { name: ty("auth.trial") }).click();
    await expect(page.getByRole("dialog")).toBeHidden();
    await expect(page).toHaveURL(/\/m\/slot-games$/);
  });

  test("[A2.3-03 A3-01 A3-02 A3-08 A3-12 A3-13 A4-01 A4-03] is remembered encrypted, and signs the player in again", async ({
    page,
  }) => {
    const sent = page.waitForRequest((request) => request.url().endsWith("/api/v1/auth/login"));
    await page.goto("/m/login");
    const login = loginDialog(page, ty);
    await login.getByRole("textbox", { name: ty("auth.username"), exact: true }).fill("maria");
    await login.getByRole("checkbox", { name: ty("auth.remember") }).check();
    await fillPassword(page, ty, "Fiesta2026");
    await expect(login).toBeHidden();
    const request = await sent;
    expect(await request.headerValue("x-encryption")).toMatch(/^jwe; kid=/);
    expect(await request.headerValue("device")).toBeNull();
    expect(Object.keys(JSON.parse(request.postData() ?? "{}"))).toEqual(["data"]);
    expect(request.postData()).not.toContain("Fiesta2026");

    // The log-in is encrypted while the dialog closes.
    await expect.poll(async () => (await stored(page)).remembered).not.toBeNull();
    const kept = await stored(page);
    expect(kept.session).toMatchObject({ userName: "maria", merchantCode: "perya", type: 0 });
    expect(kept.inTab).toEqual(kept.session);
    expect(kept.autoLogin).toBe("1");
    expect(kept.remembered).toMatchObject({ type: "username", username: "maria" });
    expect(JSON.stringify(kept)).not.toContain("Fiesta2026");
    expect(JSON.stringify(kept)).not.toContain(btoa("Fiesta2026"));
    await page.reload();
    await expect(page.getByRole("button", { name: ty("auth.login"), exact: true })).toHaveCount(0);

    // The session is gone, the remembered log-in is not: the next start signs in by itself.
    await page.evaluate(() => {
      localStorage.removeItem("MC_SESSION_INFO");
      sessionStorage.clear();
    });
    await page.goto("/m/member/home");
    await expect.poll(async () => (await stored(page)).session?.userName).toBe("maria");
    await expect(page).toHaveURL(/\/m\/member\/home/);

    // After an end from elsewhere, the form is filled in and waits for the player's tap.
    await page.evaluate(() => {
      localStorage.setItem("autoLogin", "0");
      localStorage.removeItem("MC_SESSION_INFO");
      sessionStorage.clear();
    });
    await page.goto("/m/login");
    const username = login.getByRole("textbox", { name: ty("auth.username"), exact: true });
    const password = login.getByLabel(ty("auth.password"), { exact: true });
    await expect(username).toHaveValue("maria");
    await expect(password).toHaveValue("Fiesta2026");
    await password.press("Enter");
    await expect(login).toBeHidden();

    await visit(page, "/m/set");
    await page.getByRole("button", { name: ty("member.sign_out") }).click();
    await page
      .getByRole("alertdialog")
      .getByRole("button", { name: ty("member.sign_out") })
      .click();
    await expect(page).toHaveURL(/\/m\/home/);
    await expect.poll(async () => (await stored(page)).autoLogin).toBe("0");
    expect((await stored(page)).session).toBeNull();
    // A sign-out deletes the remembered password; the name stays, as the player asked.
    expect((await stored(page)).remembered).toMatchObject({ username: "maria", password: "" });
    await visit(page, "/m/login");
    await expect(username).toHaveValue("maria");
    await expect(password).toHaveValue("");
  });
});

/** Does what an authenticator app and the security centre do; answers the recovery codes. */
async function switchOnTwoFactors(page: Page): Promise<string[]> {
  await proveSession(page);
  const headers = { authorization: `Bearer ${await tokenOf(page)}` };
  const begun = await page.request.post("/api/v1/member/totp", { headers, data: {} });
  const { secret } = (await begun.json()).value;
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
  const confirmed = await page.request.post("/api/v1/member/totp/confirm", {
    headers,
    data: { code },
  });
  return (await confirmed.json()).value.recoveryCodes;
}
