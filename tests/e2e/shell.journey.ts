import type { Locator, Page } from "@playwright/test";
import { seriousFaults } from "./axe.ts";
import { withBrand, withEverything } from "./brand-status.ts";
import { expect, test } from "./journey.ts";
import { loginDialog } from "./player.ts";
import { atRest, goOnTo, inLanguage, visit } from "./screens.ts";
import { signIn } from "./session.ts";
import { textsOf } from "./texts.ts";

const [ty, t] = [textsOf("ty"), textsOf("en")];
const PASSWORD = "Fiesta2026";
const EARN = t("shell.tab_earn", { amount: "50" });

test.beforeEach(({ page }) => inLanguage(page, "EN"));

function tabs(page: Page): Locator {
  return page.getByRole("navigation", { name: t("shell.tabs") }).getByRole("link");
}

/** Names of the tabs without the counts on them, and where they lead. */
async function tabTargets(page: Page): Promise<string[][]> {
  await expect(tabs(page).first()).toBeVisible();
  return tabs(page).evaluateAll((links) =>
    links.map((link) => [
      link.lastElementChild?.textContent ?? "",
      link.getAttribute("href") ?? "",
    ]),
  );
}

/** Labels that have no room for their whole word. */
function cutLabels(bar: Locator): Promise<string[]> {
  return bar.getByRole("link").evaluateAll((links) =>
    links.flatMap(({ lastElementChild: label }) => {
      if (label === null || label.scrollWidth <= label.clientWidth) return [];
      return [label.textContent ?? ""];
    }),
  );
}

const HOME = [t("shell.tab_home"), "/m/home"];
const PROMOTION = [t("shell.tab_promotion"), "/m/activity"];
const REFERRAL = [EARN, "/m/inviteFriends"];
const AGENT = [t("shell.tab_agent"), "/m/agentRegister"];
const PRIZE = [t("shell.tab_prize"), "/m/rewardCenter"];
const MEMBER = [t("shell.tab_member"), "/m/member/home"];

test("[G2.4-01 G2.4-05] the tabs lead where they say: one leads players to friends, and agents to accounts", async ({
  page,
}) => {
  await withEverything(page);
  await page.setViewportSize({ width: 360, height: 640 });
  await page.goto("/m/help");
  expect(await tabTargets(page)).toEqual([HOME, PROMOTION, REFERRAL, PRIZE, MEMBER]);
  for (const box of await tabs(page).evaluateAll((links) =>
    links.map((link) => link.getBoundingClientRect().toJSON()),
  )) {
    expect(box.width).toBeGreaterThanOrEqual(44);
    expect(box.height).toBeGreaterThanOrEqual(44);
  }
  expect(await cutLabels(page.getByRole("navigation", { name: t("shell.tabs") }))).toEqual([]);
  await visit(page, "/m/help?pop=language");
  await page.getByRole("radio", { name: "Tagalog" }).click();
  const tagalog = page.getByRole("navigation", { name: ty("shell.tabs") });
  await expect(tagalog).toBeVisible();
  expect(await cutLabels(tagalog)).toEqual([]);
  await signIn(page, "linda", PASSWORD);
  await page.goto("/m/help");
  expect(await tabTargets(page)).toEqual([HOME, PROMOTION, AGENT, PRIZE, MEMBER]);
  await signIn(page, "bea", PASSWORD);
  await page.goto("/m/help");
  expect(await tabTargets(page)).toEqual([HOME, PROMOTION, REFERRAL, PRIZE, MEMBER]);
  await tabs(page).filter({ hasText: EARN }).click();
  await expect(page).toHaveURL(/\/m\/inviteFriends$/);
});

test("[G2.4-02 G2.4-04 G2.4-06] the tab of the open page is highlighted on each of the page's paths", async ({
  page,
}) => {
  await signIn(page, "bea", PASSWORD);
  await withEverything(page);
  const marked = () =>
    tabs(page).evaluateAll((links) =>
      links
        .filter((link) => link.getAttribute("aria-current") === "page")
        .map((link) => link.getAttribute("href")),
    );
  const { value } = await (await page.request.get("/api/v1/announcements?types=PR")).json();
  const detail = `/m/activityDetail?id=${value.promotion[0].id}`;
  await page.goto("/m/help");
  // Home's paths are mixed with others, so that each step changes the screen.
  for (const [path, tab] of [
    ["/", "/m/home"],
    ["/m/activity", "/m/activity"],
    ["/m", "/m/home"],
    [detail, "/m/activity"],
    ["/m/", "/m/home"],
    ["/m/inviteFriends", "/m/inviteFriends"],
    ["/m/index", "/m/home"],
    ["/m/rewardCenter", "/m/rewardCenter"],
    ["/m/index.html", "/m/home"],
    ["/m/mine", "/m/member/home"],
    ["/m/home", "/m/home"],
    ["/m/member/home", "/m/member/home"],
    ["/m/set", null],
  ] as const) {
    expect((await page.request.get(path)).ok(), path).toBe(true);
    await goOnTo(page, path);
    await expect(tabs(page).first()).toBeVisible();
    expect(await marked(), path).toEqual(tab === null ? [] : [tab]);
  }
});

test("[A2.1-15 G2.4-03] tapping Home returns to the hot games and to the top, and home's bar has the menu, the way home and the search", async ({
  page,
}) => {
  await page.goto("/m/home?cat=FISH");
  const chips = page.getByRole("radiogroup", { name: t("home.categories") });
  await expect(chips.getByRole("radio", { name: t("type.FISH") })).toBeChecked();
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
  await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(100);
  await tabs(page).first().click();
  await expect(chips.getByRole("radio", { name: t("games.hot_short") })).toBeChecked();
  expect(await page.evaluate(() => scrollY)).toBe(0);
  await expect(page).toHaveURL(/\/m\/home$/);

  await goOnTo(page, "/m/help");
  for (const path of ["/", "/m/index", "/m/home"]) {
    await goOnTo(page, path);
    const bar = page.locator("header").first();
    await expect(
      bar.getByRole("link", { name: t("shell.home_link", { brand: "Perya" }) }),
    ).toHaveAttribute("href", "/m/home");
    await bar.getByRole("button", { name: t("shell.menu"), exact: true }).click();
    const menu = page.getByRole("dialog", { name: t("shell.menu") });
    await menu.getByRole("button", { name: t("shell.close") }).click();
    await expect(menu).toBeHidden();
    await bar.getByRole("link", { name: t("games.search") }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(t("games.search"));
    await expect(page).toHaveURL(/\/m\/search/);
  }
});

test("[A2.1-17 A2.1-18] a player's bar shows the name, the unread count, and the club only for players in one", async ({
  page,
}) => {
  await signIn(page, "maria", PASSWORD);
  let club: { labelName: string } | null = { labelName: "Sampaguita" };
  await page.route("**/api/v1/member/info", async (route) => {
    const response = await route.fetch();
    const reply = await response.json();
    reply.value.clubLabel = club;
    await route.fulfill({ response, json: reply });
  });
  await page.goto("/m/home");
  const pill = page.locator("header").getByRole("link", { name: /Maria/ });
  await expect(pill).toContainText("Sampaguita");
  const { value } = await page.evaluate(async () => {
    const { token } = JSON.parse(localStorage.getItem("MC_SESSION_INFO") ?? "{}");
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch("/api/v1/inbox/unread", { headers })).json();
  });
  const count = Number(value);
  expect(count).toBeGreaterThan(0);
  // Read the badge itself: the balance may contain the same figure.
  await expect(pill.getByText(`${count} unread notices`)).toHaveCount(1);
  await expect(pill.getByText(String(count), { exact: true })).toBeVisible();
  for (const none of [null, { labelName: "" }]) {
    club = none;
    await page.goto("/m/home");
    await expect(pill).toContainText("Maria");
    await expect(pill.locator("b")).toHaveCount(0);
  }
  await expect(
    page.locator("header").getByRole("link", { name: t("cashier.deposit") }),
  ).toHaveCount(1);
});

test("[G2.2-17] the download bar shows on home until the player closes it, and never in the app", async ({
  page,
  browser,
}) => {
  await page.goto("/m/home");
  const bar = page.getByRole("complementary", { name: t("app.title") });
  await expect(bar).toBeVisible();
  // Both float over home, and neither covers the other.
  const bonus = page.getByRole("link", { name: /^\+ ₱7\/₱77$/ });
  const [under, above] = [await bar.boundingBox(), await bonus.boundingBox()];
  expect((above?.y ?? 0) + (above?.height ?? 0)).toBeLessThanOrEqual(under?.y ?? 0);
  await bar.getByRole("link", { name: t("app.install_short") }).click();
  const popup = page.getByRole("dialog", { name: t("app.title") });
  await expect(popup.getByText(t("app.text"))).toBeVisible();
  expect(await seriousFaults(page)).toEqual([]);
  await popup.getByRole("button", { name: t("shell.close") }).click();
  await expect(popup).toBeHidden();
  await bar.getByRole("button", { name: t("app.hide") }).click();
  await expect(bar).toBeHidden();
  await page.goto("/m/home");
  await atRest(page);
  await expect(tabs(page).first()).toBeVisible();
  await expect(bar).toBeHidden();

  const userAgent = `${await page.evaluate(() => navigator.userAgent)} PeryaApp/1.0`;
  const app = await browser.newContext({ userAgent });
  const inside = await app.newPage();
  await inLanguage(inside, "EN");
  await inside.goto("/m/home");
  await atRest(inside);
  await expect(inside.getByRole("navigation", { name: t("shell.tabs") })).toBeVisible();
  await expect(inside.getByRole("complementary", { name: t("app.title") })).toHaveCount(0);
  await goOnTo(inside, "/m/app");
  await expect(inside.getByText(t("app.installed"))).toBeVisible();
  await app.close();
});

test("the app is installed by the browser's own prompt, where the browser has one", async ({
  page,
}) => {
  await page.addInitScript(() => {
    addEventListener("load", () => {
      const event = Object.assign(new Event("beforeinstallprompt", { cancelable: true }), {
        prompt: async () => document.documentElement.setAttribute("data-asked", "yes"),
        userChoice: Promise.resolve({ outcome: "accepted" }),
      });
      dispatchEvent(event);
    });
  });
  await page.goto("/m/app");
  const install = page.getByRole("button", { name: t("app.install") });
  await install.click();
  await expect(page.locator("html")).toHaveAttribute("data-asked", "yes");
  await expect(install).toBeHidden();
  await page.getByRole("radio", { name: /iPhone/ }).check();
  await expect(page.getByText(t("app.ios_share"))).toBeVisible();
  expect(await seriousFaults(page)).toEqual([]);
});

test("the tab shows the earning per friend that the brand has set, and a guest who logs in from a tab goes on to its page", async ({
  page,
}) => {
  await withBrand(page, (info) => {
    info.referralReward = { minor: "128800", currency: "PHP" };
    info.whitelabel.REWCEN3 = true;
  });
  await page.goto("/m/help");
  await expect(
    tabs(page).filter({ hasText: t("shell.tab_earn", { amount: "1,288" }) }),
  ).toBeVisible();

  await tabs(page)
    .filter({ hasText: t("shell.tab_prize") })
    .click();
  const login = loginDialog(page, t);
  await login.getByRole("textbox", { name: t("auth.username"), exact: true }).fill("bea");
  await login.getByLabel(t("auth.password"), { exact: true }).fill(PASSWORD);
  await login.getByRole("button", { name: t("auth.login"), exact: true }).click();
  await expect(page).toHaveURL(/\/m\/rewardCenter$/);
});
