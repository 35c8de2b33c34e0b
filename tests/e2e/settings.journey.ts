import type { Page } from "@playwright/test";
import { expect, test } from "./journey.ts";
import { freshName, PASSWORD } from "./player.ts";
import { atRest } from "./screens.ts";
import { newMember } from "./session.ts";
import { textsOf } from "./texts.ts";

test.use({ baseURL: process.env.PERYA_URL ?? "" });

const ty = textsOf("ty");

test("[A2.2-08 A2.6-01 A9-03] a change of password opens from the settings and at its address, over a page that knows of it, and shows for 10 s at most that it is under way", async ({
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

  // The server takes its time.
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
  await expect(toast).toBeVisible();
  await page.clock.fastForward(10_000);
  await expect(toast).toBeHidden();
  await expect(page).toHaveURL(/\/m\/set/);
  answer();
  await expect(page).toHaveURL(/\/m\/home$/);
  expect(await stored()).toEqual([null, "0"]);
});

test("a sign-out that the server was too busy for is said to be none, and the session goes on", async ({
  page,
}) => {
  await newMember(page, freshName());
  await page.goto("/m/set");
  const busy = { code: "busy", detail: "Sobrang abala.", status: 503, requestId: "req_1" };
  await page.route("**/api/v1/auth/logout", (route) =>
    route.fulfill({ status: 503, contentType: "application/problem+json", json: busy }),
  );
  const dialog = page.getByRole("alertdialog");
  const open = page.getByRole("main").getByRole("button", { name: ty("member.sign_out") });
  await open.click();
  await dialog.getByRole("button", { name: ty("member.sign_out") }).click();
  await expect(page.getByText(busy.detail)).toBeVisible();
  await expect(dialog).toBeHidden();
  await expect(page).toHaveURL(/\/m\/set$/);
  expect(await page.evaluate(() => localStorage.getItem("MC_SESSION_INFO"))).toContain("token");

  await page.unroute("**/api/v1/auth/logout");
  await open.click();
  await dialog.getByRole("button", { name: ty("member.sign_out") }).click();
  await expect(page).toHaveURL(/\/m\/home$/);
});

/** Time passes when it is told to, and no call gives up before that. */
async function stopTheClock(page: Page): Promise<void> {
  await page.clock.install();
  await page.addInitScript(() => {
    AbortSignal.timeout = () => new AbortController().signal;
  });
}

/** Keeps a call from the server until it may answer. */
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
