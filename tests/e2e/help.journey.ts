import type { Page } from "@playwright/test";
import { seriousFaults } from "./axe.ts";
import { expect, test } from "./journey.ts";
import { registerDialog } from "./player.ts";
import { atRest, footOfHome, goOnTo, inLanguage, visit } from "./screens.ts";
import { textsOf } from "./texts.ts";

// These journeys replace answers, which a service worker would not see.
const ty = textsOf("ty");
const en = textsOf("en");

test("[A2.12-01 A2.12-02 A3-15] the help centre has its entries in the player's language, one open at a time", async ({
  page,
}) => {
  await page.goto("/m/help");
  await expect(page.getByRole("heading", { level: 1, name: ty("help.title") })).toBeVisible();
  const entries = page.getByRole("main").locator("article").getByRole("button");
  await expect(entries).toHaveText([
    "Mga madalas itanong",
    "Pag-deposit",
    "Pag-withdraw",
    "Mga bonus at promo",
    "Patas na laro",
    "Kaligtasan ng account",
    "Responsableng paglalaro",
    "Mga tuntunin",
  ]);
  const open = () => opened(page);
  expect(await open()).toEqual([]);
  await entries.nth(1).click();
  const text = page.getByRole("region", { name: "Pag-deposit" });
  await expect(text.getByRole("listitem")).toHaveCount(3);
  expect(await open()).toEqual(["Pag-deposit"]);
  await entries.nth(6).click();
  await expect(text).toBeHidden();
  expect(await open()).toEqual(["Responsableng paglalaro"]);
  await expect(entries.nth(6)).toBeInViewport();
  await expect(page).toHaveURL(/\/m\/help\?tag=responsible$/);
  await entries.nth(6).click();
  expect(await open()).toEqual([]);
  await expect(page).toHaveURL(/\/m\/help$/);
});

test("[A2.12-03 A2.12-04] a tag in the address opens its entry and scrolls it into view", async ({
  page,
}) => {
  await inLanguage(page, "EN");
  await page.goto("/m/help?tag=faq");
  for (const [tag, title] of [
    ["faq", "Frequently asked questions"],
    ["terms", "Terms and conditions"],
  ] as const) {
    await visit(page, `/m/help?tag=${tag}`);
    await expect(page.getByRole("region", { name: title })).toBeVisible();
    expect(await opened(page)).toEqual([title]);
    await expect(page.getByRole("button", { name: title })).toBeInViewport();
    expect(await seriousFaults(page)).toEqual([]);
  }
  await goOnTo(page, "/m/set");
  await goOnTo(page, "/m/help?tag=none-such");
  await expect(page.locator("article")).not.toHaveCount(0);
  expect(await opened(page)).toEqual([]);
});

test("[A2.12-05] the help centre says that it has no entries, and offers another try after a failure", async ({
  page,
}) => {
  await page.route("**/api/v1/help?*", (route) => route.abort("connectionreset"));
  await page.goto("/m/help");
  const retry = page.getByRole("button", { name: ty("error.load_failed") });
  await expect(retry).toBeVisible();
  await page.unrouteAll({ behavior: "wait" });
  await page.route("**/api/v1/help?*", (route) =>
    route.fulfill({ json: { value: { entries: [] } } }),
  );
  await retry.click();
  await expect(page.getByText(ty("help.none"), { exact: true })).toBeVisible();
  await expect(page.locator("article")).toHaveCount(0);
});

test("[A2.12-06 A7-35 G2.12-03] a changed language loads the entries once, when it has been chosen for 200 ms", async ({
  page,
}) => {
  await inLanguage(page, "TY");
  await page.clock.install();
  const asked: string[] = [];
  page.on("request", (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname !== "/api/v1/help") return;
    asked.push(`${request.method()} ${searchParams.get("lang")}`);
  });
  await page.goto("/m/help?tag=faq&pop=language");
  await atRest(page);
  await expect(page.getByText("Mga madalas itanong")).toBeAttached();
  expect(asked).toEqual(["GET TY"]);
  // The picker closes after each choice; opening it again takes none of the 200 ms.
  const pick = async (name: string) => {
    await page.evaluate(() => history.pushState(null, "", "/m/help?tag=faq&pop=language"));
    await page.getByRole("radio", { name }).first().click();
  };
  await pick("English");
  const html = page.locator("html");
  await expect(html).toHaveAttribute("lang", "en");
  await expect(page.getByText("Frequently asked questions")).toBeAttached();
  expect(asked).toEqual(["GET TY", "GET EN"]);

  // Another language and back within the 200 ms loads nothing; one that then stays loads once.
  await page.clock.pauseAt(Date.now() + 60_000);
  await pick("Tagalog");
  await expect(html).toHaveAttribute("lang", "fil");
  await page.clock.runFor(150);
  await pick("English");
  await expect(html).toHaveAttribute("lang", "en");
  await page.clock.runFor(1_000);
  expect(asked).toEqual(["GET TY", "GET EN"]);
  await pick("Tagalog");
  await expect(html).toHaveAttribute("lang", "fil");
  await page.clock.runFor(190);
  expect(asked).toEqual(["GET TY", "GET EN"]);
  await page.clock.runFor(20);
  await expect.poll(() => asked).toEqual(["GET TY", "GET EN", "GET TY"]);
  await page.clock.runFor(1_000);
  expect(asked).toEqual(["GET TY", "GET EN", "GET TY"]);
});

test("[G2.5-15] the menu, the foot of home and the terms box lead to the help centre", async ({
  page,
}) => {
  await inLanguage(page, "EN");
  await page.goto("/m/home?pop=menu");
  await page
    .getByRole("dialog")
    .getByRole("link", { name: en("help.faq") })
    .click();
  await expect(page).toHaveURL(/\/m\/help\?tag=faq$/);
  await visit(page, "/m/home");
  await (await footOfHome(page)).getByRole("link", { name: en("help.faq") }).click();
  await expect(page).toHaveURL(/\/m\/help\?tag=faq$/);
  await visit(page, "/m/register");
  const register = registerDialog(page, en);
  const name = register.getByRole("textbox", { name: en("auth.username"), exact: true });
  await name.fill("kuya_ben");
  const opening = page.waitForEvent("popup");
  await register.getByRole("link", { name: en("help.terms") }).click();
  const terms = await opening;
  await expect(terms.getByRole("region", { name: "Terms and conditions" })).toBeVisible();
  await terms.close();
  await expect(name).toHaveValue("kuya_ben");
  await visit(page, "/m/help?tag=deposits");
  await page
    .getByRole("main")
    .getByRole("link", { name: en("feedback.title") })
    .last()
    .click();
  await expect(page).toHaveURL(/\/m\/login\?next=%2Fm%2Ffeedback$/);
});

/** The titles of the open entries. */
function opened(page: Page): Promise<string[]> {
  return page.locator("article").getByRole("button", { expanded: true }).allTextContents();
}
