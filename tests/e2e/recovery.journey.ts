import type { Page } from "@playwright/test";
import { toRecoveryByPhone } from "./account-steps.ts";
import { expect, test } from "./journey.ts";
import { linkIn, messageTo } from "./outbox.ts";
import {
  fillPassword,
  freshName,
  loginDialog,
  PASSWORD,
  registerDialog,
  stored,
} from "./player.ts";
import { visit } from "./screens.ts";
import { textsOf } from "./texts.ts";

const ty = textsOf("ty");

test.describe("recovery of a forgotten password", () => {
  test("[A1-03 A2.5-01 A2.5-02 A2.5-11 A2.5-12 A2.5-13 A5-06] works once by the link in a mail", async ({
    page,
  }) => {
    const name = freshName();
    await page.goto("/m/register");
    const form = registerDialog(page, ty);
    await form
      .getByLabel(ty("auth.optional", { field: ty("auth.email") }), { exact: true })
      .fill(`${name}@example.com`);
    await registerInto(page, name);

    await visit(page, "/m/slot-games");
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(ty("type.RNG"));
    await visit(page, "/m/forget");
    const forget = page.getByRole("dialog", { name: ty("auth.forgot_title"), exact: true });
    const retrieve = forget.getByRole("button", { name: ty("auth.retrieve") });
    await expect(retrieve).toBeDisabled();
    const username = forget.getByRole("textbox", { name: ty("auth.username"), exact: true });
    await username.fill(name);
    await expect(retrieve).toBeEnabled();
    const email = forget.getByLabel(ty("auth.email"), { exact: true });
    await email.fill("not an address");
    await email.blur();
    await expect(forget.getByText(ty("auth.email_format"))).toBeVisible();
    await expect(retrieve).toBeDisabled();
    await email.fill(`${name}@example.com`);
    await username.fill("a");
    await username.blur();
    await expect(forget.getByText(ty("auth.username_format"))).toBeVisible();
    await expect(retrieve).toBeDisabled();
    await username.fill(name);
    await retrieve.click();
    await expect(page.getByText(ty("auth.mail_sent"))).toBeVisible();
    await expect(forget).toBeHidden();
    await expect(page).toHaveURL(/\/m\/home$/);

    const link = linkIn(
      await messageTo(page, `${name}@example.com`, (text) => text.includes("/m/reset?token=")),
    );
    const { pathname, search } = new URL(link);
    await page.goto(pathname + search);
    const reset = page.getByRole("dialog", { name: ty("auth.reset_title"), exact: true });
    await expect(reset.getByText(ty("auth.reset_text", { name }))).toBeVisible();
    const next = "Kalesa2027y";
    await reset.getByLabel(ty("auth.new_password"), { exact: true }).fill(PASSWORD);
    await reset.getByLabel(ty("auth.confirm_password"), { exact: true }).fill(PASSWORD);
    await reset.getByRole("button", { name: ty("auth.reset_save") }).click();
    await expect(reset.getByRole("alert")).toBeVisible();
    await reset.getByLabel(ty("auth.new_password"), { exact: true }).fill(next);
    await reset.getByLabel(ty("auth.confirm_password"), { exact: true }).fill(next);
    await reset.getByRole("button", { name: ty("auth.reset_save") }).click();
    await expect(reset.getByText(ty("auth.reset_done"))).toBeVisible();
    await reset.getByRole("button", { name: ty("auth.login") }).click();
    await expect(page).toHaveURL(/\/m\/login/);
    await fillPassword(page, ty, next);
    await expect(page.getByRole("dialog")).toBeHidden();

    await page.goto(pathname + search);
    await expect(reset.getByText(ty("auth.reset_spent"))).toBeVisible();
    await reset.getByRole("button", { name: ty("auth.reset_again") }).click();
    await expect(forget).toBeVisible();
  });

  test("[A2.5-03 A2.5-04 A2.5-05 A2.5-06 A2.5-07 A2.5-08 A2.5-09 A2.5-10 A5-01] takes three steps by phone", async ({
    page,
  }) => {
    let answer = "code_wrong";
    await page.route("**/api/v1/auth/password-by-phone", (route) =>
      answer === ""
        ? route.fulfill({ json: { value: { changed: true } } })
        : route.fulfill(refused(answer, answer === "invalid_input" ? [PASSWORD_FAULT] : [])),
    );
    // The demo brand recovers by mail: the server's own tests cover its part of this.
    await toRecoveryByPhone(page);
    const forget = page.getByRole("dialog", { name: ty("auth.forgot_title"), exact: true });
    const step = forget.locator('[aria-current="step"]');
    await expect(step).toContainText(ty("auth.recovery_verification"));
    const next = forget.getByRole("button", { name: ty("auth.next") });
    await expect(next).toBeDisabled();
    const username = forget.getByRole("textbox", { name: ty("auth.username"), exact: true });
    await username.fill("a");
    await next.click();
    await expect(forget.getByText(ty("auth.username_format"))).toBeVisible();
    await username.fill("maria");
    // The server may refuse the name, too.
    await page.route(
      "**/api/v1/auth/recovery-name",
      (route) => route.fulfill(refused("invalid_input", [NAME_FAULT])),
      { times: 1 },
    );
    await next.click();
    await expect(forget.getByText(NAME_FAULT.message)).toBeVisible();
    await expect(step).toContainText(ty("auth.recovery_verification"));
    await expect(next).toBeDisabled();
    await username.fill("maria.");
    await username.fill("maria");
    await next.click();
    await expect(step).toContainText(ty("auth.recovery_reset"));

    const mobile = forget.getByRole("textbox", { name: ty("auth.mobileNum"), exact: true });
    const code = forget.getByLabel(ty("auth.sms_code"), { exact: true });
    const password = forget.getByLabel(ty("auth.new_password"), { exact: true });
    const retrieve = forget.getByRole("button", { name: ty("auth.retrieve") });
    await code.fill("123456");
    await retrieve.click();
    // A code without a number leads back to the first step, which says why.
    await expect(step).toContainText(ty("auth.recovery_verification"));
    await expect(forget.getByText(ty("auth.mobile_required"))).toBeVisible();
    await next.click();
    await expect(step).toContainText(ty("auth.recovery_reset"));
    await expect(forget.getByText(ty("auth.mobile_required"))).toBeHidden();
    await mobile.fill("9171234567");
    await code.fill("12");
    await password.fill("short");
    await password.blur();
    await expect(forget.getByText(ty("auth.code_format"))).toBeVisible();
    await expect(forget.getByText(ty("auth.password_format"))).toBeVisible();
    await code.fill("123456");
    await password.fill("Fiesta2026");
    await retrieve.click();
    await expect(step).toContainText(ty("auth.recovery_verification"));
    await expect(forget.getByText("no: code_wrong")).toBeVisible();

    // A fault in a field of the next step is shown there; the player can still go on to it.
    await next.click();
    await code.fill("123456");
    answer = "invalid_input";
    await retrieve.click();
    await expect(step).toContainText(ty("auth.recovery_verification"));
    await expect(forget.getByText(TOO_COMMON)).toHaveCount(1);
    await next.click();
    await expect(step).toContainText(ty("auth.recovery_reset"));
    await expect(password).toHaveAccessibleDescription(TOO_COMMON);
    await expect(retrieve).toBeDisabled();
    await password.fill("Fiesta2027");
    await expect(retrieve).toBeEnabled();
    answer = "code_wrong";
    await code.fill("123456");
    await retrieve.click();
    await expect(step).toContainText(ty("auth.recovery_verification"));

    answer = "modify.new.old.same";
    await next.click();
    await expect(mobile).toHaveValue("9171234567");
    await expect(code).toHaveValue("");
    await code.fill("123456");
    await retrieve.click();
    await expect(password).toHaveValue("");
    await expect(code).toHaveValue("123456");
    await expect(step).toContainText(ty("auth.recovery_reset"));

    answer = "";
    await password.fill("Fiesta2026");
    await retrieve.click();
    await expect(step).toContainText(ty("auth.recovery_done"));
    await expect(forget.getByText(ty("auth.reset_done"))).toBeVisible();
    await forget.getByRole("button", { name: ty("auth.confirm") }).click();
    await expect(page.getByRole("dialog")).toBeHidden();
    expect((await stored(page)).session.userName).toBe("maria");
  });
});

const TOO_COMMON = "ito ay madaling hulaan";
const PASSWORD_FAULT = { field: "newPassword", code: "too_common", message: TOO_COMMON };
const NAME_FAULT = {
  field: "username",
  code: "bad_format",
  message: "hindi tinatanggap ng server",
};

/** The server's refusal, with the faults of its fields. */
function refused(code: string, fields: readonly object[]) {
  const problem = { type: "", code, status: 409, title: "", detail: `no: ${code}`, fields };
  return { status: 409, contentType: "application/problem+json", json: problem };
}

/** Completes a registration and logs in. */
async function registerInto(page: Page, name: string): Promise<void> {
  const form = registerDialog(page, ty);
  await form.getByRole("textbox", { name: ty("auth.username"), exact: true }).fill(name);
  await form.getByLabel(ty("auth.password"), { exact: true }).fill(PASSWORD);
  await form.getByLabel(ty("auth.confirm_password"), { exact: true }).fill(PASSWORD);
  await form.getByRole("checkbox").check();
  await form.getByRole("button", { name: ty("auth.register"), exact: true }).click();
  await expect(loginDialog(page, ty)).toBeVisible();
}
