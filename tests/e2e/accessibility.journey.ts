import { expect, type Page, test } from "@playwright/test";
import { seriousFaults } from "./axe.ts";
import { atRest, inLanguage, MEMBER_SCREENS, VISITOR_SCREENS } from "./screens.ts";
import { signIn } from "./session.ts";
import { textsOf } from "./texts.ts";

const ty = textsOf("ty");

test.describe("axe finds nothing serious", () => {
  // One after another in one browser window each: the app is then fetched and compiled once.
  test.describe("for a visitor", () => {
    let page: Page;
    test.beforeAll(async ({ browser }) => {
      page = await browser.newPage();
    });
    test.afterAll(() => page.close());
    for (const screen of VISITOR_SCREENS) {
      test(`on ${screen.name}`, async () => {
        await page.goto(screen.path);
        await atRest(page);
        await screen.open?.(page, ty);
        expect(await seriousFaults(page)).toEqual([]);
      });
    }
  });

  test.describe("for a member", () => {
    let page: Page;
    test.beforeAll(async ({ browser }) => {
      page = await browser.newPage();
      await inLanguage(page, "TY");
      await signIn(page, "maria", "Fiesta2026");
    });
    test.afterAll(() => page.close());
    for (const screen of MEMBER_SCREENS) {
      test(`on ${screen.name}`, async () => {
        await page.goto(screen.path);
        await atRest(page);
        await screen.open?.(page, ty);
        expect(await seriousFaults(page)).toEqual([]);
      });
    }
  });
});
