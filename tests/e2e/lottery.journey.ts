import type { Page } from "@playwright/test";
import { nextDrawIn } from "./draw-clock.ts";
import { expect, test } from "./journey.ts";
import { freshName, shownBalance } from "./player.ts";
import { inLanguage, visit } from "./screens.ts";
import { newMember, payIn, signIn } from "./session.ts";
import { textsOf } from "./texts.ts";

const t = textsOf("en");
/** The password of every account of the demo. */
const PASSWORD = "Fiesta2026";
const QUICK = "/m/lottery?vendor=ELOTT&gameCode=MABILIS_3D&prizeMode=ELOTT&playType=ent";
/** Enough for two lines on a slow machine. */
const DRAW_S = 30;

test.beforeEach(({ page }) => inLanguage(page, "EN"));

test("[G4-02 G1-03] a member launches a lottery from its list and buys a ticket, which is drawn, settled and proved", async ({
  page,
}) => {
  await newMember(page, freshName());
  await payIn(page, 500);
  await nextDrawIn("elott-mabilis-3d", DRAW_S);
  await page.goto("/m/elott");
  await page.getByRole("main").getByText("Mabilis 3D").first().click();
  await page
    .getByRole("dialog", { name: "Mabilis 3D" })
    .getByRole("button", { name: t("games.play") })
    .click();
  await expect(page).toHaveURL(/\/m\/lottery\?.*gameCode=MABILIS_3D/);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Mabilis 3D");
  await expect(page.getByRole("timer")).toHaveText(/^0:[0-3]\d$/);

  for (const digit of [1, 2, 3]) await tap(page, digit);
  await page.getByRole("button", { name: t("lottery.add_line") }).click();
  await page.getByRole("radio", { name: t("lottery.rambol") }).check({ force: true });
  await page.getByRole("button", { name: t("lottery.lucky") }).click();
  await page.getByRole("button", { name: t("lottery.buy", { amount: "₱20.00" }) }).click();
  const confirm = page.getByRole("alertdialog");
  await expect(confirm).toContainText("2 lines");
  await confirm.getByRole("button", { name: t("lottery.confirm"), exact: true }).click();

  const ticket = page.getByTestId("ticket");
  await expect(ticket).toHaveAttribute("data-state", "placed");
  await expect(page.getByTestId("balance")).toContainText("₱480.00");
  await expect(ticket).toHaveAttribute("data-state", /won|lost/, { timeout: 2 * DRAW_S * 1_000 });

  await page.getByRole("radio", { name: t("lottery.results") }).check({ force: true });
  const draw = page.getByTestId("draw").first();
  await draw.getByText(t("lottery.proof"), { exact: true }).click();
  await draw.getByRole("button", { name: t("lottery.verify") }).click();
  await expect(draw.getByTestId("seed-proof")).toHaveText(t("lottery.proof_good"));

  await visit(page, "/m/gameRecord");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(t("records.games"));
  await expect(page.locator("main li").getByText("Mabilis 3D").first()).toBeVisible();
});

test("a ticket whose answer is lost is bought once", async ({ page }) => {
  test.setTimeout(90_000);
  await newMember(page, freshName());
  await payIn(page, 500);
  await page.goto(QUICK);
  for (const digit of [4, 5, 6]) await tap(page, digit);
  let lost = 0;
  await page.route("**/api/v1/lottery/tickets", async (route) => {
    if (route.request().method() !== "POST" || lost > 0) return route.continue();
    lost += 1;
    await route.fetch();
    await route.abort("connectionfailed");
  });
  await page.getByRole("button", { name: t("lottery.buy", { amount: "₱10.00" }) }).click();
  await page
    .getByRole("alertdialog")
    .getByRole("button", { name: t("lottery.confirm"), exact: true })
    .click();
  await expect(page.getByTestId("ticket")).toHaveCount(1);
  expect(lost).toBe(1);
  await page.goto("/m/home");
  await expect.poll(() => shownBalance(page)).toBe(490_00);
});

test("[G7-12 G7-13 G3-08] menus are stored under their names, and the winner board is sorted from high to low", async ({
  page,
}) => {
  await signIn(page, "bea", PASSWORD);
  await page.goto("/m/lottery?vendor=LOTT&gameCode=lobby&prizeMode=ELOTT&playType=trad");
  const cards = page.getByTestId("lottery-card");
  await expect(cards.filter({ hasText: "Suwerte 3D" })).toBeVisible();
  await expect(cards.filter({ hasText: "Mabilis 3D" })).toHaveCount(0);
  for (const [menu, name] of [
    ["lottery.ent", "Mabilis 6/49"],
    ["lottery.vietnam", "Hilaga 3D"],
    ["lottery.sea", "Silangan 3D"],
  ] as const) {
    await page.getByRole("radio", { name: t(menu) }).check({ force: true });
    await expect(cards.filter({ hasText: name })).toBeVisible();
  }
  const kept = await page.evaluate(() =>
    ["lottList", "elottList", "getGameLotts"].map((name) => localStorage.getItem(name) ?? ""),
  );
  expect(kept.map((text) => JSON.parse(text).data.prizeMode)).toEqual(["LOTT", "ELOTT", "SEA"]);

  const amounts: number[] = [];
  await page.route("**/api/v1/lottery/winners", async (route) => {
    const response = await route.fetch();
    const json = await response.json();
    amounts.splice(0, 99, ...json.value.list.map(({ vo }: Prize) => Number(vo.winAmount.minor)));
    json.value.list.reverse();
    await route.fulfill({ response, json });
  });
  await page.reload();
  const rows = page.getByTestId("winner-board").getByRole("listitem");
  await expect(rows).not.toHaveCount(0);
  expect(new Set(amounts).size).toBeGreaterThan(1);
  expect(amounts).toEqual([...amounts].sort((a, b) => b - a));
  const shown = (await rows.allInnerTexts()).map((row) => /₱([\d,]+\.\d\d)/.exec(row)?.[1] ?? "");
  expect(shown.map((amount) => Number(amount.replace(/[,.]/g, "")))).toEqual(
    amounts.slice(0, shown.length),
  );
});

interface Prize {
  vo: { winAmount: { minor: string } };
}

function tap(page: Page, digit: number): Promise<void> {
  return page
    .getByRole("button", { name: t("lottery.number", { number: `${digit}` }), exact: true })
    .click();
}
