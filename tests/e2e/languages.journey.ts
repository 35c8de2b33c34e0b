import type { Page } from "@playwright/test";
import { seriousFaults } from "./axe.ts";
import { expect, test } from "./journey.ts";
import { atRest, goOnTo, inLanguage, visit } from "./screens.ts";
import { textsOf } from "./texts.ts";

const [ty, en] = [textsOf("ty"), textsOf("en")];

/** How far the page can be moved sideways, in pixels. */
function overflow(page: Page): Promise<number> {
  return page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    return scrollWidth - clientWidth;
  });
}

test("[G2.12-01 G2.5-11] the side menu leads to 35 languages with their flags and own names, which the player can search", async ({
  page,
}) => {
  await page.goto("/m/help?pop=menu");
  await page
    .getByRole("dialog", { name: ty("shell.menu") })
    .getByRole("link", { name: ty("shell.language") })
    .click();
  const sheet = page.getByRole("dialog", { name: ty("shell.language") });
  const rows = sheet.getByRole("radio");
  await expect(rows).toHaveCount(35);
  await expect(sheet.getByRole("radio", { name: "Tagalog" })).toBeChecked();
  const flags = sheet.locator("label img");
  await expect(flags).toHaveCount(35);
  await flags.last().scrollIntoViewIfNeeded();
  const drawn = () => flags.last().evaluate((img: HTMLImageElement) => img.naturalWidth > 0);
  await expect.poll(drawn).toBe(true);
  expect(await seriousFaults(page)).toEqual([]);

  const box = sheet.getByRole("searchbox", { name: ty("shell.language_search") });
  await box.fill("中文");
  await expect(rows).toHaveCount(3);
  await box.fill("klingon");
  await expect(rows).toHaveCount(0);
  await expect(sheet.getByText(ty("shell.language_none"))).toBeVisible();
  await box.fill("engl");
  await sheet.getByRole("radio", { name: "English" }).click();
  await expect(page.locator("html")).toHaveAttribute("lang", "en");
  await expect(sheet).toBeHidden();
});

test("[G2.12-02 G2.12-04 G2.12-05] a language without texts shows the English ones with its own dates and direction, and stays chosen", async ({
  page,
}) => {
  await page.goto("/m/notice?pop=language");
  await page
    .getByRole("dialog", { name: ty("shell.language") })
    .getByRole("radio", { name: "العربية" })
    .click();
  const html = page.locator("html");
  await expect(html).toHaveAttribute("dir", "rtl");
  await expect(html).toHaveAttribute("lang", "en");
  await expect(page.locator("h1")).toHaveText(en("home.announcements"));
  const { value } = await (await page.request.get("/api/v1/notices")).json();
  const shown = async (tag: string) => {
    const when = await page.evaluate(
      ({ at, tag: locale }) =>
        new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" }).format(at),
      { at: Number(value.list[0].startDate), tag },
    );
    await expect(page.getByRole("main").getByText(when).first()).toBeVisible();
    return when;
  };
  const arabic = await shown("ar");
  const isSound = async (path: string) => {
    await atRest(page);
    expect(await overflow(page), path).toBe(0);
    expect(await seriousFaults(page), path).toEqual([]);
  };
  await page.goto("/m/home");
  await expect(html).toHaveAttribute("dir", "rtl");
  await isSound("/m/home");
  await goOnTo(page, "/m/slot-games");
  await isSound("/m/slot-games");
  await goOnTo(page, "/m/set");
  for (const popup of ["menu", "language"] as const) {
    await visit(page, `/m/set?pop=${popup}`);
    await expect(page.getByRole("dialog", { name: en(`shell.${popup}`) })).toBeVisible();
    await isSound(popup);
  }
  await visit(page, "/m/set");
  await expect(page.getByRole("dialog")).toBeHidden();
  // A thumb that moved in the wrong direction would leave its track.
  const track = await page.getByRole("switch", { name: en("member.sound") }).boundingBox();
  const thumb = await page.getByRole("switch").locator("span").boundingBox();
  expect(thumb?.x).toBeGreaterThanOrEqual(track?.x ?? Number.NaN);
  expect((thumb?.x ?? 0) + (thumb?.width ?? 0)).toBeLessThanOrEqual(
    (track?.x ?? 0) + (track?.width ?? 0),
  );
  await goOnTo(page, "/m/notice?pop=language");
  await page
    .getByRole("dialog", { name: en("shell.language") })
    .getByRole("radio", { name: "Deutsch" })
    .click();
  await expect(html).toHaveAttribute("dir", "ltr");
  expect(await shown("de")).not.toBe(arabic);
});

test("a stored language that is no longer offered gives way to the brand's own", async ({
  page,
}) => {
  await inLanguage(page, "TY");
  await page.addInitScript(() => localStorage.setItem("MC_LANGUAGE", "XX"));
  await page.goto("/m/set");
  await expect(page.locator("h1")).toHaveText(ty("member.settings"));
});
