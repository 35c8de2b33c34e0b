import { expect, test } from "@playwright/test";
import { seriousFaults } from "./axe.ts";
import { atRest, inLanguage, logInAs, MEMBER_SCREENS, VISITOR_SCREENS } from "./screens.ts";
import { textsOf } from "./texts.ts";

test.use({ baseURL: process.env.PERYA_URL ?? "" });

const ty = textsOf("ty");

test.describe("axe finds nothing serious", () => {
  for (const screen of VISITOR_SCREENS) {
    test(`for a visitor on ${screen.name}`, async ({ page }) => {
      await page.goto(screen.path);
      await atRest(page);
      await screen.open?.(page, ty);
      expect(await seriousFaults(page)).toEqual([]);
    });
  }

  test("for a member on every screen", async ({ page }) => {
    await inLanguage(page, "TY");
    await logInAs(page, ty, "maria", "Fiesta2026");
    for (const screen of MEMBER_SCREENS) {
      await page.goto(screen.path);
      await atRest(page);
      await screen.open?.(page, ty);
      expect(await seriousFaults(page), screen.name).toEqual([]);
    }
  });
});
