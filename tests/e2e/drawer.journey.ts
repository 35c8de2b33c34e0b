import type { Locator, Page } from "@playwright/test";
import { seriousFaults } from "./axe.ts";
import { withBrand, withEverything } from "./brand-status.ts";
import { expect, test } from "./journey.ts";
import { inLanguage, visit } from "./screens.ts";
import { signIn } from "./session.ts";
import { textsOf } from "./texts.ts";

const t = textsOf("en");
const PASSWORD = "Fiesta2026";
const MENU = "/m/help?pop=menu";
const TELEGRAM = "https://t.me/perya_demo";

test.beforeEach(({ page }) => inLanguage(page, "EN"));

/** Loads the lightest screen with the menu over it. */
async function openMenu(page: Page): Promise<Locator> {
  await page.goto(MENU);
  return menuOf(page);
}

/** Opens the menu by the button of home, which is on the screen. */
async function tapMenu(page: Page): Promise<Locator> {
  await page.getByRole("button", { name: t("shell.menu"), exact: true }).click();
  return menuOf(page);
}

async function menuOf(page: Page): Promise<Locator> {
  const menu = page.getByRole("dialog", { name: t("shell.menu") });
  await expect(menu.getByRole("link", { name: t("help.faq") })).toBeVisible();
  return menu;
}

/** Gives the brand customer-service contacts whose addresses are not encrypted. */
function withContacts(page: Page): Promise<void> {
  const contact = (title: string, csType: string, url: string) => ({
    ...{ title, csType, csPosition: "MENU", type: "1", url, path: null },
  });
  return withBrand(page, (info) => {
    info.customerService = [
      contact("Ate Telly", "TELEGRAM", TELEGRAM),
      contact("Kuya Chat", "MIDUOKE", "https://chat.example/perya"),
      contact("Whats", "WHATSAPP", "https://wa.example/perya"),
    ];
  });
}

test("[G2.5-01 G2.5-02] the menu lies at the left over a mask, and closes by the mask, by Back and by any link in it", async ({
  page,
}) => {
  await page.goto("/m/home");
  const menu = await tapMenu(page);
  const box = await menu.boundingBox();
  expect(box?.x).toBe(0);
  expect(box?.width).toBeLessThan(390 - 44);
  await page.mouse.click(380, 400);
  await expect(menu).toBeHidden();
  await expect(page).toHaveURL(/\/m\/home$/);
  await tapMenu(page);
  await page.goBack();
  await expect(menu).toBeHidden();
  await tapMenu(page);
  await menu.getByRole("link", { name: t("member.settings") }).click();
  await expect(page).toHaveURL(/\/m\/set$/);
  await expect(menu).toBeHidden();
  await page.goBack();
  await expect(page).toHaveURL(/\/m\/home$/);
  await expect(menu).toBeHidden();
});

test("[G2.5-03 G2.5-09 G2.5-16] the menu lists the categories in the server's order, invites by a panel, and signs a player out", async ({
  page,
}) => {
  const { value } = await (await page.request.get("/api/v1/vendors")).json();
  const order = value.content.map(({ gameCategory }: { gameCategory: string }) =>
    t(`type.${gameCategory}`),
  );
  const menu = await openMenu(page);
  const first = menu.getByRole("list").first().getByRole("link");
  await expect(first).toHaveText([
    t("games.hot"),
    ...order,
    t("games.favourites"),
    t("games.recent"),
  ]);
  const out = menu.getByRole("button", { name: t("member.sign_out") });
  await expect(out).toHaveCount(0);

  // A guest sees what the invitation is for, a player sees their own code.
  const panel = page.getByRole("dialog", { name: t("invite.title") });
  await menu.getByRole("link", { name: t("invite.title") }).click();
  await expect(panel.getByRole("link", { name: t("auth.register") })).toBeVisible();
  expect(await seriousFaults(page)).toEqual([]);
  await signIn(page, "bea", PASSWORD);
  await openMenu(page);
  await menu.getByRole("link", { name: t("invite.title") }).click();
  await expect(panel.getByText(/^[A-HJ-NP-Z2-9]{8}$/)).toBeVisible();
  expect(await seriousFaults(page)).toEqual([]);
  await panel.getByRole("button", { name: t("shell.close") }).click();
  await expect(panel).toBeHidden();
  await expect(page).toHaveURL(/\/m\/help$/);

  await visit(page, MENU);
  await out.click();
  await expect(page.getByRole("alertdialog")).toBeVisible();
});

test("[G2.5-04 G2.5-05 G2.5-06 G2.5-07 G2.5-15] an entry disappears when its permission key is off; events and questions stay", async ({
  page,
}) => {
  const entries: readonly [key: string, text: string, path: string][] = [
    ["TRANSBETREPMEM3", "records.games", "/m/gameRecord"],
    ["MANPLAYREB3", "shell.rebate", "/m/member/manualRebate"],
    ["REWCEN3", "shell.rewards", "/m/rewardCenter"],
  ];
  await signIn(page, "bea", PASSWORD);
  await withEverything(page);
  const menu = await openMenu(page);
  for (const [, text, path] of entries) {
    const entry = menu.getByRole("link", { name: t(text), exact: true });
    await expect(entry).toHaveAttribute("href", path);
  }
  for (const [key, text] of entries) {
    await page.unrouteAll({ behavior: "wait" });
    await withBrand(page, (info) => {
      info.whitelabel[key] = false;
    });
    await openMenu(page);
    await expect(menu.getByRole("link", { name: t(text), exact: true })).toHaveCount(0);
    const events = menu.getByRole("link", { name: t("activity.title") });
    await expect(events).toHaveAttribute("href", "/m/activity");
    const questions = menu.getByRole("link", { name: t("help.faq") });
    await expect(questions).toHaveAttribute("href", "/m/help?tag=faq");
  }
});

test("[G2.5-11 G2.5-12 G2.5-13 G2.5-14 G7-18] languages, servers, the app and customer service open from the menu, in the app's shell through its bridge", async ({
  page,
  browser,
}) => {
  await page.context().route(`${TELEGRAM}*`, (route) => route.fulfill({ body: "outside" }));
  await withContacts(page);
  const menu = await openMenu(page);
  for (const popup of ["shell.language", "speed.title", "app.title"]) {
    await menu.getByRole("link", { name: t(popup) }).click();
    const dialog = page.getByRole("dialog", { name: t(popup) });
    await expect(dialog).toBeVisible();
    await dialog.getByRole("button", { name: t("shell.close") }).click();
    await expect(dialog).toBeHidden();
    await visit(page, MENU);
    await menuOf(page);
  }
  // Only the two services are listed, by their titles.
  const telegram = menu.getByRole("link", { name: "Ate Telly" });
  await expect(telegram).toHaveAttribute("href", TELEGRAM);
  await expect(telegram).toHaveAttribute("rel", /noopener/);
  await expect(menu.getByRole("link", { name: "Kuya Chat" })).toBeVisible();
  await expect(menu.getByRole("link", { name: "Whats" })).toHaveCount(0);
  const opened = page.waitForEvent("popup");
  await telegram.click();
  const outside = await opened;
  expect(outside.url()).toBe(TELEGRAM);
  expect(await outside.evaluate(() => window.opener)).toBeNull();

  const userAgent = `${await page.evaluate(() => navigator.userAgent)} PeryaApp/1.0`;
  const app = await browser.newContext({ userAgent, viewport: { width: 390, height: 844 } });
  const inside = await app.newPage();
  await inLanguage(inside, "EN");
  await inside.addInitScript(() => {
    const openInBrowser = (url: string) => document.documentElement.setAttribute("data-out", url);
    Object.assign(window, { PeryaAndroid: { openInBrowser } });
  });
  await withContacts(inside);
  const menuInside = await openMenu(inside);
  await expect(menuInside.getByRole("link", { name: t("speed.title") })).toBeVisible();
  await expect(menuInside.getByRole("link", { name: t("app.title") })).toHaveCount(0);
  await menuInside.getByRole("link", { name: "Ate Telly" }).click();
  await expect(inside.locator("html")).toHaveAttribute("data-out", TELEGRAM);
  expect(app.pages()).toHaveLength(1);
  await app.close();
});
