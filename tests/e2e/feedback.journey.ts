import type { Page } from "@playwright/test";
import { seriousFaults } from "./axe.ts";
import { expect, test } from "./journey.ts";
import { freshName, loginDialog } from "./player.ts";
import { atRest, footOfHome, inLanguage, visit } from "./screens.ts";
import { newMember } from "./session.ts";
import { textsOf } from "./texts.ts";

// These journeys replace answers, which a service worker would not see.
const ty = textsOf("ty");
const en = textsOf("en");
const MESSAGE = "Hindi pa dumarating ang deposit ko kahapon.";

test("[A2.11-01] feedback asks a guest to log in first, and opens after the log-in", async ({
  page,
}) => {
  await page.goto("/m/feedback");
  await expect(page).toHaveURL(/\/m\/login\?next=%2Fm%2Ffeedback$/);
  const login = loginDialog(page, ty);
  await login.getByRole("textbox", { name: ty("auth.username"), exact: true }).fill("maria");
  await login.getByLabel(ty("auth.password"), { exact: true }).fill("Fiesta2026");
  await login.getByRole("button", { name: ty("auth.login"), exact: true }).click();
  await expect(page).toHaveURL(/\/m\/feedback$/);
  await expect(page.getByRole("heading", { name: ty("feedback.title") })).toBeVisible();
});

test("[A2.11-02 A2.11-03 A2.11-04 A5-15 A5-20] the form enables its button for 10 to 200 characters, and says what is missing", async ({
  page,
}) => {
  await newMember(page, freshName());
  for (const [language, t] of [
    ["TY", ty],
    ["EN", en],
  ] as const) {
    await inLanguage(page, language);
    await page.goto("/m/feedback");
    const { content, captcha, send } = formOf(page, t);
    const types = page.getByRole("radiogroup", { name: t("feedback.type") }).getByRole("radio");
    await expect(types).toHaveCount(6);
    await expect(types.and(page.locator(":checked"))).toHaveCount(0);
    await expect(captcha).toHaveAccessibleDescription(t("auth.captcha_simple_hint"));
    await expect(page.getByText(t("auth.captcha_simple_hint"))).toBeVisible();
    for (const [length, open] of [
      [0, false],
      [9, false],
      [10, true],
      [200, true],
      [201, false],
    ] as const) {
      await content.fill("x".repeat(length));
      await expect(page.getByText(`${length}/200`, { exact: true })).toBeVisible();
      await expect(send).toBeEnabled({ enabled: open });
    }
    await content.fill("👍".repeat(10));
    await expect(page.getByText("10/200", { exact: true })).toBeVisible();
    await send.click();
    await expect(page.getByText(t("feedback.type_required"))).toBeVisible();
    await expect(captcha).toHaveAccessibleDescription(new RegExp(t("auth.captcha_enter")));
    // The form focuses its first fault once more in the next task; nobody types as fast.
    await page.evaluate(() => new Promise((done) => setTimeout(done)));
    await captcha.pressSequentially("x".repeat(20));
    await expect(captcha).toHaveValue("x".repeat(16));
    expect(await seriousFaults(page)).toEqual([]);
  }
  expect(en("auth.captcha_enter")).toBe("Enter a captcha");
  expect(en("auth.captcha_simple_hint")).toBe(
    "1 to 16 digits or letters, or the result of an equation",
  );
});

test("[A5-15] the page refuses a wrong answer under the captcha, and shows another picture", async ({
  page,
}) => {
  await newMember(page, freshName());
  await inLanguage(page, "EN");
  await page.goto("/m/feedback");
  const { content, captcha, send } = formOf(page, en);
  const picture = page.getByRole("img", { name: en("auth.captcha_simple_picture") });
  await expect(picture).toHaveAttribute("src", /^data:image\/png;base64,/);
  const first = await picture.getAttribute("src");
  await page.getByRole("button", { name: en("auth.captcha_refresh") }).click();
  await expect(picture).not.toHaveAttribute("src", first ?? "");
  const second = await picture.getAttribute("src");
  await page.getByRole("radio", { name: en("feedback.type_deposit") }).check();
  await content.fill(MESSAGE);
  // Neither O nor 0 is in any picture, since each could be taken for the other.
  await captcha.fill("O0O0O0");
  await send.click();
  await expect(captcha).toHaveAccessibleDescription(/Verification code error/);
  await expect(picture).not.toHaveAttribute("src", second ?? "");
  await expect(captcha).toHaveValue("");
  await expect(content).toHaveValue(MESSAGE);
  await expect(page.getByRole("radio", { name: en("feedback.type_deposit") })).toBeChecked();
});

test("a picture that expired while the message was written is replaced when the player comes to answer it", async ({
  page,
}) => {
  await newMember(page, freshName());
  await inLanguage(page, "TY");
  let asked = 0;
  await page.route("**/api/v1/auth/captcha?kind=simple", async (route) => {
    const { value } = await (await route.fetch()).json();
    asked += 1;
    const expiresAt = asked === 1 ? Date.now() - 1_000 : value.expiresAt;
    await route.fulfill({ json: { value: { ...value, expiresAt } } });
  });
  await page.goto("/m/feedback");
  const { content, captcha } = formOf(page, ty);
  const picture = page.getByRole("img", { name: ty("auth.captcha_simple_picture") });
  const first = await picture.getAttribute("src");
  await content.fill(MESSAGE);
  expect(await picture.getAttribute("src")).toBe(first);
  await captcha.focus();
  await expect.poll(async () => (await picture.getAttribute("src")) === first).toBe(false);
  // A picture that is still valid stays.
  await content.focus();
  await captcha.focus();
  await page.getByRole("radio").first().check();
  expect(asked).toBe(2);
});

test("[A2.11-05 A7-36 A9-03] a message is sent once with its code, and the page shows for 10 s at most that it is under way", async ({
  page,
}) => {
  const name = freshName();
  await newMember(page, name);
  await inLanguage(page, "TY");
  await page.clock.install();
  await page.addInitScript(() => {
    AbortSignal.timeout = () => new AbortController().signal;
  });
  const sent: Record<string, unknown>[] = [];
  let answer: () => void = () => undefined;
  await page.route("**/api/v1/feedback", async (route) => {
    const body = route.request().postDataJSON();
    sent.push(body);
    expect(route.request().method()).toBe("PUT");
    // The network fails once, so that the same message is sent again.
    if (sent.length === 1) return route.abort("connectionreset");
    await new Promise<void>((done) => {
      answer = done;
    });
    await route.fulfill({ json: { value: { id: body.id, sentAt: 1 } } });
  });
  await page.goto("/m/feedback");
  await atRest(page);
  const { content, captcha, send } = formOf(page, ty);
  await page.getByRole("radio", { name: ty("feedback.type_agent") }).check();
  await content.fill(MESSAGE);
  await captcha.fill(" 42 ");
  await send.click();
  const toast = page.getByText(ty("shell.in_please_wait"));
  await expect(toast).toBeVisible();
  await expect.poll(() => sent.length).toBe(1);
  await page.clock.fastForward(9_000);
  await expect.poll(() => sent.length).toBe(2);
  await expect(toast).toBeVisible();
  await page.clock.fastForward(1_500);
  await expect(toast).toBeHidden();
  // A second tap is ignored while the first is under way.
  await send.click({ force: true });
  answer();
  await expect(page.getByText(ty("feedback.thanks"))).toBeVisible();
  await expect(page.getByText(ty("feedback.sent"), { exact: true })).toBeVisible();
  await expect(content).toHaveValue("");
  await expect(send).toBeDisabled();
  expect(sent).toHaveLength(2);
  expect(sent[0]).toMatchObject({ type: 6, content: MESSAGE, sender: name, captcha: "42" });
  expect(sent[1]).toEqual(sent[0]);
});

test("the menu, the account and the footer of home lead to feedback", async ({ page }) => {
  await newMember(page, freshName());
  await page.goto("/m/home?pop=menu");
  await page
    .getByRole("dialog")
    .getByRole("link", { name: ty("feedback.title") })
    .click();
  await expect(page).toHaveURL(/\/m\/feedback$/);
  await visit(page, "/m/member/home");
  await page
    .locator("main")
    .getByRole("link", { name: ty("feedback.title") })
    .click();
  await expect(page).toHaveURL(/\/m\/feedback$/);
  await visit(page, "/m/home");
  await (await footOfHome(page)).getByRole("link", { name: ty("feedback.title") }).click();
  await expect(page).toHaveURL(/\/m\/feedback$/);
});

function formOf(page: Page, t: typeof ty) {
  return {
    content: page.getByLabel(t("feedback.content")),
    captcha: page.getByLabel(t("auth.captcha"), { exact: true }),
    send: page.getByRole("button", { name: t("feedback.send"), exact: true }),
  };
}
