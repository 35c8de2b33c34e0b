import { expect, type Locator, type Page } from "@playwright/test";
import { proveOwner } from "./player.ts";
import type { textsOf } from "./texts.ts";

type T = ReturnType<typeof textsOf>;

export interface Screen {
  readonly name: string;
  readonly path: string;
  /** Opens the layer over the screen. */
  readonly open?: (page: Page, t: T) => Promise<unknown>;
}

/** Every screen a visitor can see. */
export const VISITOR_SCREENS: readonly Screen[] = [
  { name: "home", path: "/m/home" },
  { name: "home-bottom", path: "/m/home", open: footOfHome },
  { name: "home-category", path: "/m/home?cat=FISH" },
  { name: "menu", path: "/m/home?pop=menu" },
  { name: "language", path: "/m/home?pop=language" },
  { name: "language-search", path: "/m/home?pop=language", open: languageSearch },
  { name: "speed", path: "/m/home?pop=speed" },
  { name: "referral", path: "/m/home?pop=referral" },
  { name: "providers", path: "/m/home?pop=providers" },
  { name: "telegram", path: "/m/home?pop=telegram" },
  { name: "app", path: "/m/app" },
  { name: "download", path: "/m/home?pop=download" },
  { name: "login", path: "/m/login" },
  { name: "login-sms", path: "/m/login", open: byMobile },
  { name: "register", path: "/m/register" },
  { name: "register-mobile", path: "/m/register", open: byMobile },
  { name: "register-faults", path: "/m/register", open: registerFaults },
  { name: "countries", path: "/m/register", open: countries },
  { name: "forget", path: "/m/forget" },
  { name: "reset-spent", path: `/m/reset?token=${"x".repeat(43)}` },
  { name: "game-sheet", path: "/m/home?pop=game&id=1001" },
  { name: "game-sheet-vendor", path: "/m/home?pop=game&id=1050" },
  { name: "games", path: "/m/gameList" },
  { name: "slots", path: "/m/slot-games" },
  { name: "hot-games", path: "/m/hot-games" },
  { name: "search", path: "/m/search?q=jepney" },
  { name: "search-empty", path: "/m/search?q=zzzzzz" },
  { name: "play-as-guest", path: "/m/play/parol-fortune" },
  { name: "trial", path: "/m/trail" },
  { name: "help", path: "/m/help" },
  { name: "help-faq", path: "/m/help?tag=faq" },
  { name: "help-terms", path: "/m/help?tag=terms" },
  { name: "settings-visitor", path: "/m/set" },
  { name: "verify-email-spent", path: `/m/verifyEmail?token=${"x".repeat(43)}` },
  { name: "notices", path: "/m/notice" },
  { name: "promotions", path: "/m/activity" },
  { name: "promotion", path: "/m/activityDetail?id=ann_00000000000000000000000102" },
  { name: "home-promotions", path: "/m/home", open: toPromotions },
  { name: "notice-open", path: "/m/notice?index=0" },
  { name: "offline", path: "/m/offline" },
];

/** Every screen of a player who is logged in. */
export const MEMBER_SCREENS: readonly Screen[] = [
  { name: "home-member", path: "/m/home" },
  { name: "menu-member", path: "/m/home?pop=menu" },
  { name: "parol-fortune", path: "/m/play/parol-fortune", open: playable },
  { name: "color-game", path: "/m/play/color-game", open: playable },
  { name: "saranggola", path: "/m/play/saranggola" },
  { name: "lottery", path: "/m/lottery?vendor=ELOTT&playType=ent" },
  { name: "lottery-3d", path: "/m/lottery?gameCode=MABILIS_3D", open: luckyLine },
  { name: "lottery-6-49", path: "/m/lottery?gameCode=SUWERTE_6_49", open: luckyLine },
  { name: "lottery-tickets", path: "/m/lottery?view=tickets" },
  {
    name: "lottery-results",
    path: "/m/lottery?gameCode=MABILIS_6_49&view=results",
    open: drawProof,
  },
  { name: "lottery-numero", path: "/m/lottery?gameCode=MABILIS_6_49&view=numero" },
  { name: "sports", path: "/m/sportsLobby", open: moreOdds },
  { name: "sports-slip", path: "/m/sportsLobby?sport=esports", open: fullSlip },
  { name: "sports-bets", path: "/m/sportsLobby?part=bets" },
  { name: "red-rain", path: "/m/redRain" },
  { name: "red-rain-falling", path: "/m/redRain", open: rainFalls },
  { name: "fairness", path: "/m/fairness" },
  { name: "deposit", path: "/m/voucherCenter" },
  { name: "withdraw", path: "/m/withdraw" },
  { name: "game-record", path: "/m/gameRecord" },
  { name: "round", path: "/m/gameRecord", open: firstRow },
  { name: "transactions", path: "/m/transaction/record" },
  { name: "account", path: "/m/member/home" },
  { name: "notices-member", path: "/m/notice" },
  { name: "apply", path: "/m/activityDetail?id=ann_00000000000000000000000101&pop=apply" },
  { name: "applications", path: "/m/activity?pop=applications" },
  {
    name: "application",
    path: "/m/activityDetail?id=ann_00000000000000000000000114",
    open: toBottom,
  },
  { name: "login-announcement", path: "/m/home?pop=announcements" },
  { name: "settings", path: "/m/set" },
  { name: "feedback", path: "/m/feedback", open: feedbackFaults },
  { name: "change-password", path: "/m/changePsw" },
  { name: "sign-out", path: "/m/set?pop=signout" },
  { name: "security", path: "/m/securityCenter" },
  { name: "security-devices", path: "/m/securityCenter?tab=devices" },
  { name: "invite", path: "/m/inviteFriends" },
  { name: "member-menu", path: "/m/home?pop=member" },
  { name: "referral-member", path: "/m/home?pop=referral" },
  { name: "favourites", path: "/m/fav-games" },
  { name: "recent", path: "/m/gameList?tab=recent" },
  { name: "unavailable", path: "/m/member/benefits" },
  { name: "security-logins", path: "/m/securityCenter?tab=logins" },
  { name: "security-email", path: "/m/securityCenter?pop=security&id=email" },
  { name: "security-mobile", path: "/m/securityCenter?pop=security&id=mobile" },
  { name: "security-totp", path: "/m/securityCenter?pop=security&id=totp" },
  { name: "security-totp-code", path: "/m/securityCenter?pop=security&id=totp", open: totpCode },
  { name: "security-passkeys", path: "/m/securityCenter?pop=security&id=passkeys" },
  { name: "security-payment", path: "/m/securityCenter?pop=security&id=payment" },
  { name: "security-proof", path: "/m/securityCenter?pop=security&id=totp", open: proofOfOwner },
];

/** Every screen that only agents see. */
export const AGENT_SCREENS: readonly Screen[] = [
  { name: "contract-daily-salary", path: "/m/member/agent/getSalaryContract" },
  { name: "contract-dividend", path: "/m/member/agent/getDevidendContract" },
  { name: "contract-hourly-salary", path: "/m/member/agent/getHourContract" },
];

async function luckyLine(page: Page, t: T): Promise<void> {
  for (const step of ["lucky", "add_line", "lucky"]) {
    await page.getByRole("button", { name: t(`lottery.${step}`) }).click();
  }
}

/** Makes the server's answer say that the next rain falls now. */
export async function rainFalls(page: Page): Promise<void> {
  await page.route("**/api/v1/red-rain", async (route) => {
    const { value } = await (await route.fetch()).json();
    const [startsAt, endsAt] = [value.now - 5_000, value.now + 25_000];
    await route.fulfill({
      json: { value: { ...value, rain: { ...value.rain, startsAt, endsAt } } },
    });
  });
  await goOnTo(page, "/m/set");
  await goOnTo(page, "/m/redRain");
  await page.locator('[data-phase="falling"]').waitFor();
}

async function moreOdds(page: Page, t: T): Promise<void> {
  await page.getByText(t("sports.more"), { exact: true }).first().click();
}

async function fullSlip(page: Page, t: T): Promise<void> {
  const next = page.locator('[data-testid="match"][data-phase="next"]');
  for (const nth of [0, 1]) await next.nth(nth).getByTestId("odds").first().click();
  await page.getByRole("button", { name: new RegExp(t("sports.slip")) }).click();
}

async function drawProof(page: Page, t: T): Promise<void> {
  const draw = page.getByTestId("draw").first();
  await draw.getByText(t("lottery.proof"), { exact: true }).click();
  await draw.getByRole("button", { name: t("lottery.verify") }).click();
}

function toBottom(page: Page): Promise<unknown> {
  return page.evaluate(() => scrollTo(0, document.body.scrollHeight));
}

function toPromotions(page: Page, t: T): Promise<unknown> {
  return page.getByRole("heading", { name: t("activity.title") }).evaluate((one) => {
    one.scrollIntoView();
    scrollBy(0, -80);
  });
}

async function languageSearch(page: Page, t: T): Promise<void> {
  await page.getByRole("searchbox", { name: t("shell.language_search") }).fill("中");
}

function byMobile(page: Page, t: T): Promise<unknown> {
  return page.getByRole("tab", { name: t("auth.mobileNum") }).click();
}

/** The bottom of the form, with an error under each required field. */
async function registerFaults(page: Page, t: T): Promise<void> {
  await page.getByRole("checkbox").check();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: t("auth.register"), exact: true })
    .click();
}

async function countries(page: Page, t: T): Promise<void> {
  await byMobile(page, t);
  await page.getByRole("button", { name: t("auth.country_pick", { code: "+63" }) }).click();
  await page.getByRole("dialog", { name: t("auth.country"), exact: true }).waitFor();
}

/** A message that is written, while its type and captcha are still missing. */
async function feedbackFaults(page: Page, t: T): Promise<void> {
  await page.getByRole("img", { name: t("auth.captcha_simple_picture") }).waitFor();
  await page.getByLabel(t("feedback.content")).fill("Hindi pa dumarating ang deposit ko kahapon.");
  await page.getByRole("button", { name: t("feedback.send") }).click();
  await page.getByText(t("auth.captcha_enter")).waitFor();
}

/** The unconfirmed key for an authenticator app, of one of the demo's players. */
async function totpCode(page: Page, t: T): Promise<void> {
  await page.getByRole("button", { name: t("security.totp_begin") }).click();
  const key = page.getByRole("img", { name: t("security.totp_qr") });
  const proof = page.getByRole("dialog", { name: t("security.proof_title") });
  await key.or(proof).waitFor();
  // A session with a recent proof is not asked again.
  if (await proof.isVisible()) await proveOwner(page, t, "Fiesta2026");
  await key.waitFor();
}

/** The server's refusal of a session without a recent proof. */
export async function refuseOnce(page: Page, url: string): Promise<void> {
  const refusal = { code: "fresh_login_needed", status: 403, detail: "fresh login needed" };
  await page.route(
    url,
    (route) =>
      route.fulfill({ status: 403, contentType: "application/problem+json", json: refusal }),
    { times: 1 },
  );
}

/** Opens the proof sheet, even if the session gave a proof on the previous screen. */
async function proofOfOwner(page: Page, t: T): Promise<void> {
  await refuseOnce(page, "**/api/v1/member/totp");
  await page.getByRole("button", { name: t("security.totp_begin") }).click();
  await page.getByRole("dialog", { name: t("security.proof_title") }).waitFor();
}

function firstRow(page: Page): Promise<unknown> {
  return page.locator("main li button").first().click();
}

/** Waits until the game's table is laid out and its controls are on. */
function playable(page: Page): Promise<unknown> {
  return page.locator('[data-testid="game"][data-state="rest"]').waitFor();
}

/** Goes to another screen of the open app by its history, as a link does. */
export async function visit(page: Page, path: string): Promise<void> {
  await page.evaluate((to) => {
    history.pushState(null, "", to);
    dispatchEvent(new PopStateEvent("popstate"));
  }, path);
}

/** `visit`, and waits until the screen has changed, so that no test reads the previous one. */
export async function goOnTo(page: Page, path: string): Promise<void> {
  const before = await page.locator("#screen").elementHandle();
  await visit(page, path);
  await page.waitForFunction((screen) => !screen?.isConnected, before);
}

/** Waits until the page has nothing left to load. */
export async function atRest(page: Page): Promise<void> {
  await page.waitForLoadState("load");
  await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null);
  await page.evaluate(() => document.fonts.ready);
}

export async function logInAs(page: Page, t: T, username: string, password: string): Promise<void> {
  await page.goto("/m/login");
  const dialog = page.getByRole("dialog", { name: t("auth.login_title") });
  await dialog.getByRole("textbox", { name: t("auth.username"), exact: true }).fill(username);
  await dialog.getByLabel(t("auth.password"), { exact: true }).fill(password);
  await dialog.getByRole("button", { name: t("auth.login"), exact: true }).click();
  await dialog.waitFor({ state: "hidden" });
}

/** The long footer of home; it loads when scrolled near, and the page above it grows meanwhile. */
export async function footOfHome(page: Page): Promise<Locator> {
  const footer = page.locator("footer");
  await expect(async () => {
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    await expect(footer).toBeInViewport({ timeout: 500 });
  }).toPass();
  return footer;
}

/** Sets the language as the picker stores it, before the page's own code runs. */
export async function inLanguage(page: Page, language: "TY" | "EN"): Promise<void> {
  await page.addInitScript((code) => localStorage.setItem("MC_LANGUAGE", code), language);
}
