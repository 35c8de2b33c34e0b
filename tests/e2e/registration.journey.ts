import { randomInt } from "node:crypto";
import { expect, test } from "./journey.ts";
import { minuteIsOver } from "./minute.ts";
import { codeIn, messageTo } from "./outbox.ts";
import {
  fillPassword,
  freshName,
  loginDialog,
  PASSWORD,
  registerDialog,
  stored,
} from "./player.ts";
import { inLanguage } from "./screens.ts";
import { textsOf } from "./texts.ts";

const ty = textsOf("ty");
const en = textsOf("en");
/** A human check and a code take longer than a click. */
const SLOW = { timeout: 40_000 };

test.describe("registration", () => {
  test("[A1-03 A2.4-01 A2.4-09 A2.4-10 A2.4-11 A2.4-12 A2.4-15 A5-12 A8-15] works by username, with the optional fields", async ({
    page,
  }) => {
    const name = freshName();
    await page.goto("/m/register");
    const form = registerDialog(page, ty);
    const submit = form.getByRole("button", { name: ty("auth.register"), exact: true });
    const agree = form.getByRole("checkbox", { name: ty("auth.agree", { age: "21" }) });
    await expect(submit).toBeDisabled();
    await agree.check();
    await expect(submit).toBeEnabled();
    await agree.uncheck();
    await expect(submit).toBeDisabled();
    await agree.check();
    await submit.click();
    await expect(form.getByText(ty("auth.required"))).toBeVisible();
    await expect(form.getByText(ty("auth.password_required"))).toBeVisible();

    await form.getByRole("textbox", { name: ty("auth.username"), exact: true }).fill(name);
    await expect(form.getByText(ty("auth.username_free"))).toBeVisible();
    const password = form.getByLabel(ty("auth.password"), { exact: true });
    await password.fill(PASSWORD);
    await expect(password).toHaveAttribute("type", "password");
    await form
      .getByRole("button", { name: ty("auth.show_password") })
      .first()
      .click();
    await expect(password).toHaveAttribute("type", "text");
    await form.getByLabel(ty("auth.confirm_password"), { exact: true }).fill(PASSWORD);
    const optional = (field: string) => ty("auth.optional", { field: ty(field) });
    await form.getByLabel(optional("auth.email"), { exact: true }).fill(`${name}@example.com`);
    const birthday = form.getByLabel(optional("auth.birthday"), { exact: true });
    await birthday.pressSequentially("20150101");
    await expect(birthday).toHaveValue("2015-01-01");
    await birthday.blur();
    await expect(form.getByText(ty("auth.too_young", { age: "21" }))).toBeVisible();
    const picker = form.getByLabel(ty("auth.birthday_pick"));
    await expect(picker).toHaveAttribute("min", "1900-01-01");
    await expect(picker).toHaveAttribute("max", `${new Date().getFullYear()}-12-31`);
    await picker.fill("1990-06-15");
    await expect(birthday).toHaveValue("1990-06-15");

    const invitation = form.getByLabel(optional("auth.affiliateCode"), { exact: true });
    await invitation.fill("NOSUCHCODE");
    await submit.click();
    await expect(form.getByText(ty("auth.affiliate_format"))).toBeVisible();
    await expect(page.locator("[data-sonner-toast]")).toContainText(ty("auth.affiliate_format"));
    await expect(invitation).toBeFocused();

    // The typed text survives a reload, except for secrets.
    await page.reload();
    await expect(form.getByRole("textbox", { name: ty("auth.username"), exact: true })).toHaveValue(
      name,
    );
    await expect(password).toHaveValue("");
    await password.fill(PASSWORD);
    await form.getByLabel(ty("auth.confirm_password"), { exact: true }).fill(PASSWORD);
    await invitation.fill("LINDA2026");
    await agree.check();
    await submit.click();
    await expect(page.getByText(ty("auth.registered"))).toBeVisible();
    await expect(
      loginDialog(page, ty).getByRole("textbox", { name: ty("auth.username"), exact: true }),
    ).toHaveValue(name);
    await fillPassword(page, ty, PASSWORD);
    await expect(page.getByRole("dialog")).toBeHidden();
  });

  test("[A8-10] says under a taken name that it is taken, while it is typed and when it is sent", async ({
    page,
  }) => {
    await inLanguage(page, "EN");
    await page.goto("/m/register");
    const form = registerDialog(page, en);
    const name = form.getByRole("textbox", { name: en("auth.username"), exact: true });
    await name.fill("maria");
    const taken = /Sorry, the username already exists/;
    await expect(name).toHaveAccessibleDescription(taken);
    // Another player took the name after the check.
    await page.route("**/api/v1/auth/username-availability*", (route) =>
      route.fulfill({ json: { value: { available: true } } }),
    );
    await name.fill("linda");
    await expect(name).not.toHaveAccessibleDescription(taken);
    await form.getByLabel(en("auth.password"), { exact: true }).fill(PASSWORD);
    await form.getByLabel(en("auth.confirm_password"), { exact: true }).fill(PASSWORD);
    await form.getByRole("checkbox").check();
    await form.getByRole("button", { name: en("auth.register"), exact: true }).click();
    await expect(name).toHaveAccessibleDescription(taken, SLOW);
  });

  test("[A1-03 A2.3-01 A2.3-11 A2.3-12 A2.4-02 A2.4-06 A2.4-07 A2.4-08 A2.4-14 A4-08 A7-41] works by mobile and is followed by a log-in by SMS, in English", async ({
    page,
  }) => {
    await page.clock.install();
    // The heartbeat would tell the page the server's time; this journey's clock is ahead of it.
    await page.routeWebSocket(/\/ws$/, () => undefined);
    await inLanguage(page, "EN");
    const number = `917${String(randomInt(10_000_000)).padStart(7, "0")}`;
    await page.goto("/m/register");
    const form = registerDialog(page, en);
    await form.getByRole("tab", { name: en("auth.mobileNum") }).click();
    const mobile = form.getByRole("textbox", { name: en("auth.mobileNum"), exact: true });
    await expect(mobile).toHaveAttribute("name", "mobileNum2");
    await expect(mobile).toHaveAttribute("maxlength", "20");
    const code = form.getByLabel(en("auth.sms_code"), { exact: true });
    await expect(code).toHaveAttribute("name", "messageCode2");

    await form.getByRole("button", { name: en("auth.country_pick", { code: "+63" }) }).click();
    const countries = page.getByRole("dialog", { name: en("auth.country"), exact: true });
    await countries.getByLabel(en("auth.country_search")).fill("japan");
    await countries.getByRole("button", { name: /Japan/ }).click();
    await expect(countries).toBeHidden();
    await form.getByRole("button", { name: en("auth.country_pick", { code: "+81" }) }).click();
    await page.goBack();
    await expect(countries).toBeHidden();
    await expect(form).toBeVisible();
    await form.getByRole("button", { name: en("auth.country_pick", { code: "+81" }) }).click();
    await countries.getByRole("button", { name: /Philippines/ }).click();

    let asked = 0;
    page.on("request", (request) => {
      if (request.url().endsWith("/auth/sms-code")) asked++;
    });
    await mobile.fill("12");
    const send = form.getByRole("button", { name: en("auth.sms_send") });
    await send.click();
    await expect(form.getByText(en("auth.in_mobileNum_error"))).toBeVisible();
    expect(asked).toBe(0);
    await mobile.fill(`0${number}`);
    await send.click();
    await expect(page.getByText(en("auth.in_sms_send"))).toBeVisible(SLOW);
    const waiting = form.getByRole("button", { name: /^\d+ s$/ });
    await expect(waiting).toBeDisabled();
    const first = await messageTo(page, `+63${number}`);
    await code.fill(codeIn(first));
    await form.getByLabel(en("auth.password"), { exact: true }).fill(PASSWORD);
    await form.getByLabel(en("auth.confirm_password"), { exact: true }).fill(PASSWORD);
    await form.getByRole("checkbox").check();
    await form.getByRole("button", { name: en("auth.register"), exact: true }).click();
    await expect(page.getByText(en("auth.registered"))).toBeVisible();

    const login = loginDialog(page, en);
    const name = login.getByRole("textbox", { name: en("auth.username"), exact: true });
    await expect(name).toHaveValue(new RegExp(number));
    await login.getByRole("tab", { name: en("auth.mobileNum") }).click();
    await login.getByRole("textbox", { name: en("auth.mobileNum"), exact: true }).fill(number);
    // One code per number and minute: the button counts down to the time that the server names.
    await login.getByRole("button", { name: en("auth.sms_send") }).click();
    await expect(login.getByRole("button", { name: /^\d+ s$/ })).toBeDisabled(SLOW);
    const second = await messageTo(page, `+63${number}`, (text) => text !== first);
    await minuteIsOver(page, `+63${number}`);
    const again = login.getByRole("button", { name: en("auth.sms_resend") });
    await expect(again).toBeEnabled();
    // From here on the server answers with its own time, which has not moved.
    await page.clock.setSystemTime(Date.now());
    await again.click();
    await expect(login.getByRole("button", { name: /^\d+ s$/ })).toBeDisabled(SLOW);
    const isNew = (text: string) => text !== first && text !== second;
    const sms = await messageTo(page, `+63${number}`, isNew);
    await login.getByLabel(en("auth.sms_code"), { exact: true }).fill(codeIn(sms));
    await login.getByRole("button", { name: en("auth.login"), exact: true }).click();
    await expect(page.getByRole("dialog")).toBeHidden();
    expect((await stored(page)).session.type).toBe(0);
  });
});

test("[A2.4-04 A2.4-05 A2.4-07 A2.4-13 A5-03 A5-04] a registration shows the fields that the server's settings name, and the captcha", async ({
  page,
}) => {
  const asked = [
    "nickname",
    "payeeName",
    "paymentPassword",
    "idNumber",
    "facebook",
    "recommenderId",
  ];
  await page.route("**/api/v1/auth/register-settings", async (route) => {
    const response = await route.fetch();
    const reply = await response.json();
    for (const field of [...asked, "messageCode", "captcha"]) {
      reply.value.fields[field].enabled = true;
    }
    reply.value.fields.birthday.enabled = false;
    await route.fulfill({ response, json: reply });
  });
  await page.goto("/m/register");
  const form = registerDialog(page, ty);
  const optional = (field: string) =>
    form.getByLabel(ty("auth.optional", { field: ty(`auth.${field}`) }), { exact: true });
  for (const field of asked) await expect(optional(field)).toBeVisible();
  await expect(optional("birthday")).toHaveCount(0);
  await expect(optional("mobileNum")).toHaveAttribute("name", "mobileNum1");
  await expect(optional("mobileNum")).toHaveAttribute("maxlength", "20");
  const code = form.getByLabel(ty("auth.sms_code"), { exact: true });
  await expect(code).toHaveAttribute("name", "messageCode1");
  await code.pressSequentially("12a3456789012");
  await expect(code).toHaveValue("1234567890");
  const picture = form.getByRole("img", { name: ty("auth.captcha_picture") });
  const first = await picture.getAttribute("src");
  expect(first).toMatch(/^data:image\/png;base64,/);
  await picture.click();
  await expect(picture).not.toHaveAttribute("src", first ?? "");
});

test("[A5-08] a registration itself reports a value that its brand's pattern rejects, and no value hangs the page", async ({
  page,
}) => {
  await page.route("**/api/v1/auth/register-settings", async (route) => {
    const response = await route.fetch();
    const reply = await response.json();
    // `RegExp` takes two minutes for the value that is typed below.
    reply.value.fields.email.pattern = "([A-Za-z0-9]+[._-]?)+@[a-z.]+";
    await route.fulfill({ response, json: reply });
  });
  await page.goto("/m/register");
  const form = registerDialog(page, ty);
  const email = form.getByLabel(ty("auth.optional", { field: ty("auth.email") }), { exact: true });
  await email.fill(`${"a".repeat(34)}!`);
  await email.blur();
  await expect(form.getByText(ty("auth.email_format"))).toBeVisible();
  await email.fill("maria.santos@mail.test");
  await expect(form.getByText(ty("auth.email_format"))).toBeHidden();
});
