import type { Page } from "@playwright/test";
import { seriousFaults } from "./axe.ts";
import { withBrand } from "./brand-status.ts";
import { expect, test } from "./journey.ts";
import { loginDialog, stored } from "./player.ts";
import { atRest, footOfHome, goOnTo, inLanguage, visit } from "./screens.ts";
import { signIn } from "./session.ts";
import { textsOf } from "./texts.ts";

const t = textsOf("en");
const PASSWORD = "Fiesta2026";

/** Entries that depend on a flag or on the kind of player, by their text in the side menu. */
const ENTRIES = {
  records: t("records.games"),
  invite: t("invite.title"),
  vip: t("shell.vip"),
  missions: t("shell.missions"),
  messages: t("shell.messages"),
  chat: t("shell.live_chat"),
} as const;

type Entry = keyof typeof ENTRIES;

const LEADS_TO: Readonly<Record<Entry, string>> = {
  records: "/m/gameRecord",
  invite: "?pop=referral",
  vip: "/m/member/benefits",
  missions: "/m/leaderBoard",
  messages: "/m/messages",
  chat: "/m/chat",
};

/** Switches everything on for the brand, or off. */
async function atBrand(page: Page, on: boolean): Promise<void> {
  await withBrand(page, (info) => {
    for (const flag of ["TRANSBETREPMEM3", "MAILCEN", "CBS3", "REWCEN3"])
      info.whitelabel[flag] = on;
    for (const key of Object.keys(info.promoAvailability)) {
      info.promoAvailability[key] = { enabled: on };
    }
  });
}

async function becomeTrial(page: Page): Promise<void> {
  await page.goto("/m/help?pop=login");
  await loginDialog(page, t)
    .getByRole("button", { name: t("auth.trial") })
    .click();
  await expect(page.getByRole("dialog")).toBeHidden();
}

const KINDS: Record<string, (page: Page) => Promise<void>> = {
  visitor: async () => undefined,
  member: (page) => signIn(page, "bea", PASSWORD),
  trial: becomeTrial,
  agent: (page) => signIn(page, "linda", PASSWORD),
};

/** The entries of the menu over a screen, which is loaded anew. */
async function menuEntries(page: Page, screen: string): Promise<Entry[]> {
  await page.goto(`${screen}?pop=menu`);
  const menu = page.getByRole("dialog", { name: t("shell.menu") });
  await expect(menu.getByRole("link", { name: t("shell.fairness") })).toBeVisible();
  const names = await menu.getByRole("link").allInnerTexts();
  return (Object.keys(ENTRIES) as Entry[]).filter((entry) => names.includes(ENTRIES[entry]));
}

async function invites(page: Page): Promise<boolean> {
  const tabs = page.getByRole("navigation", { name: t("shell.tabs"), includeHidden: true });
  await tabs.getByRole("link", { includeHidden: true }).first().waitFor();
  const earn = t("shell.tab_earn", { amount: "50" });
  return tabs.getByRole("link", { name: earn, includeHidden: true }).isVisible();
}

/** Agents never see "Share and earn"; only guests see features that are off, to win them. */
const SEEN: readonly [kind: string, everything: Entry[], nothing: Entry[]][] = [
  ["visitor", ["records", "invite", "vip", "missions", "messages", "chat"], ["invite", "vip"]],
  ["member", ["records", "invite", "vip", "missions", "messages", "chat"], []],
  ["trial", ["records", "invite", "vip", "missions", "messages", "chat"], []],
  ["agent", ["records", "vip", "missions", "messages", "chat"], []],
];

test.beforeEach(({ page }) => inLanguage(page, "EN"));

for (const [kind, everything, nothing] of SEEN) {
  test(`[A1-01 A1-02 A6-09 A6-10 G3-12 G2.5-04 G2.5-08 G2.5-10] the menus of a player (${kind}) show the entries of this kind that the brand has on`, async ({
    page,
  }) => {
    await KINDS[kind]?.(page);
    await atBrand(page, true);
    expect(await menuEntries(page, "/m/help")).toEqual(everything);
    const menu = page.getByRole("dialog", { name: t("shell.menu") });
    for (const entry of everything) {
      const link = menu.getByRole("link", { name: ENTRIES[entry], exact: true });
      await expect(link, entry).toHaveAttribute("href", LEADS_TO[entry]);
    }
    const isInvited = everything.includes("invite");
    expect(await invites(page)).toBe(isInvited);
    if (kind !== "visitor") {
      await visit(page, "/m/member/home");
      const centre = page.getByRole("navigation", { name: t("member.menu") });
      await expect(centre.getByRole("link", { name: t("help.title") })).toBeVisible();
      const invite = centre.getByRole("link", { name: ENTRIES.invite, exact: true });
      await expect(invite).toHaveCount(isInvited ? 1 : 0);
    }
    if (!isInvited) {
      await visit(page, "/m/inviteFriends");
      const closed = page.getByRole("main").getByRole("heading", { name: t("shell.unavailable") });
      await expect(closed).toBeVisible();
    }
    await page.unrouteAll({ behavior: "wait" });
    await atBrand(page, false);
    expect(await menuEntries(page, "/m/home")).toEqual(nothing);
    await visit(page, "/m/home");
    await expect(page.getByRole("dialog")).toBeHidden();
    expect(await invites(page)).toBe(nothing.includes("invite"));
    const vip = (await footOfHome(page)).getByText(ENTRIES.vip);
    await expect(vip).toHaveCount(nothing.includes("vip") ? 1 : 0);
  });
}

test("[A6-04 A6-06 G2.4-07] a guest who taps an entry for players gets the log-in over the page, and messages, chat and the change of password lead to the log-in", async ({
  page,
}) => {
  await atBrand(page, true);
  await page.goto("/m/help");
  const earn = t("shell.tab_earn", { amount: "50" });
  for (const tab of [earn, t("shell.tab_prize"), t("shell.tab_member")]) {
    await page
      .getByRole("navigation", { name: t("shell.tabs") })
      .getByRole("link", { name: tab, exact: true })
      .click();
    await expect(loginDialog(page, t)).toBeVisible();
    await expect(page).toHaveURL(/\/m\/help\?/);
    await page.getByRole("button", { name: t("shell.close") }).click();
    await expect(page.getByRole("dialog")).toBeHidden();
  }
  await expect(page.getByText(t("error.free_reject"))).toHaveCount(0);

  for (const entry of ["messages", "chat"] as const) {
    const login = `/m/login?next=${encodeURIComponent(`/m/${entry}`)}`;
    await visit(page, "/m/help?pop=menu");
    const menu = page.getByRole("dialog", { name: t("shell.menu") });
    await menu.getByRole("link", { name: ENTRIES[entry] }).click();
    await expect(page).toHaveURL(login);
    await expect(loginDialog(page, t)).toBeVisible();
    await goOnTo(page, "/m/set");
    await visit(page, `/m/${entry}`);
    await expect(page).toHaveURL(login);
    await expect(loginDialog(page, t)).toBeVisible();
  }
  await visit(page, "/m/set");
  await page.getByRole("link", { name: t("auth.change_password") }).click();
  await expect(page).toHaveURL(/\/m\/login$/);
  await expect(loginDialog(page, t)).toBeVisible();
});

test("[A6-03 A6-05] a trial player is told to use a real account, and stays where they are", async ({
  page,
}) => {
  await atBrand(page, true);
  await becomeTrial(page);
  const reject = page.getByText("Please login an actual account to use this function");
  for (const entry of ["messages", "chat"] as const) {
    await visit(page, "/m/help?pop=menu");
    const menu = page.getByRole("dialog", { name: t("shell.menu") });
    await menu.getByRole("link", { name: ENTRIES[entry] }).click();
    await expect(reject).toBeVisible();
    await expect(page).toHaveURL(/\/m\/help\?/);
    await expect(reject).toBeHidden();
  }
  // The chat's round button on home is another entry, and so is the member centre's red rain.
  await visit(page, "/m/home");
  await page
    .getByRole("complementary", { name: t("home.extras") })
    .getByRole("link", { name: t("shell.live_chat") })
    .click();
  await expect(reject).toBeVisible();
  await expect(page).toHaveURL(/\/m\/home$/);
  await expect(reject).toBeHidden();
  await visit(page, "/m/member/home");
  await page
    .getByRole("main")
    .getByRole("link", { name: t("screen.red_rain") })
    .click();
  await expect(reject).toBeVisible();
  await expect(page).toHaveURL(/\/m\/member\/home$/);
  await expect(reject).toBeHidden();
  for (const path of ["/m/voucherCenter", "/m/withdraw", "/m/messages", "/m/chat"]) {
    await goOnTo(page, path);
    await expect(page.getByRole("main").getByText(t("error.free_reject"))).toBeVisible();
  }
});

test("[A2.1-16 A4-04 G2.1-07] </m/trail is its own screen, which starts free play", async ({
  page,
}) => {
  // Without a game, the screen starts free play by the call for trial accounts.
  const granted = page.waitForResponse(/\/auth\/trial-account$/);
  await page.goto("/m/trail");
  await expect(page).toHaveURL(/\/m\/trail$/);
  await expect(page.getByRole("heading", { name: t("games.trial_title") })).toBeVisible();
  await page
    .getByRole("main")
    .getByRole("button", { name: t("auth.trial") })
    .click();
  const { token } = (await (await granted).json()).value;
  await expect(page).toHaveURL(/\/m\/home$/);
  expect((await stored(page)).session).toMatchObject({ type: 4, token });
  const bar = page.getByRole("banner");
  await expect(bar.getByText(t("shell.trial_name"))).toBeVisible();
  const register = { name: t("auth.register"), exact: true };
  await expect(bar.getByRole("button", register)).toHaveCount(0);
  await expect(page.getByRole("heading", { level: 1, name: t("home.heading") })).toBeAttached();
  await bar.getByRole("link", { name: t("shell.trial_name") }).click();
  const menu = page.getByRole("dialog", { name: t("member.menu") });
  await expect(menu.getByRole("button", register)).toBeVisible();
  await goOnTo(page, "/m/trail");
  await expect(page.getByText(t("games.trial_logged_in"))).toBeVisible();
  await expect(page.getByRole("main").getByRole("button", { name: t("auth.trial") })).toHaveCount(
    0,
  );
});

test("the address of a feature that a brand lacks says so, and the invitation shows the player's own code", async ({
  page,
}) => {
  await signIn(page, "bea", PASSWORD);
  await page.goto("/m/help");
  for (const path of ["/m/member/benefits", "/m/leaderBoard", "/m/messages"]) {
    await goOnTo(page, path);
    await expect(page.getByRole("heading", { name: t("shell.unavailable") })).toBeVisible();
  }
  await goOnTo(page, "/m/inviteFriends");
  const code = page.getByText(/^[A-HJ-NP-Z2-9]{8}$/);
  await expect(code).toBeVisible();
  const shown = await code.innerText();
  await expect(page.getByText(`/m/register?id=${shown}`)).toBeVisible();
  await atRest(page);
  expect(await seriousFaults(page)).toEqual([]);
});
