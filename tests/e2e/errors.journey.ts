import { seriousFaults } from "./axe.ts";
import { withStatus } from "./brand-status.ts";
import { expect, test } from "./journey.ts";
import { atRest, goOnTo, inLanguage, visit } from "./screens.ts";
import { signIn } from "./session.ts";
import { textsOf } from "./texts.ts";

// These journeys answer calls with failures, which a service worker would hide from the page.
const ty = textsOf("ty");
const en = textsOf("en");
const toasts = "[data-sonner-toast]";

for (const [language, t] of [
  ["TY", ty],
  ["EN", en],
] as const) {
  test(`[A2.13-01 A2.13-02 A2.13-03 A2.13-04 A8-03 A8-04] a closed site shows why in place of every screen, in ${language}`, async ({
    page,
  }) => {
    await inLanguage(page, language);
    const flags = { maintenance: true, regionRestriction: false };
    await withStatus(page, (status) => Object.assign(status, flags));
    await page.goto("/m/home");
    for (const path of ["/m/home", "/m/slot-games", "/m/login", "/m/set"]) {
      await visit(page, path);
      await expect(page).toHaveURL(path);
      await expect(page.getByRole("heading", { level: 1 })).toHaveText(
        t("error.maintenance_title"),
      );
      await expect(page.getByText(t("error.upgrading"))).toBeVisible();
      await expect(page.getByRole("navigation")).toHaveCount(0);
      await expect(page.getByRole("dialog")).toHaveCount(0);
    }
    flags.regionRestriction = true;
    await page.reload();
    await expect(page.getByText(t("error.upgrading"))).toBeVisible();
    expect(await seriousFaults(page)).toEqual([]);

    flags.maintenance = false;
    await page.getByRole("button", { name: t("shell.retry") }).click();
    await expect(page.getByText(t("error.ip_restricted"))).toBeVisible();
    expect(await seriousFaults(page)).toEqual([]);
    flags.regionRestriction = false;
    await page.getByRole("button", { name: t("shell.retry") }).click();
    await expect(page.getByText(t("auth.change_password"))).toBeVisible();
  });

  test(`[A8-14 G8-01] a list that fails to load says why without a toast, and a tap loads it, in ${language}`, async ({
    page,
  }) => {
    await inLanguage(page, language);
    await signIn(page, "maria", "Fiesta2026");
    await expect(page.locator(toasts)).toHaveCount(0);
    const lists = [
      ["/m/transaction/record", "**/api/v1/transactions*"],
      ["/m/slot-games", "**/api/v1/games?*"],
    ] as const;
    for (const [nth, [path, url]] of lists.entries()) {
      await page.route(url, (route) => route.abort());
      await (nth === 0 ? page.goto(path) : goOnTo(page, path));
      const failed = page.getByRole("alert");
      await expect(failed, path).toContainText(t("error.offline"));
      await expect(page.getByRole("status", { name: t("shell.loading") }), path).toHaveCount(0);
      await expect(page.locator(toasts), path).toHaveCount(0);
      expect(await seriousFaults(page)).toEqual([]);
      await page.unroute(url);
      await failed.getByRole("button", { name: t("error.load_failed") }).click();
      await expect(page.getByRole("main").getByRole("listitem").first(), path).toBeVisible();
      await expect(failed, path).toHaveCount(0);
    }
  });

  test(`[G8-02] a screen whose code fails to load keeps its placeholder, and a tap loads it, in ${language}`, async ({
    page,
  }) => {
    await inLanguage(page, language);
    const logged: string[] = [];
    page.on("console", (message) => {
      if (message.type() === "error") logged.push(message.text());
    });
    const code = /\/assets\/settings-screen-[^/]*\.js$/;
    await page.route(code, (route) => route.abort());
    await page.goto("/m/set");
    const again = page.getByRole("button", { name: t("error.load_failed") });
    await expect(again).toBeVisible();
    await expect(page.getByRole("status", { name: t("shell.loading") })).toBeVisible();
    expect(logged.some((text) => text.includes("a screen cannot be shown"))).toBe(true);
    await page.unroute(code);
    await again.click();
    await expect(page.getByText(t("auth.change_password"))).toBeVisible();
  });
}

test("a call that the closed site refuses closes the open page", async ({ page }) => {
  await signIn(page, "maria", "Fiesta2026");
  await page.goto("/m/help");
  await atRest(page);
  await withStatus(page, (status) => {
    status.regionRestriction = true;
  });
  await page.route("**/api/v1/transactions*", (route) =>
    route.fulfill({
      status: 403,
      contentType: "application/problem+json",
      json: { code: "region_restricted", status: 403, detail: "closed" },
    }),
  );
  await visit(page, "/m/transaction/record");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(ty("error.denied_title"));
});

test("[A2.7-01 A2.7-02 A2.7-03] the settings lead to the change of password and sign the player out", async ({
  page,
}) => {
  await page.goto("/m/set");
  const change = page.getByRole("link", { name: ty("auth.change_password") });
  // No other link leads away from here.
  await expect(page.getByRole("main").getByRole("link")).toHaveText([ty("auth.change_password")]);
  await expect(page.getByRole("button", { name: ty("member.sign_out") })).toHaveCount(0);
  await change.click();
  await expect(page).toHaveURL(/\/m\/login$/);
  await signIn(page, "maria", "Fiesta2026");
  await page.goto("/m/set");
  await change.click();
  await expect(page).toHaveURL(/\/m\/changePsw$/);
  await visit(page, "/m/set");
  await page.getByRole("button", { name: ty("member.sign_out") }).click();
  const sure = page.getByRole("alertdialog");
  await expect(sure).toContainText(ty("member.in_sure_logout"));
  await sure.getByRole("button", { name: ty("member.sign_out") }).click();
  await expect(page).toHaveURL(/\/m\/home$/);
  await expect(page.getByRole("button", { name: ty("auth.login"), exact: true })).toBeVisible();
});

test("[G8-01] home says that its promotions failed to load, and shows no ticker when the notices failed too", async ({
  page,
}) => {
  // The data in the page itself is in the brand's own language.
  await inLanguage(page, "EN");
  const url = "**/api/v1/announcements?*";
  await page.route(url, (route) => route.fulfill({ status: 500, body: "{}" }));
  await page.goto("/m/home");
  const promotions = page.getByRole("region", { name: en("activity.title"), exact: true });
  await promotions.scrollIntoViewIfNeeded();
  await expect(promotions.getByRole("alert")).toBeVisible();
  await expect(page.getByRole("region", { name: en("home.announcements") })).toHaveCount(0);
  await expect(page.locator(toasts)).toHaveCount(0);
  await page.unroute(url);
  await promotions.getByRole("button", { name: en("error.load_failed") }).click();
  await expect(promotions.getByRole("link", { name: /₱77/ }).first()).toBeVisible();
});
