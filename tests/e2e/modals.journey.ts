import type { Page } from "@playwright/test";
import { seriousFaults } from "./axe.ts";
import { withBrand, withEverything } from "./brand-status.ts";
import { expect, test } from "./journey.ts";
import { inLanguage, visit } from "./screens.ts";
import { signIn } from "./session.ts";
import { textsOf } from "./texts.ts";

const t = textsOf("en");
const PASSWORD = "Fiesta2026";
const SOCIAL = [
  { resourceType: "FACEBOOK", url: "https://facebook.example/perya" },
  { resourceType: "TELEGRAM", url: "https://t.me/perya_demo" },
];

test.beforeEach(({ page }) => inLanguage(page, "EN"));

/** The dialog opens over the page, marks the body, passes axe, closes by its button and reopens. */
async function opensAndCloses(page: Page, title: string, open: () => Promise<void>): Promise<void> {
  const dialog = page.getByRole("dialog", { name: title, exact: true });
  const body = page.locator("body");
  await open();
  await expect(dialog).toBeVisible();
  await expect(body).toHaveClass(/popup-on/);
  expect(await seriousFaults(page), title).toEqual([]);
  await dialog.getByRole("button", { name: t("shell.close") }).click();
  await expect(dialog).toBeHidden();
  await expect(body).not.toHaveClass(/popup-on/);
  await open();
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
}

/** Opens a dialog from the side menu, by the name of its entry. */
async function fromMenu(page: Page, entry: string): Promise<void> {
  await visit(page, "/m/help?pop=menu");
  await page
    .getByRole("dialog", { name: t("shell.menu") })
    .getByRole("link", { name: entry, exact: true })
    .click();
}

test("[G2.5-17] providers, the app and the social pages open from the side menu and close again", async ({
  page,
}) => {
  await withBrand(page, (info) => {
    info.resources = SOCIAL;
  });
  await page.goto("/m/help");
  for (const title of [t("games.providers"), t("app.title"), "Facebook", "Telegram"]) {
    await opensAndCloses(page, title, () => fromMenu(page, title));
  }
  await visit(page, "/m/help?pop=facebook");
  await expect(
    page.getByRole("link", { name: t("social.open", { name: "Facebook" }) }),
  ).toHaveAttribute("href", SOCIAL[0]?.url ?? "");
  await visit(page, "/m/help?pop=providers");
  const list = page.getByRole("dialog", { name: t("games.providers") });
  await list
    .getByRole("region", { name: t("type.RNG") })
    .getByRole("link")
    .first()
    .click();
  await expect(page).toHaveURL(/\/m\/slot-games\?vassalage=/);
  await expect(list).toBeHidden();
});

test("[G2.5-17] the filter of games opens over their list and closes again, and a social network without a page of the brand says so", async ({
  page,
}) => {
  await page.goto("/m/slot-games");
  await opensAndCloses(page, t("games.filter"), () =>
    page.getByRole("button", { name: t("games.filter") }).click(),
  );
  await visit(page, "/m/slot-games?pop=telegram");
  const popup = page.getByRole("dialog", { name: "Telegram" });
  await expect(
    popup.getByText(t("social.none", { brand: "Perya", name: "Telegram" })),
  ).toBeVisible();
});

const ENTRIES: readonly [key: string, text: string, path: string][] = [
  ["VIPBENEFIT", "shell.vip", "/m/member/benefits"],
  ["TRANSBETREPMEM3", "records.games", "/m/gameRecord"],
  ["TRANSREC3", "records.transactions", "/m/transaction/record"],
  ["PERSREP", "screen.pnl", "/m/profitandloss"],
  ["REWCEN3", "shell.rewards", "/m/rewardCenter"],
  ["PTSYS3", "screen.mall", "/m/mall/mallHome"],
  ["SECPRIV", "security.title", "/m/securityCenter"],
];

/** Switches every entry of the player's menu on, or off. */
function atBrand(page: Page, on: boolean): Promise<void> {
  return withBrand(page, (info) => {
    for (const [key] of ENTRIES) info.whitelabel[key] = on;
    info.whitelabel.DEPOSIT = on;
    info.promoAvailability.VIPBENEFIT = { enabled: on };
  });
}

test("[G2.5-17 A2.8-14 A2.8-15 A2.8-16] the player's menu lies at the right, with the entries that the brand has on", async ({
  page,
}) => {
  await signIn(page, "maria", PASSWORD);
  await atBrand(page, true);
  await page.goto("/m/home");
  const pill = page.locator("header").getByRole("link", { name: /Maria/ });
  await opensAndCloses(page, t("member.menu"), () => pill.click());
  await pill.click();
  const menu = page.getByRole("dialog", { name: t("member.menu") });
  const { x = 0, width = 0 } = (await menu.boundingBox()) ?? {};
  expect(Math.round(x + width)).toBe(390);
  for (const [, text, path] of ENTRIES) {
    const entry = menu.getByRole("link", { name: t(text), exact: true });
    await expect(entry).toHaveAttribute("href", path);
  }
  await menu.getByRole("button", { name: t("member.sign_out") }).click();
  const question = page.getByRole("alertdialog");
  await question.getByRole("button", { name: t("shell.cancel") }).click();
  await pill.click();
  await menu.getByRole("button", { name: t("cashier.deposit") }).click();
  await expect(page).toHaveURL(/\/m\/voucherCenter$/);

  await page.unrouteAll({ behavior: "wait" });
  await atBrand(page, false);
  await page.goto("/m/help?pop=member");
  const mine = menu.getByRole("link", { name: t("member.account") });
  await expect(mine).toBeVisible();
  await expect(menu.getByRole("navigation").getByRole("link")).toHaveCount(1);
  await expect(menu.getByRole("button", { name: t("cashier.deposit") })).toHaveCount(0);
});

test("[G2.5-17] the agent's menu opens for agents, and leads to the agent's screens", async ({
  page,
}) => {
  await withEverything(page);
  await signIn(page, "linda", PASSWORD);
  await page.goto("/m/help");
  await opensAndCloses(page, t("screen.agent"), () => fromMenu(page, t("screen.agent")));
  await fromMenu(page, t("screen.agent"));
  await page
    .getByRole("dialog", { name: t("screen.agent") })
    .getByRole("link", { name: t("screen.team_overview") })
    .click();
  await expect(page).toHaveURL(/\/m\/agent\/team\/overview$/);
  await signIn(page, "bea", PASSWORD);
  await page.goto("/m/help?pop=agent");
  const menu = page.getByRole("dialog", { name: t("screen.agent") });
  await expect(menu.getByRole("heading", { name: t("shell.unavailable") })).toBeVisible();
});
