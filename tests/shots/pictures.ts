import type { Page } from "@playwright/test";
import {
  toCaptcha,
  toRecoveryByPhone,
  toRecoveryCode,
  toRecoveryDone,
  toResetForm,
  toSamePassword,
  toSecondFactor,
} from "../e2e/account-steps.ts";
import { withStatus } from "../e2e/brand-status.ts";
import {
  AGENT_SCREENS,
  atRest,
  MEMBER_SCREENS,
  rainFalls,
  type Screen,
  VISITOR_SCREENS,
} from "../e2e/screens.ts";

export interface Picture extends Screen {
  readonly width: number;
  readonly height: number;
}

/** A flight may be long, and the next one waits for its end. */
const FLIGHT_MS = 180_000;

const MORE_OF_A_VISITOR: readonly Screen[] = [
  { name: "offline", path: "/m/home", open: offline },
  { name: "home-live", path: "/m/home?cat=LIVE" },
  { name: "home-sports", path: "/m/home?cat=SPORTS" },
  { name: "home-lottery", path: "/m/home?cat=LOTT" },
  { name: "filter-of-a-vendor", path: "/m/slot-games", open: filterOfVendor },
  { name: "play-as-guest-kite", path: "/m/play/saranggola" },
  { name: "cockfight-off", path: "/m/play/cockfight" },
  { name: "fairness-visitor", path: "/m/fairness" },
  { name: "login-captcha", path: "/m/home", open: toCaptcha },
  { name: "second-factor", path: "/m/home", open: toSecondFactor },
  { name: "recovery-1", path: "/m/home", open: toRecoveryByPhone },
  { name: "recovery-2", path: "/m/home", open: toRecoveryCode },
  { name: "recovery-3", path: "/m/home", open: toRecoveryDone },
  { name: "reset-form", path: "/m/home", open: toResetForm },
  { name: "register-bottom", path: "/m/register", open: registerBottom },
  { name: "maintenance", path: "/m/home", open: (page) => closed(page, "maintenance") },
  { name: "denied", path: "/m/home", open: (page) => closed(page, "regionRestriction") },
];

const MORE_OF_A_MEMBER: readonly Screen[] = [
  { name: "same-password", path: "/m/home", open: toSamePassword },
  { name: "parol-spun", path: "/m/play/parol-fortune", open: spin },
  ...sheets("parol-fortune", ["info", "history", "stake", "auto", "sound", "funds"]),
  { name: "color-game-bets", path: "/m/play/color-game", open: bet },
  ...sheets("color-game", ["info"]),
  { name: "saranggola", path: "/m/play/saranggola", open: (page) => phase(page, "waiting") },
  { name: "saranggola-flying", path: "/m/play/saranggola", open: (page) => phase(page, "flying") },
  { name: "saranggola-over", path: "/m/play/saranggola", open: (page) => phase(page, "crashed") },
  ...sheets("saranggola", ["info", "history"]),
  { name: "vendor-table", path: "/m/slot-games?vassalage=PGE", open: atVendor },
  { name: "vendor-lobby", path: "/m/sport-games?vassalage=AV", open: atVendor },
  { name: "vendor-down", path: "/m/slot-games?vassalage=LWY", open: firstTile },
  { name: "proof", path: "/m/gameRecord", open: proof },
  { name: "proof-of-a-round", path: "/m/gameRecord", open: revealed },
  {
    name: "seeds",
    path: "/m/fairness",
    open: (page, t) => page.getByText(t("fairness.tab_seeds"), { exact: true }).click(),
  },
  {
    name: "by-hand",
    path: "/m/fairness",
    open: (page, t) => page.getByText(t("fairness.manual"), { exact: true }).click(),
  },
  { name: "red-rain-caught", path: "/m/redRain", open: packetCaught },
  { name: "sports-bets", path: "/m/sportsLobby", open: sportsBets },
  { name: "sports-results", path: "/m/sportsLobby?sport=esports&part=results", open: matchProof },
  {
    name: "deposit-bottom",
    path: "/m/voucherCenter",
    open: (page, t) =>
      page
        .getByRole("heading", { name: t("cashier.my_deposits") })
        .evaluate((one) => one.scrollIntoView()),
  },
];

const MORE_OF_AN_AGENT: readonly Screen[] = [
  { name: "contract-prompt", path: "/m/home?pop=contract&id=dividend" },
  {
    name: "contract-accept",
    path: "/m/member/agent/getDevidendContract",
    open: (page, t) => page.getByRole("button", { name: t("agent.accept"), exact: true }).click(),
  },
];

const SMALL_OF_A_VISITOR = [
  "home",
  "menu",
  "login",
  "login-sms",
  "login-captcha",
  "register",
  "recovery-2",
  "game-sheet",
  "play-as-guest",
];
const SMALL_OF_A_MEMBER = [
  "security",
  "security-totp-code",
  "home-member",
  "parol-fortune",
  "color-game",
  "color-game-bets",
  "saranggola",
  "deposit",
  "withdraw",
  "game-record",
  "proof",
];

export const VISITOR_PICTURES = pictures(VISITOR_SCREENS, MORE_OF_A_VISITOR, SMALL_OF_A_VISITOR);
export const MEMBER_PICTURES = pictures(MEMBER_SCREENS, MORE_OF_A_MEMBER, SMALL_OF_A_MEMBER);
export const AGENT_PICTURES = pictures(AGENT_SCREENS, MORE_OF_AN_AGENT, ["contract-dividend"]);

/** All at a common phone's size, some also at the smallest; a later screen replaces its name. */
function pictures(
  screens: readonly Screen[],
  more: readonly Screen[],
  small: readonly string[],
): readonly Picture[] {
  const byName = new Map([...screens, ...more].map((screen) => [screen.name, screen]));
  const all = [...byName.values()];
  return [
    ...all.map((screen) => ({ ...screen, width: 390, height: 844 })),
    ...all
      .filter(({ name }) => small.includes(name))
      .map((screen) => ({ ...screen, name: `small-${screen.name}`, width: 360, height: 640 })),
  ];
}

/** The address's hash names a game's sheets. */
function sheets(game: string, names: readonly string[]): Screen[] {
  return names.map((name) => ({ name: `${game}-${name}`, path: `/m/play/${game}#${name}` }));
}

/** A packet that has opened; the test answers its amount, and the rain, in the server's place. */
async function packetCaught(page: Page, t: T): Promise<void> {
  await rainFalls(page);
  await page.route("**/api/v1/red-rain/catches", async (route) => {
    const amount = { minor: "1520", currency: "PHP" };
    const value = { ...route.request().postDataJSON(), amount, at: Date.now() };
    await route.fulfill({ json: { value } });
  });
  await page.getByRole("button", { name: t("rain.catch", { caught: "0", of: "3" }) }).click();
  await page.getByText(t("rain.caught", { amount: "₱15.20" })).waitFor();
}

/** Bets on two matches that wait for their start, as singles and as a multi. */
async function sportsBets(page: Page, t: T): Promise<void> {
  const next = page.locator('[data-testid="match"][data-phase="next"]');
  const slip = page.getByTestId("slip");
  for (const kind of ["singles", "multi"]) {
    for (const nth of [4, 5]) await next.nth(nth).getByTestId("odds").first().click();
    await page.getByRole("button", { name: new RegExp(t("sports.slip")) }).click();
    await page.getByRole("radio", { name: t(`sports.${kind}`) }).press("Space");
    await slip.getByRole("checkbox").check();
    await slip.getByRole("button", { name: /₱/ }).click();
    await slip.waitFor({ state: "hidden" });
  }
  await page.getByRole("radio", { name: t("sports.bets") }).press("Space");
  await page.getByTestId("bet").first().waitFor();
}

/** The first e-sports match that has ended; right after a first start there may be none. */
async function matchProof(page: Page, t: T): Promise<void> {
  const result = page.getByTestId("result").first();
  if ((await result.count()) === 0) return;
  await result.getByText(t("sports.proof"), { exact: true }).click();
  await result.getByRole("button", { name: t("sports.verify") }).click();
}

async function filterOfVendor(page: Page, t: T): Promise<void> {
  await page.getByRole("button", { name: t("games.filter") }).click();
  const panel = page.getByRole("dialog", { name: t("games.filter") });
  await panel.getByLabel(t("games.provider")).selectOption("PGE");
  // Wait until the number of games is beside each choice.
  await panel.getByText(/\d$/).first().waitFor();
}

function registerBottom(page: Page, t: T): Promise<void> {
  return page.getByText(t("auth.have_account")).scrollIntoViewIfNeeded();
}

async function closed(page: Page, flag: "maintenance" | "regionRestriction"): Promise<void> {
  await withStatus(page, (status) => {
    status[flag] = true;
  });
  await page.goto("/m/home");
}

/**
 * The offline screen closes by itself if there is a network. The service worker would have its
 * picture; there is none here, so the page loads it before.
 */
async function offline(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const art = document.createElement("img");
    art.src = "/scenes/offline.svg";
    await art.decode();
    document.body.append(art);
    art.hidden = true;
  });
  await page.context().setOffline(true);
  await page.evaluate(() => {
    history.pushState(null, "", "/m/offline");
    dispatchEvent(new PopStateEvent("popstate"));
  });
}

async function firstTile(page: Page, t: T): Promise<void> {
  await page
    .getByRole("list", { name: t("games.results") })
    .getByRole("link")
    .first()
    .click();
  await page.getByRole("dialog").waitFor();
}

/** The first game of the list, in its vendor's frame. */
async function atVendor(page: Page, t: T): Promise<void> {
  await firstTile(page, t);
  await page
    .getByRole("dialog")
    .getByRole("button", { name: t("games.play") })
    .click();
  await page.frameLocator("iframe").getByTestId("vendor-table").waitFor();
}

async function phase(page: Page, wanted: string): Promise<void> {
  const game = page.locator(`[data-testid="game"][data-state="${wanted}"]`);
  await game.waitFor({ timeout: FLIGHT_MS });
}

type T = Parameters<NonNullable<Screen["open"]>>[1];

async function spin(page: Page, t: T): Promise<void> {
  await phase(page, "rest");
  await page.getByRole("button", { name: t("games.spin"), exact: true }).click();
  await phase(page, "showing");
  await phase(page, "rest");
}

async function bet(page: Page, t: T): Promise<void> {
  await phase(page, "rest");
  for (const colour of ["games.colour_red", "games.colour_blue", "games.colour_blue"]) {
    await page
      .getByRole("button", { name: t(colour) })
      .first()
      .click();
  }
}

async function proof(page: Page, t: T): Promise<void> {
  await page.locator("main li button").first().click();
  await page.getByRole("link", { name: t("records.verify") }).click();
  await page.waitForURL(/\/m\/fairness/);
  await atRest(page);
}

async function revealed(page: Page, t: T): Promise<void> {
  await proof(page, t);
  await page.getByRole("button", { name: t("fairness.reveal_now") }).click();
  // Scroll the whole proof below the header.
  await page.getByTestId("proof").evaluate((one) => one.scrollIntoView());
  await page.evaluate(() => scrollBy(0, -72));
}
