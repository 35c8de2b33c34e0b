import type { Page } from "@playwright/test";
import { seriousFaults } from "./axe.ts";
import { expect, test } from "./journey.ts";
import { freshName } from "./player.ts";
import { atRest, goOnTo, inLanguage, visit } from "./screens.ts";
import { newMember } from "./session.ts";
import { textsOf } from "./texts.ts";

const t = textsOf("en");

/** The queries of the list calls that the page makes from now on. */
function listCalls(page: Page): URLSearchParams[] {
  const made: URLSearchParams[] = [];
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.pathname === "/api/v1/games") made.push(url.searchParams);
  });
  return made;
}

const results = (page: Page) =>
  page.getByRole("list", { name: t("games.results") }).getByRole("listitem");
const tab = (page: Page, name: string) =>
  page
    .getByRole("radiogroup", { name: t("games.lists") })
    .getByRole("radio", { name, exact: true });
const vendorMenu = (page: Page) => page.getByRole("radiogroup", { name: t("games.providers") });
const last = (made: readonly URLSearchParams[]) => Object.fromEntries(made.at(-1) ?? []);

test.beforeEach(({ page }) => inLanguage(page, "EN"));

test("[G2.1-03 G2.1-05 G2.1-06 G2.7-02 G2.7-04 G2.7-08 G2.7-09 G2.7-15 G7-02] every path of the list centre fetches the games that it lists, and has the banner of its game type", async ({
  page,
}) => {
  const made = listCalls(page);
  // The banners are of the lists' own group.
  const asked = page.waitForRequest(
    (request) => new URL(request.url()).searchParams.get("groupName") === "m_game",
  );
  // A page does not fetch the same list twice at once, so a second page opens paths of equal lists.
  for (const paths of [
    [
      ["/m/slot-games", { gameType: "RNG", gameClassify: "", vassalage: "" }, "Give it a spin"],
      ["/m/provider?vassalage=PGE", { gameType: "RNG", vassalage: "PGE" }, ""],
      ["/m/live-games?type=bac", { gameType: "LIVE", gameClassify: "BAC" }, ""],
      ["/m/poker-games", { gameType: "PVP" }, ""],
      ["/m/fishing-games", { gameType: "FISH" }, "Out on the reef"],
      ["/m/roulette", { gameType: "LIVE", gameClassify: "ROU" }, ""],
      ["/m/inhouse/", { gameType: "RNG", vassalage: "BGS" }, "Give it a spin"],
      ["/m/gameList?gameType=ESPORTS", { gameType: "SPORTS" }, ""],
    ],
    [
      ["/m/slotsCenter", { gameType: "RNG" }, ""],
      ["/m/baccarat", { gameType: "LIVE", gameClassify: "BAC" }, ""],
      ["/m/pg-soft", { gameType: "RNG", vassalage: "PGE" }, ""],
      ["/m/gameCenter?gameType=FISH", { gameType: "FISH" }, ""],
      ["/m/sport-games?gameType=PVP", { gameType: "SPORTS" }, "Game on"],
    ],
  ] as const) {
    for (const [nth, [path, query, words]] of paths.entries()) {
      made.length = 0;
      await (nth === 0 ? page.goto(path) : goOnTo(page, path));
      await expect
        .poll(() => last(made), path)
        .toMatchObject({ ...query, pageSize: "35", pageNo: "1" });
      await expect(results(page).first(), path).toBeVisible();
      if (words !== "") await expect(page.getByRole("main").getByText(words)).toBeVisible();
    }
  }
  await asked;
});

test("[G2.7-10 G2.7-16 G2.7-17 G2.7-18 G2.7-19 G2.7-23 G5-03 G5-04] tabs, vendors and classifications narrow the list and fetch it anew", async ({
  page,
}) => {
  const made = listCalls(page);
  await page.goto("/m/slot-games?name=Gold");
  await expect(results(page).first()).toBeVisible();
  await vendorMenu(page).getByRole("radio", { name: "Pista Reels" }).click();
  await expect(page).toHaveURL(/\/m\/slot-games\?vassalage=PGE$/);
  await expect
    .poll(() => last(made))
    .toMatchObject({ vassalage: "PGE", gameName: "", pageNo: "1" });

  const before = made.length;
  await tab(page, t("games.hot_short")).click();
  const hot = page.getByRole("list", { name: t("games.hot") }).getByRole("listitem");
  await expect(hot.first()).toBeVisible();
  await expect(page).toHaveURL(/tab=hot/);
  const { list } = (await (await page.request.get("/api/v1/games/hot")).json()).value;
  const ofVendor = list.filter(
    (game: { gameType: string; vassalage: string }) =>
      game.gameType === "RNG" && game.vassalage === "PGE",
  );
  await expect(hot).toHaveCount(ofVendor.length);
  for (const [nth, { displayName }] of ofVendor.entries()) {
    await expect(hot.nth(nth)).toContainText(displayName);
  }
  expect(made.length, "Hot makes no list call").toBe(before);
  // The tab All is fetched anew, from its first page.
  await tab(page, t("games.all_short")).click();
  await expect(results(page).first()).toBeVisible();
  expect(made.slice(before).map((query) => query.get("pageNo"))).toEqual(["1"]);
  await tab(page, t("games.hot_short")).click();
  // The chosen vendor leads back too.
  await vendorMenu(page).getByRole("radio", { name: "Pista Reels" }).click();
  await expect(tab(page, t("games.all_short"))).toBeChecked();
  await tab(page, t("games.hot_short")).click();
  await expect(page).toHaveURL(/tab=hot/);
  await vendorMenu(page).getByRole("radio", { name: "Ani Studio" }).click();
  await expect(page).toHaveURL(/\/m\/slot-games\?vassalage=ANI$/);
  await expect(tab(page, t("games.all_short"))).toBeChecked();

  await visit(page, "/m/slot-games?type=new");
  await expect.poll(() => last(made)).toMatchObject({ isNew: "1", gameClassify: "" });
  await expect(results(page).first()).toBeVisible();
  await expect(tab(page, t("games.hot_short"))).not.toBeChecked();
  await visit(page, "/m/slot-games?type=hot");
  await expect(tab(page, t("games.hot_short"))).toBeChecked();
  // A vendor leads back to All, also from a list that the address named, and clears the search.
  await page.getByRole("searchbox").fill("Gold");
  await vendorMenu(page).getByRole("radio", { name: "Pista Reels" }).click();
  await expect(page).toHaveURL(/\/m\/slot-games\?vassalage=PGE$/);
  await expect(tab(page, t("games.all_short"))).toBeChecked();
  await expect(page.getByRole("searchbox")).toHaveValue("");
  await expect(results(page).first()).toBeVisible();
  await visit(page, "/m/slot-games?type=fav");
  await expect(page).toHaveURL(/\/m\/login\?/);
});

test("[G2.7-11 G2.7-12 G2.7-32 G2.7-34] the vendors are beside the games, with an arrow while they overflow, which scrolls down and at their end up again", async ({
  page,
}) => {
  await page.route("**/art/vendor/ANI-COLOR.png", (route) => route.abort());
  await page.goto("/m/slot-games");
  const entries = vendorMenu(page).getByRole("radio");
  await expect(entries.first()).toHaveAccessibleName(t("games.all_short"));
  await expect(entries).toHaveCount(6);
  const arrow = page.getByRole("button", { name: t("games.more_providers") });
  await expect(arrow).toHaveCount(0);
  // A vendor whose picture does not load shows only its name, and no broken image.
  const marks = vendorMenu(page).getByRole("presentation");
  await expect(vendorMenu(page).locator('img[src$="/art/vendor/PISTA-COLOR.png"]')).toBeVisible();
  await expect(vendorMenu(page).locator('img[src*="ANI-COLOR"]')).toHaveCount(0);
  await expect(marks.first()).toBeAttached();
  await page.setViewportSize({ width: 390, height: 480 });
  await expect(entries.last()).not.toBeInViewport();
  await arrow.click();
  await expect(entries.last()).toBeInViewport();
  // At the vendors' end the arrow is there as well, and scrolls up.
  await expect(entries.first()).not.toBeInViewport();
  // The arrow points down while the vendors still move.
  await expect(page.locator("[data-more]")).toHaveAttribute("data-more", "above");
  await atRest(page);
  await arrow.click();
  await expect(entries.first()).toBeInViewport();
  await expect(arrow).toBeVisible();
  await atRest(page);
  expect(await seriousFaults(page)).toEqual([]);
});

test("[G2.7-14 G2.7-16 G2.7-20 G2.7-26 G5-01 G7-03] the filter panel sets all filters at once, and clearing them leads back to All", async ({
  page,
}) => {
  const made = listCalls(page);
  await page.goto("/m/slot-games");
  await expect(results(page).first()).toBeVisible();
  const unfiltered = last(made);
  await page.getByRole("button", { name: t("games.filter") }).click();
  const panel = page.getByRole("dialog", { name: t("games.filter") });
  await expect(page.locator("body")).toHaveClass(/popup-on/);
  for (const selection of ["all_short", "new", "hot_short", "favourites", "recent"] as const) {
    const name = t(`games.${selection}`);
    await expect(panel.getByRole("radio", { name, exact: true })).toBeAttached();
  }
  await atRest(page);
  expect(await seriousFaults(page)).toEqual([]);
  await panel.getByLabel(t("games.search_placeholder")).fill("  gold ");
  // Of one vendor, only the types that it has are offered, with their numbers of games.
  const { info } = (await (await page.request.get("/api/v1/status")).json()).value;
  const types = `/api/v1/games/types?typeId=PGE&merchant_code=${info.merchantCode}`;
  const [{ gameClassify }] = (await (await page.request.get(types)).json()).value.gameTypes;
  await panel.getByLabel(t("games.provider")).selectOption("PGE");
  const kinds = panel.getByRole("radiogroup", { name: t("games.classification") });
  await expect(kinds.getByRole("radio", { name: t("games.class_TABLE") })).toHaveCount(0);
  const [{ key, gameCount }] = gameClassify;
  await expect(kinds).toContainText(`${t(`games.class_${key}`)} ${gameCount}`);
  await panel.getByLabel(t("games.min_bet_at_most")).pressSequentially("1x0.5");
  await panel.getByRole("button", { name: t("games.apply_filters") }).click();
  await expect(panel).toHaveCount(0);
  await expect(page).toHaveURL(/tab=filter/);
  await expect
    .poll(() => last(made))
    .toMatchObject({ gameName: "gold", vassalage: "PGE", minBet: "10.5", pageNo: "1" });
  // The address holds all filters, so that it can be shared.
  await page.reload();
  await expect
    .poll(() => last(made))
    .toMatchObject({ gameName: "gold", vassalage: "PGE", minBet: "10.5" });
  await page.getByRole("button", { name: t("games.filter") }).click();
  made.length = 0;
  await panel.getByRole("button", { name: t("games.clear_filters") }).click();
  const all = async (path: string) => {
    await expect(page).toHaveURL(path);
    await expect(tab(page, t("games.all_short"))).toBeChecked();
    await expect(results(page).first()).toBeVisible();
  };
  await all("/m/slot-games");
  // The unfiltered list is fetched anew.
  expect(made.map((query) => Object.fromEntries(query))).toEqual([unfiltered]);

  // A list without games offers to clear the filters too, on each path.
  await visit(page, "/m/fishing-games?tab=filter&name=nosuchgame&minBet=5");
  await page
    .getByRole("main")
    .getByRole("button", { name: t("games.clear_filters") })
    .click();
  await all("/m/fishing-games");
});

test("[G9-01 G2.7-13 G2.7-21 G2.7-22 G2.7-27 G2.7-28 G2.7-29 G2.7-30 G2.7-31] pages append or replace, and a name is searched for when the player stops typing", async ({
  page,
}) => {
  const made = listCalls(page);
  await page.goto("/m/slot-games");
  await expect(results(page)).toHaveCount(35);
  await page.getByRole("button", { name: t("shell.load_more") }).click();
  await expect(results(page)).toHaveCount(70);
  expect(last(made)).toMatchObject({ pageNo: "2" });
  await expect(page).toHaveURL(/page=2/);
  const pages = page.getByRole("navigation", { name: t("shell.pages") });
  const current = pages.locator("[aria-current=page]");
  await expect(current).toHaveText("2");
  await expect(pages).toHaveText("1234…6");
  // A tap on the current page does nothing, and removes none of the appended games.
  await pages.getByRole("button", { name: t("shell.page", { page: "2" }) }).click();
  // Both pages are there again after a reload; the previous page, or the first, replaces them.
  await page.reload();
  await expect(results(page)).toHaveCount(70);
  await pages.getByRole("button", { name: t("shell.previous_page") }).click();
  await expect(results(page)).toHaveCount(35);
  await expect(current).toHaveText("1");
  await expect(page).not.toHaveURL(/page=/);
  await pages.getByRole("button", { name: t("shell.page", { page: "4" }) }).click();
  await expect(results(page)).toHaveCount(35);
  await expect(page).toHaveURL(/page=4/);
  await expect(pages).toHaveText("1…3456");
  expect(last(made)).toMatchObject({ pageNo: "4" });
  const next = pages.getByRole("button", { name: t("shell.next_page") });
  await next.click();
  await expect(current).toHaveText("5");
  expect(last(made)).toMatchObject({ pageNo: "5" });
  await expect(next).toBeEnabled();
  // The same button retries a page that failed, on the last page as well.
  const more = page.getByRole("button", { name: t("shell.load_more") });
  const lastPage = /\/games\?.*pageNo=6/;
  await page.route(lastPage, (route) => route.fulfill({ status: 503 }));
  const failed = page.waitForResponse(lastPage);
  await more.click();
  await failed;
  await expect(current).toHaveText("6");
  await expect(results(page)).toHaveCount(35);
  await expect(more).toBeEnabled();
  await page.unroute(lastPage);
  await more.click();
  await expect(results(page)).not.toHaveCount(35);
  await expect(next).toBeDisabled();
  await expect(more).toHaveCount(0);
  // The last page is shown in place of a page that does not exist.
  await page.goto("/m/slot-games?page=99");
  await expect(current).toHaveText("6");
  await expect(page).toHaveURL(/page=6/);
  await expect(results(page).first()).toBeVisible();
  await pages.getByRole("button", { name: t("shell.page", { page: "1" }), exact: true }).click();
  await expect.poll(() => last(made)).toMatchObject({ pageNo: "1" });
  await expect(pages.getByRole("button", { name: t("shell.previous_page") })).toBeDisabled();

  const box = page.getByRole("searchbox");
  made.length = 0;
  await box.pressSequentially("kalab", { delay: 40 });
  await expect.poll(() => made.map((query) => query.get("gameName"))).toEqual(["kalab"]);
  await box.fill("jeepney");
  await box.press("Enter");
  await expect(page).toHaveURL(/name=jeepney/);
  await box.fill("zzzzqqq");
  await box.press("Enter");
  await expect(page.getByText(t("games.none_text"))).toBeVisible();
  await expect(pages).toHaveCount(0);
});

test("[G2.8-01 G2.8-02 G2.8-03] the hot games can be searched by name, and a bar shows how many are shown", async ({
  page,
}) => {
  await page.goto("/m/hot-games");
  const grid = page.getByRole("list", { name: t("games.hot") }).getByRole("listitem");
  await expect(grid.first()).toBeVisible();
  const all = await grid.count();
  const bar = page.getByRole("progressbar");
  await expect(bar).toHaveAttribute("aria-valuenow", "100");
  await expect(
    page.getByText(t("games.count_of", { count: `${all}`, total: `${all}` })),
  ).toBeVisible();
  await page.getByRole("searchbox").fill("parol");
  await page.getByRole("searchbox").press("Enter");
  await expect(grid).toHaveCount(1);
  await expect(bar).toHaveAttribute("aria-valuenow", `${Math.floor(100 / all)}`);
  await expect(page.getByText(t("games.count_of", { count: "1", total: `${all}` }))).toBeVisible();
  await page.getByRole("searchbox").fill("zzzzqqq");
  await page.getByRole("searchbox").press("Enter");
  await expect(page.getByText(t("games.none_text"))).toBeVisible();
});

test("[G9-02 G2.8-04 G2.8-05 G2.8-06 G2.8-07 G2.8-08 G2.8-09 G2.8-10 G2.8-11 G2.8-13] the search opens on hot games, switches to All for a name, and shows a player's own list by its address", async ({
  page,
}) => {
  const made = listCalls(page);
  await page.goto("/m/search");
  await expect(tab(page, t("games.hot_short"))).toBeChecked();
  const pages = page.getByRole("navigation", { name: t("shell.pages") });
  await expect(page.getByRole("list", { name: t("games.hot") })).toBeVisible();
  expect(made).toEqual([]);
  await expect(pages).toHaveCount(0);

  await page.getByRole("searchbox").fill("kalabaw");
  await page.getByRole("searchbox").press("Enter");
  await expect(tab(page, t("games.all_short"))).toBeChecked();
  await expect(results(page).first()).toBeVisible();
  expect(last(made)).toMatchObject({ gameName: "kalabaw", pageSize: "15", pageNo: "1" });
  expect(last(made)).toMatchObject({ gameType: "RNG" });
  await expect(pages).toHaveCount(0);
  await page.getByRole("searchbox").fill("zzzzqqq");
  await page.getByRole("searchbox").press("Enter");
  await expect(page.getByText(t("games.none_text"))).toBeVisible();
  // A name that no slot has is searched for among the other games.
  await page.getByRole("searchbox").fill("suwerte");
  await page.getByRole("searchbox").press("Enter");
  await expect(results(page).filter({ hasText: "Suwerte 6/49" })).toBeVisible();

  for (const [name, empty] of [
    ["recent", "no_recent"],
    ["favourites", "no_favourites"],
  ] as const) {
    await tab(page, t(`games.${name}`)).click();
    await expect(page.getByRole("searchbox")).toHaveValue("");
    await expect(page.getByText(t(`games.${empty}`), { exact: true })).toBeVisible();
  }
  // The tabs stay where the list was chosen on the screen, after a reload too.
  await page.reload();
  await expect(tab(page, t("games.favourites"))).toBeChecked();
  await expect(page.getByRole("searchbox")).toBeVisible();
  // A name that is still being typed for it does not undo the next tab.
  await page.getByRole("searchbox").fill("kalabaw");
  made.length = 0;
  await tab(page, t("games.all_short")).click();
  await expect(results(page)).toHaveCount(15);
  expect(last(made)).toMatchObject({ gameName: "", vassalage: "", minBet: "", pageNo: "1" });
  await pages.getByRole("button", { name: t("shell.page", { page: "2" }), exact: true }).click();
  await expect(page).toHaveURL(/page=2/);
  await tab(page, t("games.hot_short")).click();
  await expect(page.getByRole("list", { name: t("games.hot") })).toBeVisible();
  await tab(page, t("games.all_short")).click();
  await expect(page).not.toHaveURL(/page=/);
  await expect(pages.locator("[aria-current=page]")).toHaveText("1");

  for (const own of ["recent", "fav"]) {
    await goOnTo(page, "/m/help");
    await goOnTo(page, `/m/search?tab=${own}`);
    await expect(page.getByRole("link", { name: t("games.see_hot") })).toBeVisible();
    await expect(page.getByRole("searchbox")).toHaveCount(0);
    await expect(page.getByRole("radiogroup", { name: t("games.lists") })).toHaveCount(0);
  }
  await page.getByRole("button", { name: t("shell.back") }).click();
  await expect(page).toHaveURL(/\/m\/home$/);
});

test("[G2.7-35 G2.8-12 G2.12-03 G7-14] a changed language fetches vendors and hot games anew, once for several changes", async ({
  page,
}) => {
  await page.clock.install();
  await page.goto("/m/search");
  await expect(page.getByRole("list", { name: t("games.hot") })).toBeVisible();
  const asked: string[] = [];
  page.on("request", (request) => {
    const { pathname, searchParams } = new URL(request.url());
    const read = /\/(games\/hot|vendors)$/.exec(pathname)?.[1];
    if (read !== undefined) asked.push(`${read} ${searchParams.get("language")}`);
  });
  const inTagalog = () => asked.filter((one) => one.endsWith(" TY")).sort();
  // The picker closes after each choice; its code is loaded before the clock stops.
  const picker = page.getByRole("dialog");
  const open = async () => {
    await visit(page, "/m/search?pop=language");
    await expect(picker).toBeVisible();
  };
  const pick = async (name: string, language: string) => {
    await picker.getByRole("radio", { name }).first().click();
    await expect(page.locator("html")).toHaveAttribute("lang", language);
  };
  await open();
  await page.clock.pauseAt(Date.now() + 60_000);
  await pick("Tagalog", "fil");
  await page.clock.runFor(150);
  await open();
  await pick("English", "en");
  await page.clock.runFor(1_000);
  expect(inTagalog(), "there and back").toEqual([]);
  await open();
  await pick("Tagalog", "fil");
  await page.clock.runFor(240);
  expect(inTagalog(), "so soon").toEqual([]);
  await page.clock.runFor(20);
  await expect.poll(inTagalog).toEqual(["games/hot TY", "vendors TY"]);
  await page.clock.runFor(1_000);
  expect(inTagalog()).toEqual(["games/hot TY", "vendors TY"]);

  // Nor are vendors that were lately read in a language, or on another tab, reused for it.
  for (const [name, language, code] of [
    ["English", "en", "EN"],
    ["Tagalog", "fil", "TY"],
  ] as const) {
    asked.length = 0;
    await visit(page, "/m/search?tab=all&pop=language");
    await expect(picker).toBeVisible();
    await pick(name, language);
    await page.clock.runFor(260);
    await expect.poll(() => asked.toSorted()).toEqual([`games/hot ${code}`, `vendors ${code}`]);
  }
});

test("[G2.8-18 G2.8-21] a tile keeps its random theme, and a favourite game is not added twice", async ({
  page,
}) => {
  await newMember(page, freshName());
  await page.goto("/m/slot-games");
  await expect(results(page)).toHaveCount(35);
  const themes = () =>
    results(page)
      .locator("[data-theme]")
      .evaluateAll((faces) => faces.map((face) => face.getAttribute("data-theme")));
  const drawn = await themes();
  expect(new Set(drawn).size).toBeGreaterThan(1);
  expect(drawn.every((theme) => /^[1-5]$/.test(theme ?? ""))).toBe(true);
  const kept: string[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/member/favourites") && request.method() === "POST") {
      kept.push(request.postData() ?? "");
    }
  });
  const star = page.getByRole("button", { name: t("games.keep", { game: "Parol Fortune" }) });
  const answered = page.waitForResponse(/member\/favourites$/);
  await star.click();
  await answered;
  await expect(star).toHaveAttribute("aria-pressed", "true");
  expect(await themes(), "after a render").toEqual(drawn);
  expect(kept).toHaveLength(1);
});
