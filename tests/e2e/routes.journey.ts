import type { Locator, Page } from "@playwright/test";
import { withEverything } from "./brand-status.ts";
import { expect, test } from "./journey.ts";
import { goOnTo, inLanguage, visit } from "./screens.ts";
import { signIn } from "./session.ts";
import { textsOf } from "./texts.ts";

test.use({ contextOptions: { reducedMotion: "no-preference" } });

const t = textsOf("en");
const PASSWORD = "Fiesta2026";

test.beforeEach(({ page }) => inLanguage(page, "EN"));

/** Paths of both documents that are open to all, with the screens' titles. */
const OPEN: Readonly<Record<string, string>> = {
  "/m/set": "member.settings",
  "/m/help": "help.title",
  "/m/notice": "home.announcements",
  "/m/activity": "activity.title",
  "/m/hot-games": "games.hot",
  "/m/search": "games.search",
  "/m/trail": "shell.trial_screen",
  "/m/app": "app.title",
  "/m/gameCenter": "games.all",
  "/m/slotsCenter": "games.all",
  "/m/gameList": "games.all",
  "/m/slot-games": "type.RNG",
  "/m/live-games": "type.LIVE",
  "/m/poker-games": "type.PVP",
  "/m/fishing-games": "type.FISH",
  "/m/sport-games": "type.SPORTS",
  "/m/lott": "type.LOTT",
  "/m/elott": "type.ELOTT",
  "/m/cockfight": "type.COCKFIGHT",
  "/m/roulette": "games.class_ROU",
  "/m/baccarat": "games.class_BAC",
  "/m/inHouse": "games.in_house",
  "/m/pg-soft": "games.pista",
  "/m/provider": "games.providers",
};

/** Paths for players only. */
const OWN: Readonly<Record<string, string>> = {
  "/m/feedback": "feedback.title",
  "/m/fav-games": "games.favourites",
  "/m/member/home": "member.account",
  "/m/mine": "member.account",
  "/m/message": "screen.message_centre",
  "/m/messages": "shell.messages",
  "/m/webEmail": "screen.inbox",
  "/m/voucherCenter": "cashier.deposit",
  "/m/withdraw": "cashier.withdraw",
  "/m/inviteFriends": "invite.title",
  "/m/rewardCenter": "shell.rewards",
  "/m/member/manualRebate": "shell.rebate",
  "/m/member/benefits": "shell.vip",
  "/m/gameRecord": "records.games",
  "/m/transaction/record": "records.transactions",
  "/m/profitandloss": "screen.pnl",
  "/m/mall/mallHome": "screen.mall",
  "/m/securityCenter": "security.title",
  "/m/leaderBoard": "shell.missions",
  "/m/redRain": "screen.red_rain",
  "/m/lottery": "type.LOTT",
};

/** Paths for agents only. */
const AGENTS: Readonly<Record<string, string>> = {
  "/m/agent": "screen.agent",
  "/m/agentRegister": "screen.open_account",
  "/m/agent/team/overview": "screen.team_overview",
  "/m/agent/team/pnl": "screen.team_pnl",
  "/m/teamBetting": "screen.team_bets",
  "/m/member/team": "screen.team",
  "/m/member/teamRebate": "screen.team_rebate",
  "/m/member/notice?types=A": "notice.agents",
  "/m/member/agent/agentRebeat": "screen.agent_rebate",
  "/m/member/agent/agentDivident": "screen.dividends",
  "/m/member/agent/getSalaryContract": "screen.salary_contract",
  "/m/member/agent/getDevidendContract": "screen.dividend_contract",
  "/m/member/agent/getHourContract": "screen.hourly_contract",
};

/** Screens that have their title and the back button in the shared header. */
const TITLED = new Set([
  ...["/m/trail", "/m/activity", "/m/notice", "/m/gameCenter", "/m/slotsCenter", "/m/messages"],
  ...["/m/set", "/m/help", "/m/gameList", "/m/slot-games", "/m/live-games", "/m/search"],
  "/m/feedback",
]);

/** Paths without a screen yet: building one removes its path from here. */
const WAITING = new Set([
  ...["/m/messages", "/m/message", "/m/webEmail", "/m/rewardCenter", "/m/member/manualRebate"],
  ...["/m/member/benefits", "/m/profitandloss", "/m/mall/mallHome", "/m/leaderBoard", "/m/agent"],
  ...["/m/agentRegister", "/m/agent/team/overview", "/m/agent/team/pnl", "/m/teamBetting"],
  ...["/m/member/team", "/m/member/teamRebate", "/m/member/agent/agentRebeat"],
  "/m/member/agent/agentDivident",
]);

/** Expects that the path stays, the screen has its title, and there is content on it. */
async function opens(page: Page, path: string, title: string): Promise<void> {
  await visit(page, path);
  await expect(page.getByRole("heading", { level: 1 }), path).toHaveText(t(title));
  const at = new URL(page.url());
  expect(at.pathname, path).toBe(path.split("?")[0]);
  const main = page.getByRole("main");
  await expect(main, path).toContainText(/\S/);
  // More than the screen's outline has loaded: the "unavailable" notice, or real content.
  await expect(main.locator("[aria-busy=true]"), path).toHaveCount(0);
  const closed = main.getByRole("heading", { name: t("shell.unavailable") });
  await expect(closed, path).toHaveCount(WAITING.has(path) ? 1 : 0);
  if (!TITLED.has(path)) return;
  const header = page.locator("header").first();
  await expect(header.getByRole("heading", { level: 1 }), path).toHaveText(t(title));
  await expect(header.getByRole("button", { name: t("shell.back") }), path).toBeVisible();
}

test("[A2.1-04 A2.1-06 G2.1-26 G2.1-27] every path that is open to all is a separate screen", async ({
  page,
}) => {
  await withEverything(page);
  await page.goto("/m/help");
  for (const [path, title] of Object.entries(OPEN)) await opens(page, path, title);
});

test("[A2.1-04 A2.1-06 G2.1-26 G2.1-27] every path for players is a screen, for which a guest logs in first", async ({
  page,
}) => {
  await page.goto("/m/help");
  for (const path of Object.keys(OWN)) {
    await visit(page, path);
    await expect(page, path).toHaveURL(`/m/login?next=${encodeURIComponent(path)}`);
  }
  await signIn(page, "bea", PASSWORD);
  await withEverything(page);
  await page.goto("/m/help");
  for (const [path, title] of Object.entries(OWN)) await opens(page, path, title);
  await visit(page, "/m/agent");
  await expect(page).toHaveURL(/\/m\/home$/);
});

test("[A2.1-04 A2.1-06] every path for agents is a screen", async ({ page }) => {
  await signIn(page, "linda", PASSWORD);
  await withEverything(page);
  await page.goto("/m/help");
  for (const [path, title] of Object.entries(AGENTS)) await opens(page, path, title);
});

test("[A2.1-07 A2.1-08 G2.1-28] the shared header and the tabs are hidden where a screen has its own", async ({
  page,
}) => {
  await signIn(page, "linda", PASSWORD);
  const { value } = await (await page.request.get("/api/v1/announcements?types=PR")).json();
  const balance = page.getByRole("link", { name: new RegExp(t("shell.balance")) });
  const tabs = page.getByRole("navigation", { name: t("shell.tabs") });
  await page.goto("/m/set");
  const title = page.getByRole("heading", { level: 1 });
  for (const [path, shared, tabbed, named] of [
    ["/m/message", false, true, t("screen.message_centre")],
    [`/m/activityDetail?id=${value.promotion[0].id}`, false, true, t("activity.detail")],
    ["/m/app", false, false, t("app.title")],
    ["/m/lottery", false, false, t("lottery.choose_game")],
    ["/m/agent", false, false, /./],
    ["/m/rewardCenter", true, true, /./],
    ["/m/help", true, true, /./],
  ] as const) {
    await goOnTo(page, path);
    await expect(title, path).toHaveText(named);
    await expect(page.getByRole("button", { name: t("shell.back") }), path).toHaveCount(1);
    // Only the shared header carries the balance.
    await expect(balance, path).toHaveCount(shared ? 1 : 0);
    await expect(tabs, path).toHaveCount(tabbed ? 1 : 0);
  }
});

test("[G2.1-28] a screen with its own bar has its title and a back button while its code loads, and when it fails to load", async ({
  page,
}) => {
  await signIn(page, "bea", PASSWORD);
  const { value } = await (await page.request.get("/api/v1/announcements?types=PR")).json();
  const title = page.getByRole("heading", { level: 1 });
  await page.route(/\/closed-screen-[^/]*\.js$/, (route) => route.abort());
  await page.route(/\/activity-detail-screen-[^/]*\.js$/, () => undefined);
  await page.goto("/m/help");
  for (const [path, named, leadsTo] of [
    ["/m/message", "screen.message_centre", /\/m\/home$/],
    [`/m/activityDetail?id=${value.promotion[0].id}`, "activity.detail", /\/m\/home$/],
  ] as const) {
    // A new page asks once more for code that failed to load.
    await visit(page, path);
    await expect(title, path).toHaveText(t(named));
    await page.getByRole("button", { name: t("shell.back") }).click();
    await expect(page, path).toHaveURL(leadsTo);
  }
});

test("[G2.1-28] a screen with its own bar has its title and a back button when it throws while it is drawn", async ({
  page,
}) => {
  // A promotion with only an id, which our server never sends.
  await page.route("**/api/v1/announcements?*types=PR*", (route) =>
    route.fulfill({ json: { value: { promotion: [{ id: "odd" }] } } }),
  );
  await page.goto("/m/help");
  await visit(page, "/m/activityDetail?id=odd");
  await expect(page.getByText(t("error.unknown"))).toBeVisible();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(t("activity.detail"));
  await page.getByRole("button", { name: t("shell.back") }).click();
  await expect(page).toHaveURL(/\/m\/home$/);
});

test("[A2.1-09 A2.1-10] back goes home where the screen says so, and one page back elsewhere", async ({
  page,
}) => {
  await signIn(page, "bea", PASSWORD);
  const back = page.getByRole("button", { name: t("shell.back") });
  await page.goto("/m/help");
  for (const path of ["/m/trail", "/m/activity", "/m/search", "/m/message"]) {
    await goOnTo(page, path);
    await back.click();
    await expect(page, path).toHaveURL(/\/m\/home$/);
    await goOnTo(page, "/m/help");
  }
  await goOnTo(page, "/m/hot-games");
  await tab(page, "/m/inviteFriends").click();
  await expect(page).toHaveURL(/\/m\/inviteFriends$/);
  await back.click();
  await expect(page).toHaveURL(/\/m\/hot-games$/);
});

function tab(page: Page, path: string): Locator {
  return page.getByRole("navigation", { name: t("shell.tabs") }).locator(`a[href="${path}"]`);
}

interface Fade {
  readonly ms: number;
  readonly steps: readonly (readonly string[])[];
}

/** The opacities of a screen's fade-in, and its duration in ms; null for no fade. */
async function fadeOf(page: Page, heading: string): Promise<Fade | null> {
  // The address and the highlighted tab change before the screen is there.
  await expect(page.getByRole("heading", { level: 1, name: heading })).toBeAttached();
  return await page.evaluate(() => {
    const screen = document.querySelector("#screen");
    if (screen === null) return null;
    const { animationName, animationDuration } = getComputedStyle(screen);
    if (animationName === "none") return null;
    // Read the rule of the animation, which may be over by now.
    const rules = (all: CSSRuleList): CSSRule[] =>
      [...all].flatMap((rule) => (rule instanceof CSSGroupingRule ? rules(rule.cssRules) : [rule]));
    // A style sheet that was preloaded is listed twice; the last rule of a name counts.
    const fade = [...document.styleSheets]
      .flatMap((sheet) => rules(sheet.cssRules))
      .filter((rule) => rule instanceof CSSKeyframesRule)
      .findLast(({ name }) => name === animationName);
    const frames = [...(fade?.cssRules ?? [])] as CSSKeyframeRule[];
    const steps = frames.map(({ keyText, style }) => [keyText, style.opacity]);
    return { ms: Number.parseFloat(animationDuration) * 1_000, steps };
  });
}

test("[A2.1-11 A2.1-12] a new page begins at its top and fades in over 300 ms", async ({
  page,
}) => {
  await page.goto("/m/home");
  expect(await fadeOf(page, t("home.heading"))).toBeNull();
  // This page begins at its top too, and is this long only when its lists are there.
  await expect(async () => {
    await page.evaluate(() => scrollTo(0, 600));
    expect(await page.evaluate(() => scrollY)).toBe(600);
  }).toPass();
  await tab(page, "/m/activity").click();
  expect(await fadeOf(page, t("activity.title"))).toEqual({ ms: 300, steps: [["0%", "0"]] });
  await expect.poll(() => page.evaluate(() => scrollY)).toBe(0);
});

/** A finger that moves from one place to another, as the browser reports it. */
function swipe(page: Page, from: number, to: number): Promise<void> {
  return page.evaluate(
    ([start = 0, end = 0]) => {
      const at = (clientX: number) => {
        const touch = new Touch({ identifier: 1, target: document.body, clientX, clientY: 300 });
        return { touches: [touch], bubbles: true };
      };
      document.body.dispatchEvent(new TouchEvent("touchstart", at(start)));
      document.body.dispatchEvent(new TouchEvent("touchmove", at(end)));
    },
    [from, to],
  );
}

test("[A2.1-13 A2.1-14] a page that a swipe of more than 100 px brought back does not fade, and later pages do", async ({
  page,
}) => {
  await page.clock.install();
  await page.goto("/m/home");
  const steps = async (swiped: number, afterMs: number) => {
    await tab(page, "/m/activity").click();
    await expect(page).toHaveURL(/\/m\/activity$/);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    // From here on time moves only by `runFor`. The clock runs until `pauseAt` is called.
    await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 60_000);
    await swipe(page, 10, 10 + swiped);
    await page.clock.runFor(afterMs);
    await page.evaluate(() => history.back());
    const faded = await fadeOf(page, t("home.heading"));
    await page.clock.resume();
    return faded?.ms ?? null;
  };
  expect(await steps(101, 400)).toBeNull();
  // The page does not fade either when it is drawn again long after the swipe.
  await page.clock.runFor(600);
  await page.getByRole("button", { name: t("shell.menu") }).click();
  await expect(page.getByRole("dialog", { name: t("shell.menu") })).toBeVisible();
  const fade = await page
    .locator("#screen")
    .evaluate((main) => getComputedStyle(main).animationName);
  expect(fade).toBe("none");
  await page.goBack();
  expect(await steps(100, 400)).toBe(300);
  expect(await steps(200, 500)).toBe(300);
});
