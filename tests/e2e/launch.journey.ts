import type { FrameLocator, Page } from "@playwright/test";
import { seriousFaults } from "./axe.ts";
import { expect, test } from "./journey.ts";
import { fillPassword, freshName, loginDialog, PASSWORD, shownBalance } from "./player.ts";
import { atRest, inLanguage, visit } from "./screens.ts";
import { newMember, payIn, register } from "./session.ts";
import { textsOf } from "./texts.ts";

const t = textsOf("en");
const ty = textsOf("ty");

interface ListedGame {
  readonly nodeId: number;
  readonly displayName: string;
  readonly vassalage: string;
  readonly vendorName: string;
  readonly status: string;
}

test.beforeEach(({ page }) => inLanguage(page, "EN"));

test("[G4-01 G6-02] a guest who launches a game logs in first, and is in the game after the log-in", async ({
  page,
}) => {
  const name = freshName();
  await register(page, name);
  const game = await oneOf(page, "PGE");
  await page.goto("/m/help");
  for (const path of [
    `/m/launch/${game.nodeId}`,
    `/m/launch/${(await oneOf(page, "LUN")).nodeId}`,
    // A vendor instead of one of its games, and the screens of our own lotteries and sports.
    "/m/launch?vassalage=AV&gameType=ESPORTS",
    "/m/lottery",
    "/m/sportsLobby",
  ]) {
    await visit(page, path);
    await expect(page).toHaveURL(
      (url) => url.pathname === "/m/login" && url.searchParams.get("next") === path,
    );
  }
  await visit(page, `/m/home?pop=game&id=${game.nodeId}`);
  await page
    .getByRole("dialog", { name: game.displayName })
    .getByRole("button", { name: t("auth.login"), exact: true })
    .click();
  await expect(page).toHaveURL(/\/m\/login\?next=/);
  const login = loginDialog(page, t);
  await login.getByRole("textbox", { name: t("auth.username"), exact: true }).fill(name);
  await fillPassword(page, t, PASSWORD);
  await expect(page).toHaveURL(`/m/launch/${game.nodeId}`);
  await expect(table(page).getByRole("heading", { name: game.displayName })).toBeVisible();
});

test("[G4-07 G1-03 G7-09 G7-11] a member plays at a vendor: balance and records follow, and Back leads to where they were", async ({
  page,
}) => {
  test.setTimeout(90_000);
  await newMember(page, freshName());
  await payIn(page, 500);
  const list = "/m/slot-games?vassalage=PGE";
  await page.goto(list);
  // The page must restore the scroll position without the browser's help.
  await page.evaluate(() => {
    history.scrollRestoration = "manual";
  });
  const tiles = page.getByRole("list", { name: t("games.results") }).getByRole("listitem");
  await expect(tiles).toHaveCount(35);
  await page.getByRole("button", { name: t("shell.load_more") }).click();
  await expect(tiles).not.toHaveCount(35);
  const listed = await tiles.count();
  const last = tiles.nth(listed - 4).getByRole("link");
  await last.scrollIntoViewIfNeeded();
  await atRest(page);
  const place = await page.evaluate(() => scrollY);
  expect(place).toBeGreaterThan(1_000);

  const sent = page.waitForRequest(/\/api\/v1\/games\/launch$/);
  await last.click();
  const sheet = page.getByRole("dialog");
  const heading = sheet.getByRole("heading").first();
  await expect(heading).not.toHaveText(t("games.game"));
  const name = (await heading.innerText()).trim();
  await sheet.getByRole("button", { name: t("games.play"), exact: true }).click();
  const body = (await sent).postDataJSON();
  expect(body).toMatchObject({ gameCategory: "RNG", vendor: "PGE", supportFreePlay: true });
  expect(Object.keys(body).sort()).toEqual(
    ["gameCategory", "gameId", "nodeId", "supportFreePlay", "vendor"].sort(),
  );
  expect(page.url()).not.toMatch(/token/);
  await expect(table(page).getByRole("heading", { name })).toBeVisible();
  for (let spins = 1; spins <= 3; spins++) await spin(page);
  await expect(async () => {
    expect(await shownBalance(page)).toBe(await balanceAtVendor(page));
  }).toPass();

  await page.getByRole("button", { name: t("games.back"), exact: true }).click();
  await expect(page).toHaveURL(`${list}&page=2`);
  await expect(tiles).toHaveCount(listed);
  await expect.poll(() => page.evaluate(() => scrollY)).toBe(place);

  await visit(page, "/m/gameRecord");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(t("records.games"));
  await expect(page.locator("main li")).toHaveCount(3);
  await expect(page.locator("main li").first()).toContainText(name);
  await visit(page, "/m/transaction/record?tab=bet");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(t("records.transactions"));
  await expect(page.locator("main li")).toHaveCount(3);
  await visit(page, "/m/gameList?tab=recent");
  const recent = page.getByRole("list", { name: t("games.recent") }).getByRole("listitem");
  await expect(recent).toHaveCount(1);
  await expect(recent).toContainText(name);
});

test("[A6-03] a free trial starts the games that can be played for free, and is told which need a real account", async ({
  page,
}) => {
  const [free, real] = [await oneOf(page, "PGE"), await oneOf(page, "LUN")];
  await page.goto(`/m/help?pop=game&id=${free.nodeId}`);
  const sheet = page.getByRole("dialog", { name: free.displayName });
  await sheet.getByRole("button", { name: t("auth.trial"), exact: true }).click();
  await expect(page).toHaveURL(`/m/launch/${free.nodeId}`);
  await expect(table(page).getByTestId("balance")).toContainText("F");
  await spin(page);

  const launches: string[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/games/launch")) launches.push(request.url());
  });
  await visit(page, `/m/help?pop=game&id=${real.nodeId}`);
  await page
    .getByRole("dialog", { name: real.displayName })
    .getByRole("button", { name: t("games.play"), exact: true })
    .click();
  await expect(page.getByText(t("error.free_reject"))).toBeVisible();
  expect(launches).toEqual([]);
  await page.goto(`/m/launch/${real.nodeId}`);
  const toast = page.locator("[data-sonner-toast]");
  await expect(toast).toHaveText(t("error.free_reject"));
  await expect(page.getByRole("main").getByText(t("error.free_reject"))).toBeVisible();
  await expect(
    page.getByRole("main").getByRole("button", { name: t("auth.register") }),
  ).toHaveCount(1);
  expect(launches).toHaveLength(1);
  await atRest(page);
  expect(await seriousFaults(page)).toEqual([]);
});

test("a game whose vendor is down says so, also when it is opened by its address", async ({
  page,
}) => {
  await newMember(page, freshName());
  const closed = await oneOf(page, "LWY");
  expect(closed.status).toBe("maintenance");
  await page.goto(`/m/launch/${closed.nodeId}`);
  await expect(page.getByText(t("games.maintenance"), { exact: true })).toBeVisible();
  await expect(page.locator("iframe")).toHaveCount(0);
  await atRest(page);
  expect(await seriousFaults(page)).toEqual([]);
});

test("[G4-06] a game that opens its vendor leads to the vendor's page, and from there to the vendor's lobby", async ({
  page,
}) => {
  await newMember(page, freshName());
  const game = await oneOf(page, "AV");
  await page.goto(`/m/help?pop=game&id=${game.nodeId}`);
  const sheet = page.getByRole("dialog", { name: game.displayName });
  await sheet
    .getByRole("button", { name: t("games.to_vendor", { vendor: game.vendorName }) })
    .click();
  await expect(page).toHaveURL("/m/sport-games?vassalage=AV");
  await page
    .getByRole("list", { name: t("games.results") })
    .getByRole("link")
    .first()
    .click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: t("games.play"), exact: true })
    .click();
  await expect(page).toHaveURL(/\/m\/launch\/\d+$/);
  const games = table(page).getByRole("listitem");
  await games.nth(1).getByRole("button").click();
  await expect(table(page).getByRole("button", { name: "Spin" })).toBeVisible();
  await table(page).getByRole("button", { name: "All games" }).click();
  await expect(games.first()).toBeVisible();
  await page.goBack();
  await expect(page).toHaveURL("/m/sport-games?vassalage=AV");
});

test("the vendor's page is accessible, in both languages, and its token opens once", async ({
  page,
}) => {
  await newMember(page, freshName());
  for (const [language, button] of [
    ["EN", "Spin"],
    ["TY", "Paikutin"],
  ] as const) {
    await inLanguage(page, language);
    const addresses: [vendor: string, url: string][] = [];
    await page.goto("/m/help");
    for (const vendor of ["PGE", "AV"]) {
      const { nodeId } = await oneOf(page, vendor);
      const address = new Promise<string>((found) => {
        void page.route("**/sandbox/vendor/*/play?**", (route) => {
          found(route.request().url());
          return route.abort();
        });
      });
      await visit(page, `/m/launch/${nodeId}`);
      addresses.push([vendor, await address]);
      await page.unrouteAll({ behavior: "wait" });
    }
    for (const [vendor, url] of addresses) {
      await page.goto(url);
      await expect(page.getByTestId("vendor-table")).toBeVisible();
      expect(await seriousFaults(page)).toEqual([]);
      if (vendor === "AV") await page.getByRole("listitem").first().getByRole("button").click();
      await expect(page.getByRole("button", { name: button })).toBeVisible();
      expect(await seriousFaults(page)).toEqual([]);
      expect((await page.request.get(url)).status()).toBe(410);
    }
  }
  expect(ty("games.play")).not.toBe(t("games.play"));
});

/** The first game of a vendor in the list. */
async function oneOf(page: Page, vendor: string): Promise<ListedGame> {
  const answer = await page.request.get(`/api/v1/games?vassalage=${vendor}&pageSize=1`);
  const { value } = await answer.json();
  return value.games[0];
}

function table(page: Page): FrameLocator {
  return page.frameLocator("iframe");
}

async function spin(page: Page): Promise<void> {
  const answered = page.waitForResponse(/\/sandbox\/vendor\/table$/);
  await table(page).getByRole("button", { name: "Spin" }).click();
  expect((await answered).status()).toBe(200);
  await expect(table(page).getByTestId("result")).not.toBeEmpty();
}

async function balanceAtVendor(page: Page): Promise<number> {
  const text = await table(page).getByTestId("balance").innerText();
  return Math.round(Number(text.replace(/[^\d.]/g, "")) * 100);
}
