import type { Page } from "@playwright/test";
import { seriousFaults } from "./axe.ts";
import { expect, test } from "./journey.ts";
import { fillPassword, freshName, loginDialog, PASSWORD } from "./player.ts";
import { goOnTo, visit } from "./screens.ts";
import { newMember, register, signIn } from "./session.ts";
import { textsOf } from "./texts.ts";

test.use({ contextOptions: { reducedMotion: "no-preference" } });

const ty = textsOf("ty");
const en = textsOf("en");
const ORIGINALS = "Bukas na ang Perya: Parol Fortune, Color Game at Saranggola";
const WITHDRAWALS = "Withdrawal hanggang ₱5,000: aprubado agad";
const CODES = "Huwag ibigay kahit kanino ang code mo";

test("[A2.10-01 A2.10-04 A2.10-05] notices are rows with a preview that open to their whole text", async ({
  page,
}) => {
  const marks = marksOf(page);
  await page.goto("/m/notice");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(ty("home.announcements"));
  const rows = page
    .getByRole("main")
    .getByRole("listitem")
    .filter({ has: page.locator("h2") });
  // The players' notices come first, then the pop-up, then the banners.
  await expect(rows.first()).toContainText(ORIGINALS);
  await expect(rows.nth(3)).toContainText(CODES);
  await expect(rows.nth(4)).toContainText("Tuloy po kayo sa Perya");
  await expect(rows.first()).toContainText("Tatlong larong gawa namin, bukas na.");
  await expect(rows.first()).not.toContainText("<");
  const toggle = rows.first().getByRole("button");
  await expect(toggle).toHaveAttribute("aria-expanded", "false");
  await toggle.click();
  await expect(toggle).toHaveAttribute("aria-expanded", "true");
  await expect(rows.first().locator("b", { hasText: "Color Game" })).toBeVisible();
  expect(await seriousFaults(page)).toEqual([]);
  await rows.nth(1).getByRole("button").click();
  await expect(rows.nth(1).getByRole("table")).toBeVisible();
  await expect(toggle).toHaveAttribute("aria-expanded", "false");
  await expect(rows.first()).not.toContainText(ty("notice.unread"));
  expect(marks, "a guest marks nothing").toEqual([]);
});

test("[G2.2-04] the ticker is one line of titles that moves thirty times a second", async ({
  page,
}) => {
  await page.goto("/m/home");
  const ticker = page.getByRole("region", { name: ty("home.announcements") });
  await expect(ticker.getByRole("link").first()).toHaveText(ORIGINALS);
  const line = ticker.locator("ul").first();
  const track = line.locator("..");
  const { seconds, timing, moves, height } = await track.evaluate((element) => {
    const style = getComputedStyle(element);
    const [animation] = element.getAnimations();
    return {
      seconds: Number.parseFloat(style.animationDuration),
      timing: style.animationTimingFunction,
      moves: animation?.playState,
      height: element.getBoundingClientRect().height,
    };
  });
  expect(timing).toMatch(new RegExp(`^steps\\(${seconds * 30}\\b`));
  expect(moves).toBe("running");
  // The three titles are no higher than the pause button beside them.
  expect(height).toBeLessThanOrEqual(48);
  await expect(line.getByRole("listitem")).toHaveCount(3);
});

test("[G2.2-05] without announcements the ticker says so", async ({ page }) => {
  // In English the page asks for them: its own data is in Tagalog.
  await page.addInitScript(() => localStorage.setItem("MC_LANGUAGE", "EN"));
  await page.route("**/api/v1/announcements?*", async (route) => {
    const answer = await route.fetch();
    const { value } = await answer.json();
    await route.fulfill({ response: answer, json: { value: { ...value, player: [] } } });
  });
  await page.goto("/m/home");
  const ticker = page.getByRole("region", { name: en("home.announcements") });
  await expect(ticker).toHaveText(en("home.no_announcement"));
});

test("[A2.10-02 A2.10-07] a title of the ticker leads to its notice, open", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.goto("/m/home");
  await page.getByRole("link", { name: WITHDRAWALS }).click();
  await expect(page).toHaveURL(/\/m\/notice\?index=1$/);
  const open = page.getByRole("main").locator('[aria-expanded="true"]');
  await expect(open).toHaveCount(1);
  await expect(open).toContainText(WITHDRAWALS);
  await goOnTo(page, "/m/help");
  await goOnTo(page, "/m/notice?index=99");
  await expect(page.getByRole("button", { name: ORIGINALS })).toBeVisible();
  await expect(open).toHaveCount(0);
});

test("[A2.10-07 G2.2-04] the line of titles has no gap, and a title can be tapped in its second copy too", async ({
  page,
}) => {
  await page.goto("/m/home");
  const lists = page.getByRole("region", { name: ty("home.announcements") }).locator("ul");
  await expect(lists).toHaveCount(2);
  // At the end of a round the second copy is where the first began.
  const places = await lists.first().evaluate((first) => {
    const [run] = first.parentElement?.getAnimations() ?? [];
    if (run === undefined) throw new Error("the line does not move");
    run.pause();
    run.currentTime = 0;
    const from = first.getBoundingClientRect();
    run.currentTime = Number(run.effect?.getComputedTiming().duration) - 1;
    const second = first.nextElementSibling?.getBoundingClientRect();
    return { from: from.left, width: from.width, next: second?.left, after: second?.width };
  });
  expect(places.after).toBeCloseTo(places.width, 1);
  expect(Math.abs((places.next ?? 0) - places.from)).toBeLessThan(places.width / 50);
  await lists
    .nth(1)
    .locator("a", { hasText: ORIGINALS })
    .click({ position: { x: 20, y: 10 } });
  await expect(page).toHaveURL(/\/m\/notice\?index=0$/);
});

test("[A2.10-03 A2.10-05 A4-10 A7-20] opening a notice marks it as read on the screen and at the server, also after a reload", async ({
  page,
}) => {
  await newMember(page, freshName());
  await page.goto("/m/notice");
  const row = page.getByRole("button", { name: ORIGINALS });
  const badge = page.getByRole("navigation", { name: ty("shell.tabs") });
  await expect(row).toContainText(ty("notice.unread"));
  await expect(badge).toContainText("8");
  // The answer is held back, so the screen shows the notice as read without it.
  let answer = () => {};
  const held = new Promise<void>((done) => {
    answer = done;
  });
  await page.route("**/api/v1/announcements/read", async (route) => {
    await held;
    await route.continue();
  });
  const told = page.waitForRequest("**/api/v1/announcements/read");
  await row.click();
  const request = await told;
  expect(request.method()).toBe("POST");
  expect(request.postDataJSON()).toEqual({
    announcementId: "ann_00000000000000000000000005",
    read: true,
  });
  await expect(row).not.toContainText(ty("notice.unread"));
  await expect(badge).toContainText("7");
  const again = page.waitForResponse("**/api/v1/notices");
  answer();
  const { value } = await (await again).json();
  expect(value.footer.unreadCount).toBe(7);
  await page.reload();
  await expect(row).toBeVisible();
  await expect(row).not.toContainText(ty("notice.unread"));
  await expect(badge).toContainText("7");
});

test("[A4-10] a notice whose mark is refused becomes unread again, and each opening sends one mark", async ({
  page,
}) => {
  await newMember(page, freshName());
  await page.route("**/api/v1/announcements/read", (route) => route.fulfill({ status: 503 }));
  const marks = marksOf(page);
  await page.goto("/m/notice");
  const row = page.getByRole("button", { name: ORIGINALS });
  await expect(row).toContainText(ty("notice.unread"));
  for (const times of [1, 2]) {
    const again = page.waitForResponse("**/api/v1/notices");
    await row.click();
    await again;
    await expect(row).toContainText(ty("notice.unread"));
    await row.click();
    await expect(row).toHaveAttribute("aria-expanded", "false");
    expect(marks).toHaveLength(times);
  }
});

test("[A2.10-03 A6-08 G6-03] free play shows every notice as read, marks none and does not fetch the unread count", async ({
  page,
}) => {
  const marks = marksOf(page);
  const counts: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/inbox/")) counts.push(request.url());
  });
  await page.goto("/m/trail");
  await page
    .getByRole("button", { name: ty("auth.trial") })
    .first()
    .click();
  await expect(page.locator("header [aria-live]").first()).toContainText("F");
  await page.goto("/m/notice");
  const row = page.getByRole("button", { name: ORIGINALS });
  await row.click();
  await expect(row).toHaveAttribute("aria-expanded", "true");
  await expect(row).not.toContainText(ty("notice.unread"));
  expect([marks, counts]).toEqual([[], []]);
});

test("[A2.10-06] the notice screen of a brand without notices says so", async ({ page }) => {
  await page.route("**/api/v1/notices", (route) =>
    route.fulfill({ json: { value: { list: [], footer: { unreadCount: 0 } } } }),
  );
  await page.goto("/m/notice");
  await expect(page.getByRole("heading", { name: ty("home.no_announcement") })).toBeVisible();
});

test("[A2.10-08] notices of agents have their own page, and its entry shows how many are unread", async ({
  page,
}) => {
  await signIn(page, "linda", "Fiesta2026");
  await page.goto("/m/help?pop=menu");
  const entry = page.getByRole("dialog").getByRole("link", { name: ty("notice.agents") });
  await expect(entry).toContainText("1");
  await entry.click();
  await expect(page).toHaveURL(/\/m\/member\/notice\?types=A$/);
  const rows = page.getByRole("main").getByRole("button");
  await expect(rows).toHaveCount(1);
  await expect(rows).toContainText("Para sa mga agent: sariling balita ninyo");
  await expect(rows).toContainText(ty("notice.unread"));
  await rows.click();
  await expect(rows).not.toContainText(ty("notice.unread"));
  await expect(
    page.getByText("hiwalay sa balita ng mga manlalaro", { exact: false }),
  ).toBeVisible();
  await visit(page, "/m/help?pop=menu");
  await expect(entry).toBeVisible();
  await expect(entry).not.toContainText("1");
  await signIn(page, "bea", "Fiesta2026");
  await page.goto("/m/member/notice?types=A");
  await expect(page).toHaveURL(/\/m\/home$/);
});

test.describe("a pop-up after a log-in", () => {
  // No pop-up was hidden here.
  test.use({ popups: true });

  test("[G2.2-14 A7-21] is shown once, and does not return that day when the player ticks so", async ({
    page,
  }) => {
    const name = freshName();
    await register(page, name);
    await page.goto("/m/help");
    const logIn = async () => {
      await visit(page, "/m/login");
      await loginDialog(page, ty)
        .getByRole("textbox", { name: ty("auth.username"), exact: true })
        .fill(name);
      await fillPassword(page, ty, PASSWORD);
    };
    const popup = page.getByRole("dialog", { name: CODES });
    await logIn();
    await expect(popup).toBeVisible();
    await expect(popup.getByRole("link", { name: "Security Center" })).toBeVisible();
    expect(await seriousFaults(page)).toEqual([]);
    await page.goBack();
    await expect(popup).toBeHidden();
    await expect(page).toHaveURL(/\/m\/home$/);
    await page.reload();
    await expect(page.locator("h2", { hasText: ty("games.hot") })).toBeVisible();
    await expect(popup).toBeHidden();

    await signOut(page);
    await logIn();
    await popup.getByRole("checkbox", { name: ty("notice.hide_today") }).check();
    // A reload does not open it again.
    await page.reload();
    await expect(page).toHaveURL(/\/m\/home$/);
    await expect(page.getByRole("dialog")).toBeHidden();
    await page.evaluate(() => localStorage.removeItem("MC_POPUPS_HIDDEN"));
    await signOut(page);
    await logIn();
    await popup.getByRole("checkbox", { name: ty("notice.hide_today") }).check();
    await popup
      .getByRole("button", { name: ty("shell.close") })
      .last()
      .click();
    await signOut(page);
    const asked = page.waitForResponse("**/api/v1/announcements/popular");
    await logIn();
    await asked;
    await expect(page.getByRole("dialog")).toBeHidden();
    await expect(page).toHaveURL(/\/m\/home$/);
  });
});

test.describe("a text that an operator wrote", () => {
  // The test puts the text into the answer, where a service worker would hide it.
  test("[A9-09] shows its sizes in pixels as hundredths of a rem, which grow with the reader's", async ({
    page,
  }) => {
    await withNotice(
      page,
      '<p style="font-size:24px">Big <b style="font-size: 12px">small</b></p><p>Usual</p>',
    );
    const open = page.getByRole("main");
    const sizes = () =>
      open
        .locator("p, b")
        .filter({ hasText: /Big|^small$|Usual/ })
        .evaluateAll((all) => all.map((one) => getComputedStyle(one).fontSize));
    await expect(open.getByText("Usual")).toBeVisible();
    expect(await sizes()).toEqual(["24px", "12px", "14px"]);
    // The reader has set their browser to text of twice the size.
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
    const open = page.getByRole("main");
    await expect(open.locator('img[src="/art/none.png"]')).toBeHidden();
    await expect(open.locator('img[src="/art/banner/welcome.svg"]')).toBeVisible();
    await expect(open.getByText("one", { exact: true })).not.toHaveAttribute("href");
    const outside = open.getByRole("link", { name: "two" });
    await expect(outside).toHaveAttribute("target", "_blank");
    await expect(outside).toHaveAttribute("rel", "noopener noreferrer nofollow");
    expect(await page.evaluate(() => "ran" in window)).toBe(false);
    await open.getByRole("link", { name: "three" }).click();
    await expect(page).toHaveURL(/\/m\/set$/);
    await expect(page.getByRole("heading", { name: ty("member.settings") })).toBeVisible();
  });
});

/** Opens the first notice with this text. */
async function withNotice(page: Page, content: string): Promise<void> {
  await page.route("**/api/v1/notices", async (route) => {
    const answer = await route.fetch();
    const { value } = await answer.json();
    value.list[0].content = content;
    await route.fulfill({ response: answer, json: { value } });
  });
  await page.goto("/m/notice?index=0");
}

async function signOut(page: Page): Promise<void> {
  await visit(page, "/m/set?pop=signout");
  const dialog = page.getByRole("alertdialog");
  await dialog.getByRole("button", { name: ty("member.sign_out") }).click();
  await expect(page).toHaveURL(/\/m\/home$/);
}

/** Every mark that the page sends from now on. */
function marksOf(page: Page): string[] {
  const marks: string[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/announcements/read")) marks.push(request.url());
  });
  return marks;
}
