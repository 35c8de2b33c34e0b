import AxeBuilder from "@axe-core/playwright";
import { expect, type Page, test } from "@playwright/test";
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
      expect(await serious(page)).toEqual([]);
    });
  }

  test("for a member on every screen", async ({ page }) => {
    await inLanguage(page, "TY");
    await logInAs(page, ty, "maria", "Fiesta2026");
    for (const screen of MEMBER_SCREENS) {
      await page.goto(screen.path);
      await atRest(page);
      await screen.open?.(page, ty);
      expect(await serious(page), screen.name).toEqual([]);
    }
  });
});

/** Serious and critical findings: the rule and where. */
async function serious(page: Page): Promise<string[]> {
  // Fades are over when contrast is judged.
  await page.waitForTimeout(400);
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(" ")}`));
}
