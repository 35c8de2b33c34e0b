import { headOf as wordsOf } from "@perya/contract/page-heads";
import type { Page } from "@playwright/test";
import { expect, test } from "./journey.ts";
import { inLanguage, visit } from "./screens.ts";
import { textsOf } from "./texts.ts";

const [ty, en] = [textsOf("ty"), textsOf("en")];

/** Each screen with its canonical address (games §2.13). */
const CANONICAL: readonly [path: string, canonical: string, heading: string][] = [
  ["/m/slot-games", "/rng", "type.RNG"],
  ["/m/live-games", "/live", "type.LIVE"],
  ["/m/poker-games", "/pvp", "type.PVP"],
  ["/m/fishing-games", "/fish", "type.FISH"],
  ["/m/activity", "/promotions", "activity.title"],
  ["/m/sport-games", "/sports", "type.SPORTS"],
  ["/m/cockfight", "/cockfight", "type.COCKFIGHT"],
];

interface Head {
  title: string;
  description: string;
  canonical: string;
}

/** The head as the page has it now. */
function headOf(page: Page): Promise<Head> {
  return page.evaluate(() => ({
    title: document.title,
    description: document.querySelector('meta[name="description"]')?.getAttribute("content") ?? "",
    canonical: new URL(document.querySelector('link[rel="canonical"]')?.getAttribute("href") ?? "")
      .pathname,
  }));
}

test("[G2.13-01 G2.13-02] the server writes each page's own head, and home's under one address", async ({
  request,
}) => {
  const served = async (path: string): Promise<Head> => {
    const answer = await request.get(path, { headers: { accept: "text/html" }, maxRedirects: 0 });
    expect(answer.status(), path).toBe(200);
    const html = await answer.text();
    const part = (form: RegExp) => form.exec(html)?.[1] ?? "";
    return {
      title: part(/<title>([^<]*)</),
      description: part(/<meta name="description" content="([^"]*)"/),
      canonical: new URL(part(/<link rel="canonical" href="([^"]*)"/)).pathname,
    };
  };
  const home = await served("/m/home");
  expect(home.canonical).toBe("/");
  for (const path of ["/", "/m", "/m/index", "/m/index.html"]) {
    expect(await served(path)).toEqual(home);
  }
  const titles = new Set([home.title]);
  for (const [path, canonical] of CANONICAL) {
    const head = await served(`${path}?page=2`);
    expect(head.canonical).toBe(canonical);
    expect(head.description).not.toBe(home.description);
    expect(await served(canonical)).toEqual(head);
    titles.add(head.title);
  }
  expect(titles.size).toBe(8);
  expect((await served("/m/set")).canonical).toBe("/m/set");
});

for (const language of ["TY", "EN"] as const) {
  test(`[G2.13-01 G2.13-02 G2.13-03] short addresses open their screens with a head in the player's language (${language})`, async ({
    page,
  }) => {
    const t = language === "TY" ? ty : en;
    await inLanguage(page, language);
    const brand = { name: "Perya", minimumAge: 21 };
    await page.goto("/m/set");
    // All short ones come first, each after a screen of another name.
    for (const short of [true, false]) {
      for (const [path, canonical, heading] of CANONICAL) {
        const address = short ? canonical : path;
        await visit(page, address);
        await expect(page.getByRole("heading", { level: 1 }), address).toHaveText(t(heading));
        await expect(page).toHaveURL(address);
        const expected = { ...wordsOf(path, language, brand), canonical };
        await expect.poll(() => headOf(page), address).toEqual(expected);
      }
      // Home comes after another screen each time.
      await visit(page, short ? "/" : "/m/home");
      const home = { ...wordsOf("/m/home", language, brand), canonical: "/" };
      await expect.poll(() => headOf(page), "home").toEqual(home);
    }
    await page.goto("/fish");
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(t("type.FISH"));
  });
}

test("[G2.13-01] going from page to page, and changing the language, changes the head", async ({
  page,
}) => {
  await page.goto("/m/home");
  const home = await headOf(page);
  await page.getByRole("link", { name: ty("shell.home_link", { brand: "Perya" }) }).waitFor();
  await visit(page, "/m/home?pop=menu");
  await page
    .getByRole("dialog", { name: ty("shell.menu") })
    .getByRole("link", { name: ty("type.FISH"), exact: true })
    .click();
  await expect.poll(async () => (await headOf(page)).canonical).toBe("/fish");
  await expect(page).toHaveTitle(/^Fishing games · /);
  const fishing = await headOf(page);
  expect(fishing.description).not.toBe(home.description);
  await visit(page, "/m/fishing-games?pop=language");
  await page
    .getByRole("dialog", { name: ty("shell.language") })
    .getByRole("radio", { name: "English" })
    .click();
  await expect.poll(async () => (await headOf(page)).description).toContain("bigger prizes");
  await visit(page, "/m/set");
  await expect(page).toHaveTitle(`${en("member.settings")} · Perya`);
  expect((await headOf(page)).canonical).toBe("/m/set");
  await visit(page, "/m/home");
  const back = wordsOf("/m/home", "EN", { name: "Perya", minimumAge: 21 });
  await expect.poll(() => headOf(page)).toEqual({ ...back, canonical: "/" });
  expect(back?.description).not.toBe(home.description);
});

test("search engines find the list of pages at the address in robots.txt", async ({ request }) => {
  const robots = await (await request.get("/robots.txt")).text();
  const [, sitemap = ""] = /^Sitemap: (.*)$/m.exec(robots) ?? [];
  const answer = await request.get(new URL(sitemap).pathname);
  expect(answer.headers()["content-type"]).toContain("application/xml");
  const listed = [...(await answer.text()).matchAll(/<loc>(.*?)<\/loc>/g)];
  const urls = listed.map(([, url = ""]) => url);
  expect(urls.length).toBeGreaterThan(8);
  for (const url of urls) {
    const page = await request.get(new URL(url).pathname, { maxRedirects: 0 });
    expect(page.status(), url).toBe(200);
    expect(await page.text()).toContain(`<link rel="canonical" href="${url}"`);
  }
});
