import type { Page } from "@playwright/test";
import { seriousFaults } from "./axe.ts";
import { expect, test } from "./journey.ts";
import { freshName, loginDialog } from "./player.ts";
import { atRest, goOnTo, inLanguage, visit } from "./screens.ts";
import { newMember } from "./session.ts";
import { textsOf } from "./texts.ts";

const t = textsOf("en");
const star = (page: Page, game: string) =>
  page
    .getByRole("main")
    .getByRole("button", { name: t("games.keep", { game }), exact: true })
    .first();

/** Waits until the server has the change: leaving the page before would take it back. */
const answered = (page: Page, method: "POST" | "DELETE") =>
  page.waitForResponse(
    (response) =>
      response.url().endsWith("/member/favourites") && response.request().method() === method,
  );

test.beforeEach(({ page }) => inLanguage(page, "EN"));

test("[G6-01 G2.7-24 G2.8-19 G6-02] a guest who opens favourites, recents, or a lottery or sports vendor logs in first", async ({
  page,
}) => {
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  const login = loginDialog(page, t);
  await page.goto("/m/help");
  for (const path of ["/m/fav-games", "/m/gameList?tab=recent", "/m/gameList?tab=fav"]) {
    await visit(page, path);
    await expect(page, path).toHaveURL(new RegExp(`/m/login\\?next=${encodeURIComponent(path)}`));
    await expect(login).toBeVisible();
  }
  await goOnTo(page, "/m/slot-games");
  await star(page, "Parol Fortune").click();
  await expect(page).toHaveURL(/\/m\/login\?/);
  for (const entry of ["games.favourites", "games.recent"]) {
    await visit(page, "/m/help?pop=menu");
    await expect(login).toBeHidden();
    await page
      .getByRole("dialog", { name: t("shell.menu") })
      .getByRole("link", { name: t(entry), exact: true })
      .click();
    await expect(login).toBeVisible();
  }
  for (const [category, list] of [
    ["SPORTS", "/m/sport-games"],
    ["ESPORTS", "/m/gameList?gameType=ESPORTS"],
    ["LOTT", "/m/lott"],
    ["ELOTT", "/m/elott"],
  ] as const) {
    await visit(page, `/m/home?cat=${category}`);
    await expect(login).toBeHidden();
    const type = t(`type.${category}`);
    const vendors = page.getByRole("list", { name: t("games.providers_of", { type }) });
    await vendors.getByRole("link").first().click();
    await expect(login).toBeVisible();
    await expect(page).toHaveURL(/\/m\/home\?/);
    await goOnTo(page, list);
    await expect(login).toBeHidden();
    const chips = page.getByRole("radiogroup", { name: t("games.providers") });
    await chips.getByRole("radio").nth(1).click();
    await expect(login).toBeVisible();
  }
  expect(asked.filter((path) => path.includes("favourite"))).toEqual([]);
});

test("[G2.1-05 G2.7-06 G2.8-16 G2.8-17 G2.8-20 G2.8-22 G7-09] a player keeps games by their star, and finds the games they opened", async ({
  page,
}) => {
  await newMember(page, freshName());
  await page.goto("/m/fav-games");
  await expect(page.getByText(t("games.no_favourites"), { exact: true })).toBeVisible();
  await goOnTo(page, "/m/slot-games");
  for (const game of ["Parol Fortune", "Color Game"]) {
    const kept = answered(page, "POST");
    await star(page, game).click();
    await expect(star(page, game)).toHaveAttribute("aria-pressed", "true");
    await kept;
  }
  await goOnTo(page, "/m/fav-games");
  const tiles = page.getByRole("list", { name: t("games.favourites") }).getByRole("listitem");
  await expect(tiles).toHaveCount(2);
  await expect(tiles.first()).toContainText("Color Game");
  await atRest(page);
  expect(await seriousFaults(page)).toEqual([]);

  // The change is shown before the server has answered, and taken back where it refuses.
  await page.route("**/api/v1/member/favourites", (route) =>
    route.request().method() === "DELETE" ? route.abort() : route.fallback(),
  );
  await star(page, "Color Game").click();
  await expect(page.getByText(t("error.offline"))).toBeVisible();
  await expect(tiles).toHaveCount(2);
  await expect(star(page, "Color Game")).toHaveAttribute("aria-pressed", "true");
  await page.unrouteAll({ behavior: "wait" });
  let answer = (): void => undefined;
  const held = new Promise<void>((done) => {
    answer = done;
  });
  await page.route("**/api/v1/member/favourites", async (route) => {
    if (route.request().method() === "DELETE") await held;
    await route.fallback();
  });
  const dropped = answered(page, "DELETE");
  await star(page, "Color Game").click();
  await expect(tiles).toHaveCount(1);
  answer();
  await dropped;
  await page.unrouteAll({ behavior: "wait" });
  await page.reload();
  await expect(tiles).toHaveCount(1);
  await expect(tiles).toContainText("Parol Fortune");

  await page.getByRole("radio", { name: t("games.recent") }).click();
  await expect(page).toHaveURL(/\/m\/gameList\?tab=recent$/);
  await expect(page.getByText(t("games.no_recent"), { exact: true })).toBeVisible();
  await goOnTo(page, "/m/slot-games");
  const noted = page.waitForResponse(/recent-games\/add/);
  await page
    .getByRole("link", { name: /Parol Fortune/ })
    .first()
    .click();
  expect((await noted).request().method()).toBe("GET");
  await goOnTo(page, "/m/gameList?tab=recent");
  const opened = page.getByRole("list", { name: t("games.recent") }).getByRole("listitem");
  await expect(opened).toHaveCount(1);
  await expect(opened).toContainText("Parol Fortune");

  await goOnTo(page, "/m/lott");
  await expect(page.getByRole("main").getByRole("listitem").first()).toBeVisible();
  await expect(page.getByRole("button", { name: /^Favourite: / })).toHaveCount(0);
});
