import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";

/** Serious and critical findings of axe on the page as it stands: the rule and where. */
export async function seriousFaults(page: Page): Promise<string[]> {
  // Fades are over when contrast is judged.
  await page.waitForTimeout(400);
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(" ")}`));
}
