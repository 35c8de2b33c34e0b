import { withBrand } from "./brand-status.ts";
import { expect, test } from "./journey.ts";
import { loginDialog, registerDialog } from "./player.ts";
import { goOnTo, visit } from "./screens.ts";
import { textsOf } from "./texts.ts";

test.use({ contextOptions: { reducedMotion: "no-preference" } });

const ty = textsOf("ty");

test.describe("the popups of accounts", () => {
  const OWN = [
    ["/m/login", "auth.login_title"],
    ["/m/register", "auth.register"],
    ["/m/register.html", "auth.register"],
    ["/m/forget", "auth.forgot_title"],
  ] as const;
  test("[A2.2-01 A2.2-02 A2.2-03 A2.2-05 A2.2-06 G2.5-17] each opens over home at its path, and closing removes it; the change of password needs a session to open", async ({
    page,
  }) => {
    await page.goto("/m/slot-games");
    for (const [path, title] of OWN) {
      expect((await page.request.get(path)).status(), path).toBe(200);
      await goOnTo(page, path);
      const dialog = page.getByRole("dialog", { name: ty(title), exact: true });
      await expect(dialog).toBeVisible();
      await expect(page.locator("body")).toHaveClass(/popup-on/);
      await expect(page.locator("h2", { hasText: ty("games.hot") })).toBeVisible();
      await dialog.getByRole("button", { name: ty("shell.close") }).click();
      await expect(dialog).toBeHidden();
      await expect(page).toHaveURL(/\/m\/home$/);
      await expect(page.locator("body")).not.toHaveClass(/popup-on/);
      await page.goBack();
      await expect(page).toHaveURL(/\/m\/slot-games$/);
      await expect(page.getByRole("heading", { level: 1 })).toHaveText(ty("type.RNG"));
      await expect(page.getByRole("dialog")).toBeHidden();
    }
    await page.goto("/m/changePsw");
    await expect(page).toHaveURL(/\/m\/home$/);
    await expect(page.getByRole("dialog")).toBeHidden();
  });

  test("[A9-08] a popup over home, a sheet and a small popup fade in 200 ms and zoom in 300 ms", async ({
    page,
  }) => {
    await page.addInitScript(() => {
      Object.assign(window, { begun: [] });
      document.addEventListener("transitionrun", ({ target, propertyName }) => {
        if (!(target instanceof HTMLElement) || target.role !== "dialog") return;
        for (const one of target.getAnimations()) {
          if (!(one instanceof CSSTransition) || one.transitionProperty !== propertyName) continue;
          if (!(one.effect instanceof KeyframeEffect)) continue;
          const { duration } = one.effect.getTiming();
          const from = one.effect.getKeyframes()[0]?.[propertyName];
          Reflect.get(window, "begun").push([propertyName, duration, String(from)]);
        }
      });
    });
    const begun = () => page.evaluate(() => Reflect.get(window, "begun").sort());
    const fades = ["opacity", 200, "0"];
    const zooms = [
      "transform",
      300,
      expect.stringMatching(/scale\(0\.92\)|matrix\(0\.92, 0, 0, 0\.92/),
    ];
    const opened = async (name: string) => {
      await expect(page.getByRole("dialog", { name, exact: true })).toBeVisible();
      await expect.poll(begun, name).toEqual([fades, zooms]);
    };
    const gone = async () => {
      await expect(page.getByRole("dialog")).toHaveCount(0);
      await page.evaluate(() => Reflect.set(window, "begun", []));
    };
    await withBrand(page, (info) => {
      const reached = { csType: "CS", csPosition: "home", type: "1", path: null };
      info.customerService = [{ ...reached, title: "Care", url: "https://care.example/" }];
    });
    await page.goto("/m/home");
    // Content that loads below would move the button away from under the pointer.
    await expect(page.getByRole("complementary", { name: ty("app.title") })).toBeVisible();
    await page.getByRole("button", { name: ty("auth.services") }).hover();
    await opened(ty("auth.services"));
    await page.mouse.move(0, 0);
    await gone();
    await visit(page, "/m/home?pop=language");
    await opened(ty("shell.language"));
    await page.keyboard.press("Escape");
    await gone();
    await visit(page, "/m/login");
    await opened(ty("auth.login_title"));
  });

  test("[A2.2-07 A2.3-04 A2.3-06] the log-in fades in 200 ms and zooms in 300 ms, and opening a popup closes the others", async ({
    page,
  }) => {
    await page.goto("/m/login");
    const style = await loginDialog(page, ty).evaluate((dialog) => {
      const { transitionProperty, transitionDuration } = getComputedStyle(dialog);
      return { transitionProperty, transitionDuration };
    });
    expect(style).toEqual({
      transitionProperty: "transform, opacity",
      transitionDuration: "0.3s, 0.2s",
    });
    const open = page.getByRole("dialog");
    await page.getByRole("button", { name: ty("auth.forgot") }).click();
    await expect(page.getByRole("dialog", { name: ty("auth.forgot_title") })).toBeVisible();
    await expect(open).toHaveCount(1);
    await expect(page).toHaveURL(/\/m\/forget$/);
    await visit(page, "/m/login");
    await page.getByRole("button", { name: ty("auth.create_account") }).click();
    await expect(registerDialog(page, ty)).toBeVisible();
    await expect(open).toHaveCount(1);
    await registerDialog(page, ty)
      .getByRole("button", { name: ty("auth.login") })
      .click();
    await expect(loginDialog(page, ty)).toBeVisible();
    await expect(open).toHaveCount(1);
  });

  test("a popup keeps the focus inside, gives it back, and Back closes it", async ({ page }) => {
    await page.goto("/m/home");
    const opener = page.getByRole("button", { name: ty("auth.login"), exact: true });
    await opener.focus();
    await page.keyboard.press("Enter");
    await expect(loginDialog(page, ty)).toBeVisible();
    for (let i = 0; i < 14; i++) {
      await page.keyboard.press("Tab");
      // The guards at both ends of a popup move the focus into it a moment later.
      const inside = () =>
        page.evaluate(() => document.activeElement?.closest('[role="dialog"]') !== null);
      await expect.poll(inside, { message: `after ${i + 1} tabs` }).toBe(true);
    }
    await loginDialog(page, ty)
      .getByRole("button", { name: ty("auth.create_account") })
      .click();
    await expect(registerDialog(page, ty)).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toBeHidden();
    await expect(opener).toBeFocused();
    await opener.click();
    await expect(loginDialog(page, ty)).toBeVisible();
    await page.goBack();
    await expect(page.getByRole("dialog")).toBeHidden();
    await expect(page).toHaveURL(/\/m\/home$/);
  });
});
