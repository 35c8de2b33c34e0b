import type { Page } from "@playwright/test";
import { TICKS } from "../../packages/games/src/sports.ts";
import { expect, test } from "./journey.ts";
import { type ComingMatch, comingMatches, moveToTick, playsAs } from "./match-clock.ts";
import { freshName } from "./player.ts";
import { inLanguage } from "./screens.ts";
import { newMember, payIn } from "./session.ts";
import { textsOf } from "./texts.ts";

const t = textsOf("en");

test("[G4-07 G1-02] a member bets a single and a multi at odds that moved, cashes one out, and has the other settled and proved", async ({
  page,
}) => {
  test.setTimeout(120_000);
  await inLanguage(page, "EN");
  const [quiet, other] = await comingMatches(2);
  if (quiet === undefined || other === undefined) throw new Error("two matches are planned");
  // The match ends in a draw, and has no goal during the journey.
  await playsAs(quiet, ({ points, score }) => score.home === score.away && !points[0]);
  await newMember(page, freshName());
  await payIn(page, 500);

  await page.goto("/m/sport-games");
  await page.getByRole("main").getByText("Laro Football").first().click();
  await page
    .getByRole("dialog", { name: "Laro Football" })
    .getByRole("button", { name: t("games.play") })
    .click();
  await expect(page).toHaveURL(/\/m\/sportsLobby\?sport=football/);

  const slip = page.getByTestId("slip");
  const draw = match(page, quiet).getByTestId("odds").nth(1);
  await draw.click();
  await page.getByRole("button", { name: new RegExp(t("sports.slip")) }).click();
  await slip.getByRole("button", { name: "20", exact: true }).click();
  await slip.getByRole("button", { name: t("sports.place", { amount: "₱20.00" }) }).click();
  await expect(slip).toBeHidden();
  await expect(page.getByTestId("balance")).toContainText("₱480.00");

  await draw.click();
  await match(page, other).getByTestId("odds").first().click();
  await page.getByRole("button", { name: new RegExp(t("sports.slip")) }).click();
  await expect(slip.getByRole("radio", { name: t("sports.multi") })).toBeChecked();
  // Without a goal a draw becomes likelier every minute: its odds fall, and the slip asks.
  await moveToTick(quiet, 20);
  await expect(slip.getByText(t("sports.price_changed"))).toBeVisible();
  await slip.getByRole("button", { name: t("sports.accept_prices") }).click();
  await slip.getByRole("checkbox", { name: t("sports.accept_any") }).check();
  await slip.getByRole("button", { name: t("sports.place", { amount: "₱10.00" }) }).click();
  await expect(slip).toBeHidden();
  await expect(match(page, quiet)).toHaveAttribute("data-phase", "live");

  // Use the keyboard: the message about the bet covers the choice for a while.
  await page.getByRole("radio", { name: t("sports.bets") }).press("Space");
  const [multi, single] = [page.getByTestId("bet").first(), page.getByTestId("bet").nth(1)];
  await expect(multi).toContainText(t("sports.multi_bet", { count: "2" }));
  await multi.getByRole("button", { name: /^Cash out ₱/ }).click();
  await page
    .getByRole("alertdialog")
    .getByRole("button", { name: t("sports.cash_out_confirm"), exact: true })
    .click();
  await expect(multi).toHaveAttribute("data-state", "cashed");
  await expect(single).toHaveAttribute("data-state", "placed");

  await moveToTick(quiet, TICKS);
  await expect(single).toHaveAttribute("data-state", "won", { timeout: 20_000 });
  await expect(single).toContainText("0:0");

  await page.getByRole("radio", { name: t("sports.results") }).press("Space");
  const result = page
    .getByTestId("result")
    .filter({ hasText: `${quiet.home} – ${quiet.away}` })
    .first();
  await result.getByText(t("sports.proof"), { exact: true }).click();
  await result.getByRole("button", { name: t("sports.verify") }).click();
  await expect(result.getByTestId("seed-proof")).toHaveText(t("sports.proof_good"));

  await page.goto("/m/gameRecord");
  await page.locator("main li").getByText("Laro Football").first().click();
  await page.getByRole("link", { name: t("sports.see_bets") }).click();
  await expect(page.getByTestId("bet")).toHaveCount(2);
});

/** Both teams may meet again within the hour, also at the other's home; the first is the next. */
function match(page: Page, { home, away }: ComingMatch) {
  const name = new RegExp(`^${home}( \\d+)?, ${away}( \\d+)?$`);
  return page
    .getByTestId("match")
    .filter({ has: page.getByRole("heading", { name }) })
    .first();
}
