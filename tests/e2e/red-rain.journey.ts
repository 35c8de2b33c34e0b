import { expect, test } from "./journey.ts";
import { freshName, shownBalance } from "./player.ts";
import { endRain, nextRainIn } from "./rain-clock.ts";
import { goOnTo, inLanguage } from "./screens.ts";
import { newMember, verifyNumber } from "./session.ts";
import { textsOf } from "./texts.ts";

const t = textsOf("en");

test.beforeEach(({ page }) => inLanguage(page, "EN"));

test("[G2.1-24] a member waits for a rain, catches packets by finger and by key, and has them in balance, record and history", async ({
  page,
}) => {
  const name = freshName();
  await newMember(page, name);
  await verifyNumber(name);
  const rain = await nextRainIn(60);
  await page.goto("/m/redRain");
  const stage = page.getByTestId("red-rain");
  await expect(stage).toHaveAttribute("data-phase", "before");
  await expect(stage.getByRole("timer")).toHaveText(/^(1:00|0:\d\d)$/);
  // It is the same rain; even if the page is slow, the rain falls next.
  expect(await nextRainIn(3)).toBe(rain);
  // The server answers the same for a whole second: a reload within it finds the rain unchanged.
  await expect(async () => {
    await page.reload();
    await expect(stage).toHaveAttribute("data-phase", "falling", { timeout: 6_000 });
  }).toPass();

  const status = page.getByRole("main").getByRole("status");
  await expect(status).toHaveText(t("rain.hint"));
  await stage.getByRole("button", { name: t("rain.packet", { number: "5" }) }).click();
  await expect(status).toHaveText(/^You caught ₱\d+\.\d\d$/);
  const mine = page.getByTestId("mine");
  await expect(mine).toContainText("₱");
  // The count on the same button changes, and the button keeps the focus.
  await page.getByRole("button", { name: t("rain.catch", { caught: "1", of: "3" }) }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: t("rain.catch", { caught: "2", of: "3" }) }).waitFor();
  await page.keyboard.press("Enter");
  await expect(stage).toContainText("You caught all 3 of yours");
  await expect(
    page.getByRole("button", { name: t("rain.catch", { caught: "3", of: "3" }) }),
  ).toBeDisabled();
  const caught = (await mine.innerText()).match(/\d+\.\d\d/g) ?? [];
  expect(caught).toHaveLength(3);
  const sum = caught.reduce((all, one) => all + Math.round(Number(one) * 100), 0);
  await expect.poll(() => shownBalance(page)).toBe(sum);

  await endRain(rain);
  await expect(stage).toHaveAttribute("data-phase", "before", { timeout: 15_000 });
  const past = page.getByTestId("past-rain").first();
  for (const amount of caught) await expect(past).toContainText(amount);
  await expect(past.getByRole("listitem").first()).toContainText(
    `${name.slice(0, 1)}***${name.slice(-1)}`,
  );

  await goOnTo(page, "/m/transaction/record?tab=bonus");
  const rows = page.getByRole("main").getByRole("listitem");
  await expect(rows).toHaveCount(3);
  for (const [i, amount] of caught.toReversed().entries()) {
    await expect(rows.nth(i)).toContainText(t("records.entry_red_packet"));
    await expect(rows.nth(i)).toContainText(`+₱${amount}`);
  }
});
