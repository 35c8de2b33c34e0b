import type { Page, Route } from "@playwright/test";
import { expect, test } from "./journey.ts";
import { freshName, PASSWORD, pressSignOut } from "./player.ts";
import { atRest } from "./screens.ts";
import { newMember } from "./session.ts";
import { textsOf } from "./texts.ts";

test.use({ baseURL: process.env.PERYA_URL ?? "" });

const ty = textsOf("ty");
const BUSY = { code: "busy", detail: "Sobrang abala.", status: 503, requestId: "req_1" };

test("[A2.2-08 A2.6-01 A9-03 G2.5-17] the change of password opens from the settings and at its address, marks the page's body, and shows for 10 s at most that it is under way", async ({
  page,
}) => {
  await stopTheClock(page);
  await newMember(page, freshName());
  const popup = page.getByRole("dialog", { name: ty("auth.change_password") });
  const body = page.locator("body");
  await page.goto("/m/set");
  await expect(body).not.toHaveClass(/popup-on/);
  await page.getByRole("link", { name: ty("auth.change_password") }).click();
  await expect(popup).toBeVisible();
  await expect(page).toHaveURL(/\/m\/changePsw$/);
  await expect(body).toHaveClass(/popup-on/);
  await popup.getByRole("button", { name: ty("shell.close") }).click();
  await expect(popup).toBeHidden();
  await expect(body).not.toHaveClass(/popup-on/);
  await page.goto("/m/changePsw");
  await expect(popup).toBeVisible();
  await expect(body).toHaveClass(/popup-on/);

  await atRest(page);
  await popup.getByLabel(ty("auth.old_password"), { exact: true }).fill(PASSWORD);
  for (const field of ["auth.new_password", "auth.confirm_new_password"]) {
    await popup.getByLabel(ty(field), { exact: true }).fill("Kalesa2027y");
  }
  const answer = await held(page, "**/api/v1/auth/password");
  await popup.getByRole("button", { name: ty("auth.change_password") }).click();
  const toast = page.getByText(ty("shell.in_please_wait"));
  await expect(toast).toBeVisible();
  await page.clock.fastForward(9_000);
  await expect(toast).toBeVisible();
  await page.clock.fastForward(1_500);
  await expect(toast).toBeHidden();
  answer();
  await expect(popup).toBeHidden();
});

test("[A2.8-18 A9-01] a sign-out asks first, shows that it is under way, and goes home when the session is over", async ({
  page,
}) => {
  await stopTheClock(page);
  await newMember(page, freshName());
  await page.goto("/m/set");
  const stored = () =>
    page.evaluate(() => [
      localStorage.getItem("MC_SESSION_INFO"),
      localStorage.getItem("autoLogin"),
    ]);
  const [session, before] = await stored();
  expect(session).toContain("token");
  expect(before).not.toBe("0");
  const dialog = page.getByRole("alertdialog");
  const open = page.getByRole("main").getByRole("button", { name: ty("member.sign_out") });
  await open.click();
  await expect(dialog.getByText(ty("member.in_sure_logout"))).toBeVisible();
  await dialog.getByRole("button", { name: ty("shell.cancel") }).click();
  await expect(dialog).toBeHidden();
  expect(await stored()).toEqual([session, before]);
  await expect(page).toHaveURL(/\/m\/set$/);

  // The server answers late.
  const answer = await held(page, "**/api/v1/auth/logout");
  const asked = page.waitForRequest("**/api/v1/auth/logout");
  await open.click();
  await dialog.getByRole("button", { name: ty("member.sign_out") }).click();
  const toast = page.getByText(ty("shell.in_please_wait"));
  await expect(toast).toBeVisible();
  const { token } = JSON.parse(session ?? "{}");
  expect(await (await asked).headerValue("authorization")).toBe(`Bearer ${token}`);
  expect(await stored()).toEqual([session, before]);
  await page.clock.fastForward(9_990_000);
  // A toast that has ended takes a moment to disappear.
  await page.waitForTimeout(1_000);
  await expect(toast).toBeVisible();
  await page.clock.fastForward(10_000);
  await expect(toast).toBeHidden();
  await expect(page).toHaveURL(/\/m\/set/);
  answer();
  await expect(page).toHaveURL(/\/m\/home$/);
  expect(await stored()).toEqual([null, "0"]);
});

test("[A2.8-18] a sign-out that the live line reports before the reply ends at home, and does not show as a lapse", async ({
  page,
}) => {
  const heard = endedFrame(page);
  await newMember(page, freshName());
  await page.goto("/m/set");
  await expect(page.locator("header [aria-live]").first()).toContainText("₱");
  await page.route("**/api/v1/auth/logout", async (route) => {
    const response = await route.fetch();
    await heard;
    // After a second the page has reacted to the live line's message.
    await page.waitForTimeout(1_000);
    await route.fulfill({ response });
  });
  const asked = page.waitForEvent("requestfinished", (one) => one.url().endsWith("/auth/logout"));
  await pressSignOut(page, ty);
  await heard;
  await expect(page).toHaveURL(/\/m\/home$/);
  await asked;
  await expect(page.getByRole("button", { name: ty("auth.login"), exact: true })).toBeVisible();
  // `count` reads the page as it is now, without waiting for a message to close.
  expect(await page.getByText(ty("error.session_ended")).count()).toBe(0);
  expect(await page.getByRole("dialog").count()).toBe(0);
  const kept = await page.evaluate(() => Object.keys(localStorage));
  expect(kept.filter((key) => key.startsWith("MC_SESSION"))).toEqual([]);
  expect(await page.evaluate(() => localStorage.getItem("autoLogin"))).toBe("0");
});

for (const [why, refuse, said] of [
  [
    "that the server was too busy for",
    (route: Route) =>
      route.fulfill({ status: 503, contentType: "application/problem+json", json: BUSY }),
    BUSY.detail,
  ],
  ["that did not reach the server", (route: Route) => route.abort(), ty("error.offline")],
] as const) {
  test(`a sign-out ${why} is reported as failed, and the session goes on until a sign-out succeeds`, async ({
    page,
  }) => {
    await newMember(page, freshName());
    await page.goto("/m/set");
    await page.route("**/api/v1/auth/logout", refuse);
    const dialog = page.getByRole("alertdialog");
    const open = page.getByRole("main").getByRole("button", { name: ty("member.sign_out") });
    await open.click();
    await dialog.getByRole("button", { name: ty("member.sign_out") }).click();
    await expect(page.getByText(said)).toBeVisible();
    await expect(dialog).toBeHidden();
    await expect(page).toHaveURL(/\/m\/set$/);
    const session = () => page.evaluate(() => localStorage.getItem("MC_SESSION_INFO"));
    expect(await session()).toContain("token");
    await page.reload();
    await expect(open).toBeVisible();
    await expect(page.locator("header [aria-live]").first()).toContainText("₱");
    expect(await session()).toContain("token");

    await page.unroute("**/api/v1/auth/logout");
    await open.click();
    await dialog.getByRole("button", { name: ty("member.sign_out") }).click();
    await expect(page).toHaveURL(/\/m\/home$/);
    expect(await session()).toBeNull();
  });
}

/** Resolves once the live line has told the page that its session is over. */
function endedFrame(page: Page): Promise<void> {
  return new Promise((done) => {
    page.on("websocket", (line) =>
      line.on("framereceived", ({ payload }) => {
        if (String(payload).includes('"ended"')) done();
      }),
    );
  });
}

/** Time passes only by the test's calls, and no request times out before that. */
async function stopTheClock(page: Page): Promise<void> {
  await page.clock.install();
  await page.addInitScript(() => {
    AbortSignal.timeout = () => new AbortController().signal;
  });
}

/** Holds a call back from the server until the returned function is called. */
async function held(page: Page, url: string): Promise<() => void> {
  let answer: () => void = () => undefined;
  const answered = new Promise<void>((done) => {
    answer = done;
  });
  await page.route(url, async (route) => {
    await answered;
    await route.continue();
  });
  return answer;
}
