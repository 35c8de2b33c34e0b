import type { Page } from "@playwright/test";
import { inDatabase } from "./database.ts";
import { expect, test } from "./journey.ts";
import { type Perya, startPerya } from "./perya.ts";
import { atRest } from "./screens.ts";
import { signIn } from "./session.ts";

test.use({ serviceWorkers: "block" });

/** A word has no place to break at. */
const WORD = "W".repeat(10_000);
/** A title or a name is wider than any phone, and home shows many of them at once. */
const NAME = WORD.slice(0, 1_000);
const WIDTHS = [390, 320];
const HEIGHT = 844;
const PROMOTION = "ann_00000000000000000000000114";
const PAGES = [
  ...["/m/home", "/m/home?pop=announcements", "/m/home?pop=game&id=1001", "/m/help?tag=faq"],
  ...["/m/notice?index=0", "/m/activity", `/m/activityDetail?id=${PROMOTION}`],
  ...["/m/activity?pop=applications", "/m/slot-games", "/m/search?q=www", "/m/home?pop=providers"],
  ...["/m/lottery?vendor=ELOTT&playType=ent", "/m/lottery?gameCode=MABILIS_3D"],
  ...["/m/lottery?view=tickets", "/m/member/home", "/m/securityCenter"],
  ...["/m/securityCenter?tab=logins", "/m/securityCenter?tab=devices", "/m/gameRecord"],
];

let perya: Perya;

test.beforeAll(async () => {
  perya = await startPerya();
  await sayLongWords();
  // A process that starts reads the brand anew.
  await perya.kill();
  await perya.restart();
});

test.afterAll(() => perya.stop());

test("no page scrolls sideways for a word of 10,000 letters, at 390 and at 320 points", async ({
  browser,
}) => {
  test.setTimeout(400_000);
  const context = await browser.newContext({ baseURL: perya.url });
  const page = await context.newPage();
  await page.setViewportSize({ width: WIDTHS[0] ?? 0, height: HEIGHT });
  await signIn(page, "maria", "Fiesta2026");
  const wide: string[] = [];
  for (const path of PAGES) {
    await page.goto(path);
    await page.waitForLoadState("networkidle");
    await atRest(page);
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: HEIGHT });
      let found = await beyondTheEdge(page);
      // The layout for another width may still move, on a busy machine for seconds.
      for (let tries = 0; found !== null && tries < 50; tries++) {
        await page.waitForTimeout(100);
        found = await beyondTheEdge(page);
      }
      if (found !== null) wide.push(`${path} at ${width}: ${found}`);
    }
  }
  expect(wide).toEqual([]);
  await context.close();
});

/** The width of a page that is wider than the screen, and the element that causes it. */
function beyondTheEdge(page: Page): Promise<string | null> {
  return page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return null;
    const far = [...document.querySelectorAll("body *")].filter(
      (one) => one.getBoundingClientRect().right > clientWidth + 1,
    );
    return `${scrollWidth} by ${far.map((one) => `${one.tagName}.${one.className}`).slice(0, 4)}`;
  });
}

/** Puts a long word into each kind of free text that an operator or a player may write. */
async function sayLongWords(): Promise<void> {
  const both = "jsonb_build_object('TY', $1::text, 'EN', $1::text)";
  const html = "jsonb_build_object('TY', '<p>' || $1 || '</p>', 'EN', '<p>' || $1 || '</p>')";
  const named = [
    `UPDATE help_entries SET title = ${both}`,
    `UPDATE announcements SET title = ${both}`,
    "UPDATE vendors SET display_name = $1 WHERE sort < 5",
    "UPDATE games SET name = $1, vendor_name = $1 WHERE sort < 3 OR hot_sort < 3 OR lotto_mode <> ''",
    "UPDATE live_models SET name = $1",
    "UPDATE members SET nickname = $1",
    `INSERT INTO passkeys (id, merchant_id, member_id, credential_id, public_key, counter,
       transports, name, created_at)
     SELECT 'psk_long', merchant_id, id, 'long', '', 0, '{}', $1, now()
     FROM members WHERE username = 'maria'`,
  ];
  const told = [
    `UPDATE help_entries SET content = ${html}`,
    `UPDATE announcements SET content = ${html}`,
    "UPDATE login_events SET user_agent = $1, address = $1",
    "UPDATE promotion_applications SET remark = left($1, 140)",
    "UPDATE promotion_applications SET answer = $1 WHERE state <> 'pending'",
  ];
  await inDatabase(async (client) => {
    for (const statement of named) await client.query(statement, [NAME]);
    for (const statement of told) await client.query(statement, [WORD]);
  }, perya);
}
