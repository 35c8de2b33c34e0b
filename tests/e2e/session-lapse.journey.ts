import type { Browser, Page } from "@playwright/test";
import { expect, test } from "./journey.ts";
import { deposit, fillPassword, freshName, loginDialog, PASSWORD } from "./player.ts";
import { inLanguage } from "./screens.ts";
import { forgetAll, newMember, signIn, tokenOf } from "./session.ts";
import { textsOf } from "./texts.ts";

const ty = textsOf("ty");
const en = textsOf("en");
type T = typeof ty;
/** The live line tells a page that its session is over. */
const TOLD = { timeout: 40_000 };

test("what was typed in a sheet is there again after the log-in that a lapsed session asks for", async ({
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
  // Whoever closes the log-in sees the page, and no sheet that could save nothing.
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

test("a sheet of secrets is there again, and empty", async ({ page, browser }) => {
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

test("another player finds nothing of what was typed", async ({ page, browser }) => {
  const [other, name] = [freshName(), freshName()];
  const elsewhere = await browser.newContext();
  await newMember(await elsewhere.newPage(), other);
  await elsewhere.close();
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
  /** What the first player does there; also what they had before. */
  readonly use: (page: Page) => Promise<void>;
  readonly finds: (page: Page) => Promise<void>;
  readonly findsNothing: (page: Page) => Promise<void>;
}
const walletNumber = (page: Page) => page.getByLabel(en("cashier.wallet_number"));
const message = (page: Page) => page.getByLabel(en("feedback.content"), { exact: true });
const slipBar = (page: Page) => page.getByRole("button", { name: new RegExp(en("sports.slip")) });
const OWN_SCREENS: readonly OwnScreen[] = [
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
  test(`${path} is as it was for the player whose session lapsed, and shows another nothing of it`, async ({
    page,
    browser,
  }) => {
    const [other, name] = [freshName(), freshName()];
    const elsewhere = await browser.newContext();
    await newMember(await elsewhere.newPage(), other);
    await elsewhere.close();
    await inLanguage(page, "EN");
    await newMember(page, name);
    await deposit(page, en, "500");
    await expect(page.locator("[data-state]").first()).toContainText(en("cashier.state_paid"), {
      timeout: 20_000,
    });
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

test("a session that was ended elsewhere is not signed in again by what is remembered", async ({
  page,
  browser,
}) => {
  const name = freshName();
  await newMember(page, name);
  await forgetAll(page);
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

async function logInAgain(page: Page, t: T, name: string): Promise<void> {
  await loginDialog(page, t)
    .getByRole("textbox", { name: t("auth.username"), exact: true })
    .fill(name);
  await fillPassword(page, t, PASSWORD);
  await expect(loginDialog(page, t)).toBeHidden();
}

/** Signs the player out everywhere but on a device of this function's own. */
async function endOtherSessions(browser: Browser, name: string): Promise<void> {
  const context = await browser.newContext();
  const device = await context.newPage();
  await signIn(device, name, PASSWORD);
  const headers = { authorization: `Bearer ${await tokenOf(device)}` };
  const ended = await device.request.delete("/api/v1/member/sessions", { headers });
  expect(ended.ok()).toBe(true);
  await context.close();
}
