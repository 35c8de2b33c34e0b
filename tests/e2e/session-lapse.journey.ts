import type { Page } from "@playwright/test";
import { expect, test } from "./journey.ts";
import { fillPassword, freshName, loginDialog, PASSWORD, pressSignOut, stored } from "./player.ts";
import { inLanguage } from "./screens.ts";
import { endOtherSessions, newMember, payIn, register } from "./session.ts";
import { textsOf } from "./texts.ts";

const ty = textsOf("ty");
const en = textsOf("en");
type T = typeof ty;
/** The live line tells a page that its session is over. */
const TOLD = { timeout: 40_000 };

test("text that was typed in a sheet is there again after the log-in that a lapsed session asks for", async ({
  page,
  browser,
}) => {
  await inLanguage(page, "EN");
  const name = freshName();
  await newMember(page, name);
  await page.goto("/m/securityCenter");
  await page
    .getByRole("main")
    .getByRole("link", { name: en("security.email") })
    .click();
  const sheet = page.getByRole("dialog", { name: en("security.email"), exact: true });
  const address = sheet.getByLabel(en("auth.email"), { exact: true });
  await address.fill("half of an addr");

  await endOtherSessions(browser, name);
  await expect(loginDialog(page, en)).toBeVisible(TOLD);
  await expect(sheet).toBeHidden();
  // A player who closes the log-in sees the page, without a sheet that could not be saved.
  await page.goBack();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await page.getByRole("button", { name: en("shell.login_again") }).click();
  await logInAgain(page, en, name);
  await expect(sheet).toBeVisible();
  await expect(address).toHaveValue("half of an addr");
  await page.goBack();
  await expect(page).toHaveURL(/\/m\/securityCenter$/);
  await expect(page.getByRole("dialog")).toHaveCount(0);
});

test("a sheet of secrets is open again after the log-in, and empty", async ({ page, browser }) => {
  const name = freshName();
  await newMember(page, name);
  await page.goto("/m/securityCenter");
  await page
    .getByRole("main")
    .getByRole("link", { name: ty("security.payment") })
    .click();
  const sheet = page.getByRole("dialog", { name: ty("security.payment"), exact: true });
  const digits = sheet.getByLabel(ty("auth.paymentPassword"), { exact: true });
  await digits.fill("271935");
  await endOtherSessions(browser, name);
  await expect(loginDialog(page, ty)).toBeVisible(TOLD);
  await logInAgain(page, ty, name);
  await expect(digits).toHaveValue("");
});

test("another player who logs in finds none of the typed text", async ({ page, browser }) => {
  const [other, name] = [freshName(), freshName()];
  await register(page, other);
  await newMember(page, name);
  await page.goto("/m/securityCenter");
  await page
    .getByRole("main")
    .getByRole("link", { name: ty("security.email") })
    .click();
  const address = page.getByRole("dialog").getByLabel(ty("auth.email"), { exact: true });
  await address.fill("of the first player");
  await endOtherSessions(browser, name);
  await expect(loginDialog(page, ty)).toBeVisible(TOLD);
  await logInAgain(page, ty, other);
  await expect(address).toHaveValue("");
});

interface OwnScreen {
  readonly path: string;
  /** What the first player does there, also to get there. */
  readonly use: (page: Page) => Promise<void>;
  readonly finds: (page: Page) => Promise<void>;
  readonly findsNothing: (page: Page) => Promise<void>;
}
const walletNumber = (page: Page) => page.getByLabel(en("cashier.wallet_number"));
const message = (page: Page) => page.getByLabel(en("feedback.content"), { exact: true });
const slipBar = (page: Page) => page.getByRole("button", { name: new RegExp(en("sports.slip")) });
const searchBox = (page: Page) => page.getByRole("searchbox");
const OWN_SCREENS: readonly OwnScreen[] = [
  {
    path: "/m/search",
    use: async (page) => {
      await searchBox(page).fill("jeepney");
      await expect(page).toHaveURL(/q=jeepney/);
    },
    finds: (page) => expect(searchBox(page)).toHaveValue("jeepney"),
    findsNothing: async (page) => {
      await expect(page).toHaveURL(/\/m\/search$/);
      await expect(searchBox(page)).toHaveValue("");
      await expect(page.getByText("jeepney", { exact: true })).toHaveCount(0);
    },
  },
  {
    path: "/m/withdraw",
    use: (page) => walletNumber(page).fill("09171234567"),
    finds: async (page) => {
      await expect(walletNumber(page)).toHaveValue("09171234567");
      await expect(page.getByText(`${en("cashier.available")} ₱500.00`)).toBeVisible();
    },
    findsNothing: async (page) => {
      await expect(page.getByText(`${en("cashier.available")} ₱0.00`)).toBeVisible();
      await expect(walletNumber(page)).toHaveValue("");
    },
  },
  {
    path: "/m/transaction/record",
    use: async () => undefined,
    finds: (page) => expect(page.getByRole("main").getByText("500.00").first()).toBeVisible(),
    findsNothing: (page) => expect(page.getByRole("main").getByText("500.00")).toHaveCount(0),
  },
  {
    path: "/m/feedback",
    use: (page) => message(page).fill("of the first player"),
    finds: (page) => expect(message(page)).toHaveValue("of the first player"),
    findsNothing: (page) => expect(message(page)).toHaveValue(""),
  },
  {
    path: "/m/sportsLobby?sport=football",
    use: (page) => page.getByTestId("odds").first().click(),
    finds: (page) => expect(slipBar(page)).toBeVisible(),
    findsNothing: async (page) => {
      await expect(page.getByTestId("odds").first()).toBeVisible();
      await expect(slipBar(page)).toHaveCount(0);
    },
  },
];

for (const { path, use, finds, findsNothing } of OWN_SCREENS) {
  test(`${path} is as it was for the player whose session lapsed, and shows another player nothing of it`, async ({
    page,
    browser,
  }) => {
    const [other, name] = [freshName(), freshName()];
    await register(page, other);
    await inLanguage(page, "EN");
    await newMember(page, name);
    await payIn(page, 500);
    await page.goto(path);
    await use(page);
    await endOtherSessions(browser, name);
    await expect(loginDialog(page, en)).toBeVisible(TOLD);
    await logInAgain(page, en, name);
    await finds(page);
    await endOtherSessions(browser, name);
    await expect(loginDialog(page, en)).toBeVisible(TOLD);
    await logInAgain(page, en, other);
    await findsNothing(page);
  });
}

test("a remembered log-in does not sign a player in again whose session was ended elsewhere", async ({
  page,
  browser,
}) => {
  const name = freshName();
  await register(page, name);
  await page.goto("/m/login");
  await loginDialog(page, ty)
    .getByRole("checkbox", { name: ty("auth.remember") })
    .check();
  await logInAgain(page, ty, name);
  const autoLogin = () => page.evaluate(() => localStorage.getItem("autoLogin"));
  expect(await autoLogin()).toBe("1");
  await endOtherSessions(browser, name);
  await expect(loginDialog(page, ty)).toBeVisible(TOLD);
  expect(await autoLogin()).toBe("0");
  await page.goto("/m/home");
  await expect(page.getByRole("button", { name: ty("auth.login"), exact: true })).toBeVisible();
});

test("[A4-03] a sign-out signs out every tab that is open, asleep or at another site, and shows in none as a lapse", async ({
  page,
  context,
}) => {
  test.setTimeout(180_000);
  const name = freshName();
  await newMember(page, name);
  await payIn(page, 500);
  await page.goto("/m/set");
  const open = await context.newPage();
  const listing = await context.newPage();
  const asleep = await context.newPage();
  const elsewhere = await context.newPage();
  const others = [open, listing, asleep, elsewhere];
  const own = (tab: Page) =>
    tab === listing ? tab.getByRole("main").getByText("500.00") : tab.getByText(name);
  const paths = ["/m/mine", "/m/transaction/record", "/m/mine", "/m/home"];
  for (const [i, tab] of others.entries()) {
    await tab.goto(paths[i] ?? "");
    await expect(own(tab).first()).toBeVisible();
    await expect(tab.locator("header [aria-live]").first()).toContainText("₱");
    await tab.evaluate(() => sessionStorage.setItem("a draft", "of this player"));
  }
  const sleep = await context.newCDPSession(asleep);
  await sleep.send("Page.setWebLifecycleState", { state: "frozen" });
  await elsewhere.goto("about:blank");

  await page.bringToFront();
  await pressSignOut(page, ty);
  await expect(page).toHaveURL(/\/m\/home$/);
  const refused: string[] = [];
  elsewhere.on("response", (answer) => {
    if (answer.status() === 401) refused.push(answer.url());
  });
  await sleep.send("Page.setWebLifecycleState", { state: "active" });
  await elsewhere.goto("/m/home");
  for (const tab of others) {
    await tab.bringToFront();
    await expect(tab.getByRole("button", { name: ty("auth.login"), exact: true })).toBeVisible();
    await expect(own(tab)).toHaveCount(0);
    await expect(tab.locator("header [aria-live]")).toHaveCount(0);
  }
  for (const tab of [page, ...others]) {
    // `count` reads the page as it is now, without waiting for a message to close.
    expect(await tab.getByText(ty("error.session_ended")).count()).toBe(0);
    expect(await loginDialog(tab, ty).count()).toBe(0);
    const kept = await tab.evaluate(() => [
      ...Object.keys(sessionStorage),
      ...Object.keys(localStorage).filter((key) => key.startsWith("MC_SESSION")),
    ]);
    expect(kept).toEqual([]);
  }
  expect(refused).toEqual([]);
});

test("[A8-06] after a sign-out that was refused, an end from elsewhere is a lapse in every tab and says so", async ({
  page,
  context,
  browser,
}) => {
  const name = freshName();
  await newMember(page, name);
  await page.goto("/m/set");
  const other = await context.newPage();
  await other.goto("/m/feedback");
  await other.getByLabel(ty("feedback.content"), { exact: true }).fill("half a sentence");
  const busy = { code: "busy", detail: "Sobrang abala.", status: 503, requestId: "req_1" };
  await page.route("**/api/v1/auth/logout", (route) =>
    route.fulfill({ status: 503, contentType: "application/problem+json", json: busy }),
  );
  await pressSignOut(page, ty);
  await expect(page.getByText(busy.detail)).toBeVisible();
  // The message shows for seconds only, and may come before the test looks at a tab's popup.
  const words = [page, other].map((tab) => tab.getByText(ty("error.session_ended")).first());
  const said = words.map((word) => expect(word).toBeAttached({ timeout: 60_000 }));
  await endOtherSessions(browser, name);
  await expect(loginDialog(other, ty)).toBeVisible(TOLD);
  await expect(loginDialog(page, ty)).toBeVisible(TOLD);
  await Promise.all(said);
  await expect(other.getByLabel(ty("feedback.content"), { exact: true })).toHaveValue(
    "half a sentence",
  );
});

for (const kind of ["a player", "a trial"] as const) {
  test(`[A3-02 A3-04] a tab that opens while the session of ${kind} lives has it in its session storage`, async ({
    page,
    context,
  }) => {
    if (kind === "a player") await newMember(page, freshName());
    else {
      await page.goto("/m/login");
      await loginDialog(page, ty)
        .getByRole("button", { name: ty("auth.trial") })
        .click();
      await expect(page.getByRole("dialog")).toBeHidden();
    }
    const tab = await context.newPage();
    await tab.goto("/m/home");
    await expect(tab.locator("header [aria-live]").first()).toBeVisible();
    const { session, inTab, trialName } = await stored(tab);
    expect(session.type).toBe(kind === "a trial" ? 4 : 0);
    expect(inTab).toEqual(session);
    expect(trialName).toBe(kind === "a trial" ? session.userName : null);
  });
}

async function logInAgain(page: Page, t: T, name: string): Promise<void> {
  await loginDialog(page, t)
    .getByRole("textbox", { name: t("auth.username"), exact: true })
    .fill(name);
  await fillPassword(page, t, PASSWORD);
  await expect(loginDialog(page, t)).toBeHidden();
}
