import type { Page } from "@playwright/test";
import { seriousFaults } from "./axe.ts";
import { expect, test } from "./journey.ts";
import { freshName, loginDialog } from "./player.ts";
import { inLanguage, visit } from "./screens.ts";
import { newMember, verifyNumber } from "./session.ts";
import { textsOf } from "./texts.ts";

test.use({ contextOptions: { reducedMotion: "no-preference" } });

const ty = textsOf("ty");
const en = textsOf("en");
const FIRST = "Unang sakay: ₱77 para sa bagong player";
const TREASURE = "Baul ng unang deposit: 50% hanggang ₱1,000";
const LAST = "Balik-probinsya: ikuwento ang perya ninyo";
/** One pixel. */
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
  "base64",
);
/** Promotions of the demo, in their order. */
const FIRST_ID = "ann_00000000000000000000000101";
const TREASURE_ID = "ann_00000000000000000000000102";
const CROWN_ID = "ann_00000000000000000000000112";

test("[G2.10-01 G2.10-02 G2.10-06 G2.10-08] promotions are listed by group, each with its picture, its days and a page", async ({
  page,
}) => {
  await page.route(/\/api\/v1\/announcements\?/, async (route) => {
    const response = await route.fetch();
    const json = await response.json();
    for (const { announcementImages: images } of json.value.promotion) {
      images.unshift({ ...images[0], sequence: 2, url: "/art/banner/second.svg" });
      images.push({ ...images[0], sequence: 3, url: "/art/banner/third.svg" });
    }
    await route.fulfill({ response, json });
  });
  await page.goto("/m/activity");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(ty("activity.title"));
  const menu = page.getByRole("radiogroup", { name: ty("activity.groups") });
  await expect(menu.getByRole("radio")).toHaveCount(14);
  const tops = await menu
    .getByRole("radio")
    .evaluateAll((radios) => radios.map((radio) => radio.getBoundingClientRect().top));
  expect(new Set(tops).size, "in one row").toBe(1);
  await expect(menu.getByRole("radio").first()).toHaveAccessibleName(ty("promo.all"));
  const cards = cardsOf(page);
  await expect(cards).toHaveCount(15);
  const first = cards.filter({ hasText: FIRST });
  await expect(first.locator("img")).toHaveAttribute("src", "/art/banner/first-ride.svg");
  await expect(first).toContainText(/\d\d\/\d\d\/\d{4} – pangmatagalan/);
  await expect(cards.filter({ hasText: LAST })).toContainText(
    /\d\d\/\d\d\/\d{4} – \d\d\/\d\d\/\d{4}/,
  );
  expect(await seriousFaults(page)).toEqual([]);
  await menu.getByText(ty("promo.deposit_promo"), { exact: true }).click();
  await expect(cards).toHaveCount(2);
  await cards.filter({ hasText: TREASURE }).click();
  await expect(page).toHaveURL(new RegExp(`/m/activityDetail\\?id=${TREASURE_ID}$`));
  await expect(page.getByRole("heading", { level: 2, name: TREASURE })).toBeVisible();
  await page.goBack();
  await expect(cards).toHaveCount(2);
});

test("[A9-02 G2.10-03] opening the promotions fetches them, shows that for three seconds at most, and starts at the top", async ({
  page,
}) => {
  let answer = () => {};
  const held = new Promise<void>((done) => {
    answer = done;
  });
  await page.clock.install();
  await page.goto("/m/set");
  await page.route("**/api/v1/announcements?*types=PR*", async (route) => {
    await held;
    await route.continue();
  });
  const asked = page.waitForRequest("**/api/v1/announcements?*types=PR*");
  await visit(page, "/m/activity");
  await asked;
  const toast = page.locator("[data-sonner-toast]", { hasText: ty("shell.in_please_wait") });
  await expect(toast).toBeVisible();
  await page.clock.runFor(3_500);
  await expect(toast).toBeHidden();
  answer();
  await expect(cardsOf(page)).toHaveCount(15);
  await page.getByRole("button", { name: ty("shell.back") }).click();
  await expect(page).toHaveURL(/\/m\/home$/);
  // They are fetched each time, and start at the top although the page before was scrolled down.
  await visit(page, "/m/slot-games");
  await expect
    .poll(() =>
      page.evaluate(() => {
        scrollTo(0, 1_000);
        return scrollY;
      }),
    )
    .toBe(1_000);
  const again = page.waitForRequest("**/api/v1/announcements?*types=PR*");
  await visit(page, "/m/activity");
  await again;
  await expect(cardsOf(page)).toHaveCount(15);
  expect(await page.evaluate(() => scrollY)).toBe(0);
});

test("[G2.10-04] an id in the address makes that promotion the active one", async ({ page }) => {
  await page.goto(`/m/activity?id=${CROWN_ID}`);
  const active = page.getByRole("main").locator('[aria-current="true"]');
  await expect(active).toHaveCount(1);
  await expect(active).toContainText("Paano tumaas ang VIP mo");
  await expect(active).toBeInViewport();
  await visit(page, "/m/activity?id=ann_none");
  await expect(cardsOf(page)).toHaveCount(15);
  await expect(active).toHaveCount(0);
});

test("[G2.10-05] the page of a brand without promotions says so", async ({ page }) => {
  await page.route("**/api/v1/announcements?*types=PR*", async (route) => {
    const answer = await route.fetch();
    const { value } = await answer.json();
    await route.fulfill({ response: answer, json: { value: { ...value, promotion: [] } } });
  });
  await page.goto("/m/activity");
  await expect(page.getByRole("heading", { name: ty("activity.none") })).toBeVisible();
});

test("[A2.1-04 G2.10-09 G2.10-10] the page of a promotion has its own bar, its picture and its terms", async ({
  page,
}) => {
  await page.goto("/m/activityDetail");
  await expect(page).toHaveURL(/\/m\/activity$/);
  await cardsOf(page).filter({ hasText: FIRST }).click();
  await expect(page).toHaveURL(new RegExp(`/m/activityDetail\\?id=${FIRST_ID}$`));
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(ty("activity.detail"));
  await expect(page.getByRole("heading", { level: 2, name: FIRST })).toBeVisible();
  await expect(page.getByRole("heading", { level: 3, name: "Mga tuntunin" })).toBeVisible();
  await expect(slideInSight(page).locator("img")).toHaveAttribute(
    "src",
    "/art/banner/first-ride.svg",
  );
  expect(await seriousFaults(page)).toEqual([]);
  await page.getByRole("button", { name: ty("shell.back") }).click();
  await expect(page).toHaveURL(/\/m\/activity$/);
  await visit(page, "/m/activityDetail?id=ann_gone");
  await expect(page.getByRole("heading", { name: ty("activity.over") })).toBeVisible();
  await page.getByRole("link", { name: ty("activity.see_all") }).click();
  await expect(page).toHaveURL(/\/m\/activity$/);
});

test("[G2.10-11 G2.10-12] the banners turn in a circle, by arrows and by hand, and the text below follows them", async ({
  page,
}) => {
  await page.goto(`/m/activityDetail?id=${FIRST_ID}`);
  const title = page.getByRole("main").getByRole("heading", { level: 2 });
  await expect(title).toHaveText(FIRST);
  await page.getByRole("button", { name: ty("activity.previous") }).click();
  await expect(title).toHaveText(LAST);
  await page.getByRole("button", { name: ty("activity.next") }).click();
  await expect(title).toHaveText(FIRST);
  // A finger put down while the slides move would only stop them.
  const track = slideInSight(page).locator("..");
  const place = () => track.evaluate((element) => element.getBoundingClientRect().x);
  await expect(track).toHaveAttribute("style", /translate/);
  let before = Number.NaN;
  await expect
    .poll(async () => {
      const last = before;
      before = await place();
      return before === last;
    })
    .toBe(true);
  const box = await slideInSight(page).boundingBox();
  if (box === null) throw new Error("no slide is in sight");
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width * 0.7, y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.1, y, { steps: 8 });
  await page.mouse.up();
  await expect(title).toHaveText(TREASURE);
  await expect(page).toHaveURL(new RegExp(`id=${TREASURE_ID}$`));
  await expect(page.getByText("Dagdag na kalahati sa una mong deposit.")).toBeVisible();
});

test.describe("a banner that does not load", () => {
  // A service worker would fetch the banner without the page.
  test("[G2.10-13] is hidden, and its title stays", async ({ page }) => {
    await page.route("**/art/banner/first-ride.svg", (route) => route.abort());
    await page.goto(`/m/activityDetail?id=${FIRST_ID}`);
    await expect(page.getByRole("heading", { level: 2, name: FIRST })).toBeVisible();
    await expect(slideInSight(page).locator("img")).toBeHidden();
    await page.getByRole("button", { name: ty("activity.next") }).click();
    await expect(slideInSight(page).locator("img")).toBeVisible();
  });
});

for (const [language, t] of [
  ["TY", ty],
  ["EN", en],
] as const) {
  test(`[G2.10-17 G2.5-05] home shows the first three promotions in order, and the menu leads to all (${language})`, async ({
    page,
  }) => {
    const answer = await page.request.get("/api/v1/announcements?types=PR", {
      headers: { "x-language": language },
    });
    const { value } = await answer.json();
    const titles = value.promotion.map(({ title }: { title: string }) => title);
    expect(titles).toHaveLength(15);
    await inLanguage(page, language);
    await page.goto("/m/home");
    const row = page.getByRole("list", { name: t("activity.title") });
    await page.getByRole("heading", { name: t("activity.title") }).scrollIntoViewIfNeeded();
    await expect(row.getByRole("link")).toHaveCount(3);
    await expect(row.getByRole("link")).toContainText(titles.slice(0, 3));
    await visit(page, "/m/home?pop=menu");
    await page
      .getByRole("dialog")
      .getByRole("link", { name: t("activity.title") })
      .click();
    await expect(page).toHaveURL(/\/m\/activity$/);
    await expect(cardsOf(page)).toHaveCount(15);
  });
}

test("[G2.10-14 G2.10-15 G2.10-16] a player applies with pictures and a remark within the limits, and sees the result", async ({
  page,
}) => {
  const name = freshName();
  await newMember(page, name);
  await verifyNumber(name);
  await page.goto(`/m/activityDetail?id=${FIRST_ID}`);
  await page.getByRole("button", { name: ty("activity.apply"), exact: true }).click();
  await expect(page).toHaveURL(new RegExp(`id=${FIRST_ID}&pop=apply$`));
  const sheet = page.getByRole("dialog", { name: ty("activity.apply_title") });
  const files = sheet.locator('input[type="file"]');
  const send = sheet.getByRole("button", { name: ty("activity.send") });
  const disguised = { name: "receipt.png", mimeType: "image/png", buffer: Buffer.from("<html>") };
  await files.setInputFiles(disguised);
  await expect(sheet.getByText(ty("activity.picture_kind"))).toBeVisible();
  const large = Buffer.concat([PNG, Buffer.alloc(5 * 1024 * 1024)]);
  await files.setInputFiles({ ...disguised, buffer: large });
  await expect(sheet.getByText(ty("activity.picture_size"))).toBeVisible();
  await expect(sheet.getByRole("img")).toHaveCount(0);
  // The name that the phone gives a picture does not matter.
  await files.setInputFiles({ name: "IMG.HEIC", mimeType: "", buffer: PNG });
  await expect(sheet.getByRole("img", { name: picture(1), exact: true })).toBeVisible();
  const named = (name: string) => ({ name, mimeType: "image/png", buffer: PNG });
  await files.setInputFiles([named("b.png"), named("c.png"), named("d.png")]);
  await expect(sheet.getByText(ty("activity.picture_count"))).toBeVisible();
  await expect(sheet.getByRole("img", { name: picture(3), exact: true })).toBeVisible();
  await expect(files).toHaveCount(0);
  const second = sheet.getByRole("button", {
    name: ty("activity.remove_picture", { position: "2" }),
  });
  await second.click();
  await expect(sheet.getByRole("img")).toHaveCount(2);
  // The focused picture was the third one before.
  await expect(second).toBeFocused();
  const remark = sheet.getByRole("textbox", { name: ty("activity.remark") });
  await remark.pressSequentially("x".repeat(145), { delay: 0 });
  await expect(remark).toHaveValue("x".repeat(140));
  await expect(sheet.getByText("140/140")).toBeVisible();
  await remark.fill("Bago lang po ako.");
  expect(await seriousFaults(page)).toEqual([]);
  await send.click();
  await expect(sheet).toBeHidden();
  await expect(page).toHaveURL(new RegExp(`activityDetail\\?id=${FIRST_ID}$`));
  const sent = page.getByRole("main").getByRole("article").getByRole("article");
  await expect(sent).toContainText(ty("activity.state_pending"));
  await expect(sent).toContainText("Bago lang po ako.");
  await expect(sent.getByRole("img")).toHaveCount(2);
  await expect(page.getByRole("button", { name: ty("activity.apply"), exact: true })).toHaveCount(
    0,
  );
  await visit(page, "/m/activity");
  await page.getByRole("button", { name: ty("activity.applications") }).click();
  const own = page.getByRole("dialog", { name: ty("activity.applications") });
  await expect(own).toContainText(FIRST);
  await expect(own).toContainText(ty("activity.state_pending"));
  expect(await seriousFaults(page)).toEqual([]);
  await page.goBack();
  await expect(own).toBeHidden();
});

test("a guest who applies is asked to log in first, and comes back to the promotion", async ({
  page,
}) => {
  await page.goto(`/m/activityDetail?id=${FIRST_ID}`);
  await page.getByRole("button", { name: ty("activity.apply"), exact: true }).click();
  await expect(loginDialog(page, ty)).toBeVisible();
  await page.goBack();
  await expect(page.getByRole("heading", { level: 2, name: FIRST })).toBeVisible();
  await expect(page).toHaveURL(new RegExp(`id=${FIRST_ID}$`));
});

function picture(position: number): string {
  return ty("activity.picture", { position: String(position) });
}

function cardsOf(page: Page) {
  return page.getByRole("main").locator('a[href^="/m/activityDetail"]');
}

function slideInSight(page: Page) {
  return page.getByRole("main").locator('[aria-roledescription="slide"]:not([inert])');
}
