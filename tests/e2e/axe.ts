import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";

/** Axe judges a toast that closes during its run at full opacity, not half faded. */
const TOASTS_HELD = "[data-sonner-toast] { opacity: 1 !important; transition: none !important; }";

/** Serious and critical findings of axe on the page as it is: the rule and where. */
export async function seriousFaults(page: Page): Promise<string[]> {
  await fadesAreOver(page);
  // Legacy mode runs in the page itself: without frames of another origin the result is the same,
  // and no second page has to be opened.
  const held = await page.addStyleTag({ content: TOASTS_HELD });
  // Passed rules are not listed: that saves half the work on a long page.
  const { violations } = await new AxeBuilder({ page, ...(await sourceOfAxe(page)) })
    .setLegacyMode()
    .options({ resultTypes: ["violations"] })
    .analyze();
  await held.evaluate((style) => style.parentNode?.removeChild(style));
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(" ")}`));
}

/** Axe is half a megabyte, which each run would read twice; a page that has it needs no source. */
async function sourceOfAxe(page: Page): Promise<{ axeSource?: string }> {
  const there = page.frames().map((frame) => frame.evaluate(() => "axe" in window));
  return (await Promise.all(there)).every(Boolean) ? { axeSource: "void 0" } : {};
}

/** Contrast is judged when nothing fades any more; an endless animation is not a fade. */
async function fadesAreOver(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    const fading = () =>
      document.getAnimations().some(({ effect, playState }) => {
        const end = effect?.getComputedTiming().endTime;
        return playState === "running" && end !== Number.POSITIVE_INFINITY;
      });
    // An element that was just opened starts its fade a frame or two later; two seconds are enough.
    for (let frames = 0, still = 0; still < 6 && frames < 120; frames++) {
      await frame();
      still = fading() ? 0 : still + 1;
    }
  });
}
