import type { Page } from "@playwright/test";
import { seriousFaults } from "./axe.ts";
import { withBrand, withEverything } from "./brand-status.ts";
import { expect, test } from "./journey.ts";
import { freshName, loginDialog } from "./player.ts";
import { atRest, footOfHome, goOnTo, inLanguage, visit } from "./screens.ts";
import { newMember, signIn, tokenOf } from "./session.ts";
import { textsOf } from "./texts.ts";

test.use({ contextOptions: { reducedMotion: "no-preference" } });

const t = textsOf("en");
/** A customer-service contact of the brand, as the status has it. */
const PEOPLE = {
  ...{ title: "Care team", csType: "CS", csPosition: "home", type: "1" },
  ...{ url: "https://care.example/", path: null },
};
/** A page of the brand, outside of the app. */
const TERMS = "https://perya.example/terms";
const TELEGRAM = { resourceType: "TELEGRAM", url: "https://t.example/perya" };
const FACEBOOK = { resourceType: "FACEBOOK", url: "https://facebook.example/perya" };
const menu = (page: Page) => page.getByRole("radiogroup", { name: t("home.categories") });
const category = (page: Page, name: string) => page.getByRole("region", { name, exact: true });

test.beforeEach(({ page }) => inLanguage(page, "EN"));

test("[A2.1-19 G1-01 G2.2-07 G2.3-01 G2.3-02 G2.3-03 G2.3-04 G2.6-01 G2.6-02 G2.6-03 G2.6-04 G2.6-06 G2.6-10 G6-02] the menu of categories leads to each and highlights the one in view; home has its bonus button and a footer that leads everywhere", async ({
  page,
}) => {
  await withEverything(page);
  const ownAsked: string[] = [];
  page.on("request", (request) => {
    if (/\/member\/(favourite|recent)/.test(request.url())) ownAsked.push(request.url());
  });
  await page.goto("/m/home");
  // Home is the highlighted tab of the bar below.
  const home = page
    .getByRole("navigation", { name: t("shell.tabs") })
    .getByRole("link", { name: t("shell.tab_home"), exact: true });
  await expect(home).toHaveAttribute("href", "/m/home");
  await expect(home).toHaveAttribute("aria-current", "page");
  const bonus = page.getByRole("link", { name: "+ ₱7/₱77" });
  await expect(bonus).toBeVisible();
  await expect(bonus).toHaveAttribute("href", "/m/inviteFriends");
  const names = () =>
    menu(page)
      .getByRole("radio")
      .evaluateAll((radios) => radios.map((radio) => radio.parentElement?.textContent ?? ""));
  const types = ["RNG", "LIVE", "PVP", "FISH", "SPORTS", "ESPORTS", "LOTT", "ELOTT"] as const;
  await expect
    .poll(names)
    .toEqual([
      t("games.hot_short"),
      ...types.map((type) => t(`type.${type}`)),
      t("games.favourites"),
      t("games.recent"),
      t("games.new"),
      t("games.providers"),
      t("home.winners_short"),
      t("shell.tab_promotion"),
    ]);
  const chosen = (name: string) =>
    expect(menu(page).getByRole("radio", { name, exact: true })).toBeChecked();
  await chosen(t("games.hot_short"));
  const { list } = (await (await page.request.get("/api/v1/games/hot")).json()).value;
  const hot = page.getByRole("list", { name: t("games.hot") }).getByRole("listitem");
  await expect(hot.first()).toBeVisible();
  const drawn = await hot
    .getByRole("link")
    .evaluateAll((links) => links.map((link) => /[?&]id=(\d+)/.exec(link.outerHTML)?.[1]));
  const nodeIds = list.map(({ nodeId }: { nodeId: number }) => String(nodeId));
  expect(drawn).toEqual(nodeIds.slice(0, drawn.length));

  await menu(page)
    .getByRole("radio", { name: t("type.FISH") })
    .click();
  await expect(category(page, t("type.FISH"))).toBeInViewport();
  await chosen(t("type.FISH"));
  await expect(page).toHaveURL(/\/m\/home\?cat=FISH$/);
  await page.reload();
  await expect(category(page, t("type.FISH"))).toBeInViewport();
  for (const type of types) {
    const name = t(`type.${type}`);
    await menu(page).getByRole("radio", { name, exact: true }).click();
    await chosen(name);
    await expect(page).toHaveURL(`/m/home?cat=${type}`);
    await expect(category(page, name)).toBeInViewport();
  }

  // The rest of the menu leads to the sections that it names, too.
  type Section = readonly [key: string, name: string];
  const sections: readonly Section[] = [
    ...types.map((type): Section => [type, t(`type.${type}`)]),
    ["FAV", t("games.favourites")],
    ["RECENT", t("games.recent")],
    ["NEW", t("games.new")],
    ["PROVIDERS", t("games.providers")],
    ["WINNERS", t("home.winners_short")],
  ];
  const tab = (name: string) => menu(page).getByRole("radio", { name, exact: true });
  const section = (key: string) => page.locator(`#home-category-${key}`);
  const promotion: Section = ["PROMOTION", t("shell.tab_promotion")];
  for (const [key, name] of [...sections.slice(-3), promotion]) {
    await tab(name).click();
    await expect(section(key), key).toBeInViewport();
  }

  // Scrolled by hand, the menu follows: down through every section, and up to the first.
  const first: Section = ["HOT", t("games.hot_short")];
  for (const [key, name] of [...sections, first]) {
    await expect(async () => {
      // The sections above may still be growing.
      await section(key).evaluate((one) => {
        const top = one.getBoundingClientRect().top + scrollY - 140 + Math.random();
        scrollTo({ top, behavior: "instant" });
      });
      await expect(tab(name)).toBeChecked({ timeout: 1_000 });
    }).toPass();
  }

  const footer = await footOfHome(page);
  const leads = (name: string, to: string) =>
    expect(footer.getByRole("link", { name, exact: true }).first()).toHaveAttribute("href", to);
  await leads(t("shell.rewards"), "/m/rewardCenter");
  await leads(t("shell.rebate"), "/m/member/manualRebate");
  await leads(t("shell.vip"), "/m/member/benefits");
  await leads(t("activity.title"), "/m/activity");
  await leads(t("home.footer_service"), "/m/message");
  await leads(t("feedback.title"), "/m/feedback");
  await leads(t("help.faq"), "/m/help?tag=faq");
  for (const text of [/21\+/, /Curaçao/, /G-Wallet/, t("home.footer_vendors"), /© Perya/]) {
    await expect(footer.getByText(text).first()).toBeAttached();
  }
  await footer.getByRole("link", { name: t("type.PVP"), exact: true }).click();
  await expect(page).toHaveURL(/cat=PVP/);
  await expect(category(page, t("type.PVP"))).toBeInViewport();
  await expect(menu(page).getByRole("radio", { name: t("type.PVP") })).toBeChecked();
  // Once more, from the footer again: the address is the same.
  const again = await footOfHome(page);
  await expect(category(page, t("type.PVP"))).not.toBeInViewport();
  await again.getByRole("link", { name: t("type.PVP"), exact: true }).click();
  await expect(category(page, t("type.PVP"))).toBeInViewport();
  for (const own of ["games.favourites", "games.recent"] as const) {
    await menu(page)
      .getByRole("radio", { name: t(own) })
      .click();
    await expect(category(page, t(own))).toBeInViewport();
  }
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
  await atRest(page);
  expect(await seriousFaults(page)).toEqual([]);
  expect(ownAsked, "of a guest").toEqual([]);
});

test("an address shows the category that it names although the sections above it load late, and a tap on the highlighted category leads to its beginning", async ({
  page,
}) => {
  await withEverything(page);
  // Three seconds are longer than scrolling to a category takes.
  await page.route(/\/api\/v1\/(games|live|lottery)/, async (route) => {
    await new Promise((done) => setTimeout(done, 3_000));
    await route.continue();
  });
  const name = t("type.FISH");
  const top = () =>
    category(page, name).evaluate((section) => Math.round(section.getBoundingClientRect().top));
  await page.goto("/m/home?cat=FISH");
  await expect(category(page, name).getByRole("list", { name, exact: true })).toBeVisible();
  await expect(category(page, t("type.LIVE")).getByRole("list").nth(1)).toBeVisible();
  await page.waitForLoadState("networkidle");
  const beginning = await top();
  expect(beginning).toBeGreaterThan(60);
  expect(beginning).toBeLessThan(200);
  await expect(menu(page).getByRole("radio", { name, exact: true })).toBeChecked();

  await page.mouse.wheel(0, 60);
  await expect.poll(top).toBeLessThan(beginning - 30);
  await menu(page).getByRole("radio", { name, exact: true }).click();
  await expect.poll(top).toBe(beginning);
});

test("[A2.1-19] the bonus button shows on every home-type path, in the brand's own currency", async ({
  page,
}) => {
  // All paths have one screen, so another screen comes between each two.
  const goHome = async (nth: number, path: string) => {
    if (nth === 0) return page.goto(path);
    await goOnTo(page, "/m/help");
    return goOnTo(page, path);
  };
  for (const [nth, path] of ["/", "/m", "/m/", "/m/index", "/m/index.html"].entries()) {
    await goHome(nth, path);
    await expect(page.getByRole("link", { name: "+ ₱7/₱77", exact: true }), path).toBeVisible();
  }
  await withBrand(page, (info) => {
    info.currency = "FUN";
  });
  for (const [nth, path] of ["/m/home", "/m/index"].entries()) {
    await goHome(nth, path);
    await expect(page.getByRole("link", { name: "+ F7/F77", exact: true }), path).toBeVisible();
  }
});

test("[G2.2-08 G2.2-12 G2.6-05 G2.6-07 G2.8-14 G2.8-15 G2.8-17] a category has its vendors, nine games and a link to all of them; the player's own lists come last", async ({
  page,
}) => {
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  await page.route(/gameType=PVP/, (route) =>
    route.fulfill({ json: { value: { games: [], pageNum: 1, totalPages: 0, totalCount: 0 } } }),
  );
  await page.goto("/m/home?cat=FISH");
  const fish = category(page, t("type.FISH"));
  const games = fish.getByRole("list", { name: t("type.FISH"), exact: true });
  await expect(games.getByRole("listitem")).toHaveCount(9);
  expect(
    asked.some(
      (url) => /gameType=FISH/.test(url) && /pageNo=1\b/.test(url) && /pageSize=9/.test(url),
    ),
  ).toBe(true);
  await expect(
    fish.getByRole("list", { name: t("games.providers_of", { type: t("type.FISH") }) }),
  ).toBeVisible();
  // Nine tiles go beyond the edge, and the line is marked as scrollable; three tiles do not.
  await expect(games).toHaveAttribute("data-many");
  expect(await games.evaluate((line) => line.scrollWidth > line.clientWidth)).toBe(true);
  const lastGame = games.getByRole("listitem").last();
  await expect(lastGame).not.toBeInViewport();
  await atRest(page);
  await games.hover();
  await page.mouse.wheel(2_000, 0);
  await expect(lastGame).toBeInViewport();
  await fish.getByRole("link", { name: t("shell.see_all") }).click();
  await expect(page).toHaveURL(/\/m\/fishing-games$/);

  await visit(page, "/m/home?cat=PVP");
  const none = category(page, t("type.PVP"));
  await expect(none.getByText(t("games.none_in_category"))).toBeVisible();
  await expect(none.getByRole("list", { name: t("type.PVP"), exact: true })).toHaveCount(0);
  const few = category(page, t("type.LOTT")).getByRole("list", {
    name: t("type.LOTT"),
    exact: true,
  });
  await few.scrollIntoViewIfNeeded();
  await expect(few.getByRole("listitem")).toHaveCount(3);
  await expect(few).not.toHaveAttribute("data-many");
  const stars = (type: "LOTT" | "ELOTT" | "FISH") =>
    category(page, t(`type.${type}`)).getByRole("button", { name: /^Favourite: / });
  await expect(stars("LOTT")).toHaveCount(0);
  await expect(stars("FISH")).not.toHaveCount(0);
  await few.getByRole("link", { name: "Suwerte 3D" }).click();
  const sheet = page.getByRole("dialog", { name: "Suwerte 3D" });
  const others = sheet.getByRole("list", { name: t("games.more_of", { vendor: "Suwerte Draws" }) });
  await expect(others.getByRole("link", { name: "Suwerte 6/49" })).toBeVisible();

  await visit(page, "/m/home");
  await expect(sheet).toBeHidden();
  const hot = page.getByRole("list", { name: t("games.hot") }).getByRole("listitem");
  await expect(hot).toHaveCount(9);
  const section = category(page, t("games.hot"));
  await section.getByRole("button", { name: t("shell.show_more") }).click();
  expect(await hot.count()).toBeGreaterThan(9);
  await section.getByRole("button", { name: t("shell.show_less") }).click();
  await expect(hot).toHaveCount(9);
  // The menu follows the section that a shorter list has brought into view.
  await page.evaluate(() => scrollTo(0, 0));
  await expect(menu(page).getByRole("radio", { name: t("games.hot_short") })).toBeChecked();
  await menu(page)
    .getByRole("radio", { name: t("games.favourites") })
    .click();
  await expect(page.getByText(t("games.no_favourites_text"))).toBeInViewport();
  expect(asked.filter((url) => /member\/(favourite|recent)/.test(url))).toEqual([]);
});

test("[G2.2-09 G2.2-10 G2.2-11] a vendor opens its games; a lottery or sports vendor is launched, after a log-in", async ({
  page,
}) => {
  await page.goto("/m/home?cat=LIVE");
  await category(page, t("type.LIVE"))
    .getByRole("link", { name: "Luna Live", exact: true })
    .click();
  await expect(page).toHaveURL(/\/m\/live-games\?vassalage=LUN$/);
  for (const type of ["LOTT", "SPORTS", "ESPORTS"] as const) {
    await visit(page, `/m/home?cat=${type}`);
    await expect(loginDialog(page, t)).toBeHidden();
    const vendors = t("games.providers_of", { type: t(`type.${type}`) });
    const block = page.getByRole("list", { name: vendors }).getByRole("link").first();
    const vendor = (await block.innerText()).trim();
    await block.click();
    await expect(loginDialog(page, t)).toBeVisible();
    // The footer's row of vendors is a second way to the vendor.
    await visit(page, `/m/home?cat=${type}`);
    const footer = await footOfHome(page);
    await footer.getByRole("link", { name: vendor, exact: true }).first().click();
    await expect(loginDialog(page, t)).toBeVisible();
  }
  await signIn(page, "maria", "Fiesta2026");
  await page.goto("/m/help");
  const tap = async (type: "LOTT" | "ESPORTS", vendor: string) => {
    await visit(page, `/m/home?cat=${type}`);
    await category(page, t(`type.${type}`))
      .getByRole("link", { name: vendor })
      .first()
      .click();
  };
  await tap("LOTT", "Suwerte Draws");
  await expect(page).toHaveURL(
    "/m/lottery?vendor=LOTT&gameCode=lobby&prizeMode=ELOTT&playType=trad",
  );
  await expect(page.getByTestId("lottery-card").first()).toBeVisible();
  await tap("ESPORTS", "Arena Visayas");
  await expect(page).toHaveURL(/\/m\/launch\/\d+$/);
  await expect(page.frameLocator("iframe").getByRole("heading").first()).toBeVisible();
  await page.goBack();
  await expect(page).toHaveURL(/\/m\/home\?cat=ESPORTS$/);
});

test("[G2.2-13 G2.6-05 G9-02] a player's own list shows three games, all of them, and three again; a list that failed to load offers another try", async ({
  page,
}) => {
  await newMember(page, freshName());
  await page.goto("/m/slot-games");
  const stars = page.getByRole("main").getByRole("button", { name: /^Favourite: / });
  await expect(stars.nth(3)).toBeVisible();
  const starred: string[] = [];
  for (const nth of [0, 1, 2, 3]) {
    const label = (await stars.nth(nth).getAttribute("aria-label")) ?? "";
    starred.push(label.replace("Favourite: ", ""));
    const answered = page.waitForResponse(/member\/favourites$/);
    await stars.nth(nth).click();
    await answered;
  }
  await visit(page, "/m/home");
  await menu(page)
    .getByRole("radio", { name: t("games.favourites") })
    .click();
  const own = category(page, t("games.favourites"));
  await expect(own.getByRole("listitem")).toHaveCount(3);
  await own.getByRole("button", { name: t("shell.show_more") }).click();
  await expect(own.getByRole("listitem")).toHaveCount(4);
  for (const name of starred) await expect(own.getByText(name, { exact: true })).toBeVisible();
  await own.getByRole("button", { name: t("shell.show_less") }).click();
  await expect(own.getByRole("listitem")).toHaveCount(3);

  // There is more than a page of them: recents have fifteen per page.
  const headers = { authorization: `Bearer ${await tokenOf(page)}` };
  const listed = await page.request.get("/api/v1/games?gameType=RNG&pageSize=17");
  for (const { nodeId } of (await listed.json()).value.games) {
    const path = `/api/v1/member/recent-games/add?nodeId=${nodeId}`;
    expect((await page.request.get(path, { headers })).ok()).toBe(true);
  }
  const asked: (string | null)[] = [];
  page.on("request", (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname.endsWith("/recent-games")) asked.push(searchParams.get("pageSize"));
  });
  await page.reload();
  await menu(page)
    .getByRole("radio", { name: t("games.recent") })
    .click();
  const recent = category(page, t("games.recent"));
  await expect(recent.getByRole("listitem")).toHaveCount(3);
  await recent.getByRole("button", { name: t("shell.show_more") }).click();
  await expect(recent.getByRole("listitem")).toHaveCount(17);
  expect(asked).toEqual(["15", "15"]);

  // A list that is not known is not called empty.
  await page.route(/\/member\/favourites\?/, (route) => route.fulfill({ status: 503 }));
  await page.reload();
  await menu(page)
    .getByRole("radio", { name: t("games.favourites") })
    .click();
  const retry = own.getByRole("button", { name: t("error.load_failed") });
  await expect(retry).toBeVisible();
  await expect(own).not.toContainText(t("games.no_favourites_text"));
  await page.unrouteAll({ behavior: "wait" });
  await retry.click();
  await expect(own.getByRole("listitem")).toHaveCount(3);
});

test("[A7-28 G2.2-01 G2.2-06 G2.2-15 G3-08 G7-15] home shows its group's banners, the inbox's count, customer service, and the extras of its categories", async ({
  page,
}) => {
  await newMember(page, freshName());
  await withBrand(page, (info) => {
    info.resources = [TELEGRAM, FACEBOOK];
    info.customerService = [PEOPLE, { ...PEOPLE, title: "Log-in team", csPosition: "login" }];
    info.paths = { terms: TERMS };
    info.whitelabel.CBS3 = true;
  });
  const services: string[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/api/v1/service-link")) services.push(request.method());
  });
  // The same call asks for the pop-ups after a log-in.
  const asked = page.waitForResponse(async (answer) => {
    if (!/announcements\?.*groupName=m_home/.test(answer.url())) return false;
    return (await answer.json()).value.banners.length > 0;
  });
  await page.goto("/m/home");
  const { banners } = (await (await asked).json()).value;
  const carousel = page.getByRole("region", { name: t("home.banners") });
  const slides = carousel.locator("fieldset");
  await expect(slides).toHaveCount(banners.length);
  for (const [i, { title }] of banners.entries()) await expect(slides.nth(i)).toContainText(title);

  const inbox = page.getByRole("link", { name: t("home.inbox") });
  await expect(inbox).toContainText("8 unread notices");
  await page.route("**/api/v1/inbox/unread", (route) => route.fulfill({ json: { value: 0 } }));
  await page.reload();
  await expect(inbox).toBeVisible();
  await expect(inbox).toHaveText(t("home.inbox"));

  // Content that loads below would move the button away from under the pointer.
  await expect(page.getByRole("complementary", { name: t("app.title") })).toBeVisible();
  const extras = page.getByRole("complementary", { name: t("home.extras") });
  const people = extras.getByRole("button", { name: t("auth.services") });
  const popup = page.getByRole("dialog", { name: t("auth.services") });
  await expect(people).toBeVisible();
  // Home asks for its contacts only when a player opens them.
  expect(services).toEqual([]);
  for (const [name, href] of [
    ["Telegram", TELEGRAM.url],
    ["Facebook", FACEBOOK.url],
    [t("shell.live_chat"), "/m/chat"],
  ] as const) {
    // It floats: it is visible at the top of the page, and further down.
    const button = extras.getByRole("link", { name });
    await expect(button).toHaveAttribute("href", href);
    for (const top of [0, 700]) {
      await page.evaluate((to) => scrollTo(0, to), top);
      await expect(button).toBeInViewport({ ratio: 1 });
    }
    await page.evaluate(() => scrollTo(0, 0));
  }
  await people.hover();
  await expect(popup.getByRole("link", { name: PEOPLE.title })).toHaveAttribute("href", PEOPLE.url);
  // The other contact shows only at the log-in.
  await expect(popup.getByRole("link")).toHaveCount(1);
  await expect.poll(() => services).toEqual(["GET"]);
  expect(await seriousFaults(page)).toEqual([]);
  await page.mouse.move(10, 10);
  await expect(popup).toBeHidden();

  await menu(page)
    .getByRole("radio", { name: t("type.LOTT"), exact: true })
    .click();
  const lotteries = category(page, t("type.LOTT"));
  const popular = lotteries.getByRole("region", { name: t("lottery.popular") });
  await expect(popular.getByRole("link").first()).toHaveAttribute("href", /^\/m\/launch\/\d+$/);
  await expect(lotteries.getByTestId("winner-board").getByRole("listitem").first()).toBeVisible();

  const models = category(page, t("type.LIVE")).getByRole("list", { name: t("home.live_models") });
  const matches = category(page, t("type.SPORTS")).getByRole("list", {
    name: t("home.hot_matches"),
  });
  await menu(page)
    .getByRole("radio", { name: t("type.LIVE") })
    .click();
  await expect(models.getByRole("link", { name: /Ligaya/ })).toHaveAttribute(
    "href",
    /^\/m\/launch\/\d+$/,
  );
  await menu(page)
    .getByRole("radio", { name: t("type.SPORTS"), exact: true })
    .click();
  await expect(matches.getByRole("link").first()).toBeVisible();
  expect(await seriousFaults(page)).toEqual([]);
  const footer = await footOfHome(page);
  const social = footer.getByRole("list", { name: t("home.footer_social") });
  await expect(social.getByRole("link")).toHaveCount(2);
  await expect(social.getByRole("link", { name: "Telegram" })).toHaveAttribute(
    "href",
    TELEGRAM.url,
  );
  await expect(footer.getByRole("link", { name: t("home.page_terms") })).toHaveAttribute(
    "href",
    TERMS,
  );
  await expect(footer.getByRole("link", { name: t("home.page_about") })).toHaveCount(0);
});
