import type { Browser, Page } from "@playwright/test";
import { seriousFaults } from "./axe.ts";
import { expect, test } from "./journey.ts";
import {
  AGENT_SCREENS,
  atRest,
  goOnTo,
  inLanguage,
  MEMBER_SCREENS,
  type Screen,
  VISITOR_SCREENS,
  visit,
} from "./screens.ts";
import { signIn } from "./session.ts";
import { textsOf } from "./texts.ts";

const ty = textsOf("ty");

test.describe("axe finds nothing serious", () => {
  test.describe("for a visitor", () => {
    oneAfterAnother(VISITOR_SCREENS, (browser) => browser.newPage());
  });

  test.describe("for a member", () => {
    oneAfterAnother(MEMBER_SCREENS, (browser) => playerIn(browser, "maria"));
  });

  test.describe("for an agent", () => {
    oneAfterAnother(AGENT_SCREENS, (browser) => playerIn(browser, "boyet"));
  });
});

async function playerIn(browser: Browser, username: string): Promise<Page> {
  const page = await browser.newPage();
  await inLanguage(page, "TY");
  await signIn(page, username, "Fiesta2026");
  return page;
}

/**
 * The screens in one page of the app, which is loaded once. The page opens each as a link would,
 * from a screen on which none of them left anything.
 */
function oneAfterAnother(
  screens: readonly Screen[],
  begin: (browser: Browser) => Promise<Page>,
): void {
  let page: Page;
  test.beforeAll(async ({ browser }) => {
    page = await begin(browser);
    await page.goto("/m/set");
    await atRest(page);
  });
  test.afterAll(() => page.close());
  for (const [first, second] of visits(screens)) {
    const names = second === undefined ? first.name : `${first.name}, ${second.name}`;
    test(`on ${names}`, async () => {
      await show(page, first.path);
      await first.open?.(page, ty);
      expect(await seriousFaults(page), first.name).toEqual([]);
      if (second === undefined) return;
      await second.open?.(page, ty);
      expect(await seriousFaults(page), second.name).toEqual([]);
    });
  }
}

/** A screen and what the list opens over it next are one visit. */
function visits(screens: readonly Screen[]): readonly (readonly [Screen, Screen?])[] {
  const done: [Screen, Screen?][] = [];
  for (const screen of screens) {
    const before = done.at(-1);
    const over = before?.[0].path === screen.path && before[0].open === undefined;
    if (over && before.length === 1 && screen.open !== undefined) before.push(screen);
    else done.push([screen]);
  }
  return done;
}

async function show(page: Page, path: string): Promise<void> {
  // The offline screen closes by itself as soon as there is a network.
  await page.context().setOffline(path === "/m/offline");
  for (const address of wayTo(path)) {
    const go = sameScreen(new URL(page.url()).pathname, address) ? visit : goOnTo;
    await go(page, address);
    await page.waitForFunction(
      () =>
        document.body.classList.contains("popup-on") ===
        (document.querySelector("dialog[open], [role=dialog], [role=alertdialog]") !== null),
    );
    await atRest(page);
  }
}

/**
 * The screen before a path, so that the path's screen is drawn anew, and the path. What any screen
 * can open is opened over a short one; home stays below what has its own path.
 */
function wayTo(path: string): readonly [string, string] {
  if (/^\/m\/(login|register|forget|reset|changePsw)\b/.test(path)) return ["/m/home", path];
  if (path.startsWith("/m/set")) return ["/m/help", path];
  return ["/m/set", path.replace(/^\/m\/home\?pop=/, "/m/set?pop=")];
}

/** Home is one screen with several paths. */
function sameScreen(pathname: string, address: string): boolean {
  const [to = ""] = address.split("?");
  const isHome = (path: string) => /^\/m\/(home|login|register|forget|reset|changePsw)$/.test(path);
  return to === pathname || (isHome(to) && isHome(pathname));
}
