import type { Page } from "@playwright/test";
import {
  KEY_PATHS,
  keyOfPath,
  PERMISSION_KEY_NAMES,
} from "../../packages/contract/src/permission-keys.ts";
import { inDatabase } from "./database.ts";
import { expect, test } from "./journey.ts";
import { loginDialog } from "./player.ts";
import { atRest, footOfHome, goOnTo, inLanguage } from "./screens.ts";
import { forgetAll, signIn } from "./session.ts";
import { textsOf } from "./texts.ts";

const t = textsOf("en");
const PASSWORD = "Fiesta2026";
/** By then every process has read a brand's settings, and every page is up to date. */
const SEEN_MS = 4_500;

/** Screens with entries, for each kind of player; no screen comes twice in a row. */
const ENTRIES: Readonly<Record<string, readonly string[]>> = {
  visitor: ["/m/home", "/m/help?pop=menu"],
  member: [
    ...["/m/home", "/m/help?pop=menu", "/m/member/home", "/m/help?pop=member", "/m/set"],
    ...["/m/gameRecord", "/m/transaction/record", "/m/voucherCenter", "/m/play/color-game"],
  ],
  agent: ["/m/home", "/m/help?pop=menu", "/m/set?pop=agent", "/m/help?pop=member"],
};
const NAMES: Readonly<Record<string, string>> = { member: "bea", agent: "linda" };

/** Screens that are reached by a launch or an address only, or have no entry yet. */
const WITHOUT_ENTRY = ["/m/play/cockfight", "/m/trail", "/m/webEmail"];
const PATHS = PERMISSION_KEY_NAMES.flatMap((key) => [...KEY_PATHS[key]]);

test.describe
  .serial("a feature that a brand has switched off", () => {
    let flags: unknown;

    test.beforeAll(async () => {
      flags = await inDatabase(async (client) => {
        const { rows } = await client.query("SELECT settings -> 'flags' AS flags FROM merchants");
        return rows[0]?.flags;
      });
    });

    test.afterAll(() => setFlags(flags));

    test("[A1-02 A6-11] has no entry for any player, and its address says that it is off; each feature that is on has an entry", async ({
      page,
    }) => {
      test.setTimeout(180_000);
      await inLanguage(page, "EN");
      await setFlags(Object.fromEntries(PERMISSION_KEY_NAMES.map((key) => [key, true])));
      const found = new Set<string>();
      for (const kind of Object.keys(ENTRIES)) {
        for (const path of await keyedLinks(page, kind)) found.add(path);
      }
      const missing = PATHS.filter((path) => !WITHOUT_ENTRY.includes(path) && !found.has(path));
      expect(missing, "paths without an entry").toEqual([]);

      await setFlags({});
      for (const kind of Object.keys(ENTRIES)) {
        // Guests are shown these to win them as players.
        const shown = kind === "visitor" ? ["/m/inviteFriends", "/m/member/benefits"] : [];
        const left = (await keyedLinks(page, kind)).filter((path) => !shown.includes(path));
        expect(left, kind).toEqual([]);
      }
      for (const path of PATHS) {
        await goOnTo(page, "/m/set");
        await goOnTo(page, path);
        await expect(page.getByText(t("error.feature_unavailable")), path).toBeVisible();
        await expect(page.getByRole("button", { name: t("shell.back") }), path).toBeVisible();
      }
      // The same path in capitals opens the same screen.
      await page.goto("/m/VOUCHERCENTER");
      await expect(page.getByText(t("error.feature_unavailable"))).toBeVisible();
    });

    test("[A6-11] is not offered by the log-in or a game: free play, a code by SMS, Facebook, Google", async ({
      page,
    }) => {
      await inLanguage(page, "EN");
      await setFlags({});
      await page.goto("/m/help?pop=login");
      const login = loginDialog(page, t);
      await expect(login.getByRole("button", { name: t("auth.login"), exact: true })).toBeVisible();
      await expect(login.getByRole("button", { name: t("auth.trial") })).toHaveCount(0);
      await expect(login.getByRole("tab")).toHaveCount(0);
      await expect(login.getByRole("button", { name: /Facebook|Google/ })).toHaveCount(0);
      await goOnTo(page, "/m/play/color-game");
      await expect(page.getByRole("heading", { name: t("games.guest_title") })).toBeVisible();
      await expect(page.getByRole("button", { name: t("auth.trial") })).toHaveCount(0);
      const hot = await page.request.get("/api/v1/games/hot");
      const [game] = (await hot.json()).value.list;
      await goOnTo(page, `/m/help?pop=game&id=${game.nodeId}`);
      await expect(page.getByRole("dialog").getByText(game.displayName).first()).toBeVisible();
      await expect(page.getByRole("button", { name: t("auth.trial") })).toHaveCount(0);
    });
  });

/** Addresses that depend on a permission key, of all entries that a kind of player sees. */
async function keyedLinks(page: Page, kind: string): Promise<string[]> {
  const name = NAMES[kind];
  if (name !== undefined) await signIn(page, name, PASSWORD);
  else if (page.url() !== "about:blank") await forgetAll(page);
  const found = new Set<string>();
  for (const [nth, entry] of (ENTRIES[kind] ?? []).entries()) {
    // The first page loads the brand's settings for all that follow.
    await (nth === 0 ? page.goto(entry) : goOnTo(page, entry));
    await atRest(page);
    if (entry.includes("pop=")) await expect(page.getByRole("dialog")).toBeVisible();
    if (entry === "/m/home") await footOfHome(page);
    const hrefs = await page.locator("a[href]").evaluateAll((links) =>
      links.flatMap((link) => {
        const { pathname, search } = new URL((link as HTMLAnchorElement).href); // of a[href]
        // A link that opens something over this page leads to no other.
        return pathname === location.pathname ? [] : [pathname + search];
      }),
    );
    for (const href of hrefs) if (keyOfPath(href) !== null) found.add(href);
    // The deposit entry is a button, not a link.
    const deposit = page.getByRole("dialog").getByRole("button", { name: t("cashier.deposit") });
    if ((await deposit.count()) > 0) found.add("/m/voucherCenter");
    for (const [tab, path] of TABS) {
      if ((await page.getByRole("radio", { name: tab }).count()) > 0) found.add(path);
    }
  }
  return [...found];
}

/** Tabs that split one screen. */
const TABS = [
  [t("cashier.deposit"), "/m/voucherCenter"],
  [t("cashier.withdraw"), "/m/withdraw"],
  [t("records.transactions"), "/m/transaction/record"],
] as const;

async function setFlags(flags: unknown): Promise<void> {
  await inDatabase((client) =>
    client.query("UPDATE merchants SET settings = jsonb_set(settings, '{flags}', $1)", [
      JSON.stringify(flags),
    ]),
  );
  await new Promise((done) => setTimeout(done, SEEN_MS));
}
