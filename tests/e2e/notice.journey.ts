import { expect, type Page, test } from "@playwright/test";
import { textsOf } from "./texts.ts";

const en = textsOf("en");

test.describe("what an operator wrote", () => {
  // The words are put into the answer here, which a worker would not see.
  test.use({ serviceWorkers: "block" });

  test("[A9-09] shows its sizes in pixels as hundredths of a rem, which grow with the reader's", async ({
    page,
  }) => {
    await withNotice(
      page,
      '<p style="font-size:24px">Big <b style="font-size: 12px">small</b></p><p>Usual</p>',
    );
    const sheet = page.getByRole("dialog");
    const sizes = () =>
      sheet
        .locator("p, b")
        .filter({ hasText: /Big|^small$|Usual/ })
        .evaluateAll((all) => all.map((one) => getComputedStyle(one).fontSize));
    await expect(sheet.getByText("Usual")).toBeVisible();
    expect(await sizes()).toEqual(["24px", "12px", "14px"]);
    // As for a reader who asked their browser for text of twice the size.
    await page.evaluate(() => {
      document.documentElement.style.fontSize = "1250%";
    });
    expect(await sizes()).toEqual(["48px", "24px", "28px"]);
  });

  test("runs nothing, hides pictures that fail, and opens other sites elsewhere", async ({
    page,
  }) => {
    await withNotice(
      page,
      '<img src="/art/none.png" onerror="window.ran = 1"><script>window.ran = 1</script>' +
        '<a href="javascript:window.ran = 1">one</a> <a href="https://elsewhere.test/">two</a> ' +
        '<a href="/m/set">three</a><img src="/art/banner/welcome.svg">',
    );
    const sheet = page.getByRole("dialog");
    await expect(sheet.locator('img[src="/art/none.png"]')).toBeHidden();
    await expect(sheet.locator('img[src="/art/banner/welcome.svg"]')).toBeVisible();
    await expect(sheet.getByText("one", { exact: true })).not.toHaveAttribute("href");
    const outside = sheet.getByRole("link", { name: "two" });
    await expect(outside).toHaveAttribute("target", "_blank");
    await expect(outside).toHaveAttribute("rel", "noopener noreferrer nofollow");
    expect(await page.evaluate(() => "ran" in window)).toBe(false);
    await sheet.getByRole("link", { name: "three" }).click();
    await expect(page).toHaveURL(/\/m\/set$/);
    await expect(page.getByRole("heading", { name: en("member.settings") })).toBeVisible();
  });
});

/** Opens the first notice with words of this journey's own. */
async function withNotice(page: Page, content: string): Promise<void> {
  await page.route("**/api/v1/announcements?*", async (route) => {
    const answer = await route.fetch();
    const { value } = await answer.json();
    value.player[0].content = content;
    await route.fulfill({ response: answer, json: { value } });
  });
  // The page's own data is in Tagalog: in English the notices are asked for.
  await page.addInitScript(() => localStorage.setItem("MC_LANGUAGE", "EN"));
  await page.goto("/m/home?pop=notice&id=0");
}
