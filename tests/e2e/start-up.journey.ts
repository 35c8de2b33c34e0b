import type { Page } from "@playwright/test";
import { expect, test } from "./journey.ts";
import { inLanguage, visit } from "./screens.ts";
import { textsOf } from "./texts.ts";

const [ty, en] = [textsOf("ty"), textsOf("en")];

/** Lightness of the page's background, 0 black to 255 white. */
function paper(page: Page): Promise<number> {
  return page.evaluate(() => {
    const canvas = document.createElement("canvas").getContext("2d");
    if (canvas === null) return 255;
    canvas.fillStyle = getComputedStyle(document.body).backgroundColor;
    canvas.fillRect(0, 0, 1, 1);
    return Math.max(...canvas.getImageData(0, 0, 1, 1).data.slice(0, 3));
  });
}

test("[A1-08 A1-09 A2.1-16 G2.12-02 G2.12-04] a first visit is in Tagalog, in pesos and +63; English is chosen once and stays", async ({
  page,
}) => {
  await page.goto("/m/home");
  const html = page.locator("html");
  await expect(html).toHaveAttribute("lang", "fil");
  for (const button of ["auth.login", "auth.register"]) {
    await expect(page.getByRole("button", { name: ty(button), exact: true })).toBeVisible();
  }
  await expect(page.getByText(/₱\d/).first()).toBeVisible();
  await visit(page, "/m/register");
  await expect(page.getByRole("button", { name: /\+63/ })).toBeVisible();
  await visit(page, "/m/set");
  await expect(page.locator("h1")).toHaveText(ty("member.settings"));
  const address = page.url();
  await page.getByRole("button", { name: ty("shell.language") }).click();
  await page.getByRole("radio", { name: "English" }).click();
  await expect(html).toHaveAttribute("lang", "en");
  await expect(page.locator("h1")).toHaveText(en("member.settings"));
  expect(page.url()).toContain(address);
  await page.goto("/m/home");
  await expect(html).toHaveAttribute("lang", "en");
  await expect(page.getByRole("button", { name: en("auth.login"), exact: true })).toBeVisible();
});

test("[A1-11] every screen is dark for any preference of the device, and the choice is stored", async ({
  page,
}) => {
  await page.emulateMedia({ colorScheme: "light" });
  await page.goto("/m/home");
  for (const [path, heading] of [
    ["/m/home", "home.heading"],
    ["/m/gameList", "games.all"],
    ["/m/search", "games.search"],
    ["/m/set", "member.settings"],
    ["/m/fairness", "shell.fairness"],
  ] as const) {
    await visit(page, path);
    await expect(page.locator("h1"), path).toHaveText(ty(heading));
    await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
    await expect(page.getByRole("main")).toBeVisible();
    expect(await paper(page), path).toBeLessThan(40);
  }
  expect(await page.evaluate(() => localStorage.getItem("MC_THEME"))).toBe("dark");
});

test("[A2.1-02] the app's own style is on in the app's shell and off in a browser", async ({
  page,
  browser,
}) => {
  await page.goto("/m/home");
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await expect(page.locator("html")).not.toHaveClass(/app-shell/);
  const userAgent = `${await page.evaluate(() => navigator.userAgent)} PeryaApp/1.0`;
  const shell = await browser.newContext({ userAgent });
  const inside = await shell.newPage();
  await inside.goto("/m/home");
  await expect(inside.locator("html")).toHaveClass(/app-shell/);
  await expect(inside.locator("body")).toHaveCSS("user-select", "none");
  await shell.close();
});

const HOME_TYPE = [
  ...["/", "/m", "/m/", "/m/index", "/m/index.html", "/m/home"],
  ...["/m/login", "/m/register", "/m/register.html", "/m/changePsw", "/m/forget"],
];

test("[A1-12 A2.1-03 A2.1-05] eleven paths show the one home screen, and an unknown path ends there", async ({
  page,
}) => {
  const heading = page.locator("h1", { hasText: ty("home.heading") });
  await page.goto("/");
  await expect(heading).toBeAttached();
  const home = await page.getByRole("main").elementHandle();
  for (const path of HOME_TYPE) {
    const served = await page.request.get(path, { headers: { accept: "text/html" } });
    expect(served.status(), path).toBe(200);
    expect(served.headers()["content-type"], path).toContain("text/html");
    await visit(page, path);
    // Only a logged-in player can change a password.
    await expect(page).toHaveURL(path === "/m/changePsw" ? "/m/home" : path);
    await expect(heading, path).toBeAttached();
    await expect(page.locator("header")).toHaveCount(1);
    expect(await home?.evaluate((one) => one.isConnected), path).toBe(true);
  }
  for (const path of ["/m/nosuchpage", "/nothing/here"]) {
    await page.goto(path);
    await expect(page).toHaveURL(/\/m\/home$/);
    await expect(heading).toBeAttached();
  }
});

test("[G7-14] vendors of the last visit show at once and are refreshed; unreadable ones are fetched again", async ({
  page,
}) => {
  await inLanguage(page, "EN");
  await page.goto("/m/home");
  const vendor = page.getByRole("link", { name: "Luna Live" }).first();
  await expect(vendor).toBeAttached();
  const kept = async () => (await page.evaluate(() => localStorage.getItem("MC_VENDORS"))) ?? "";
  await expect.poll(kept).toContain("Luna Live");

  // The server's answer is held back, so the page shows the stored data.
  let answer = (): void => undefined;
  const held = new Promise<void>((done) => {
    answer = done;
  });
  await page.route("**/api/v1/vendors*", async (route) => {
    await held;
    await route.continue();
  });
  const asked = page.waitForRequest("**/api/v1/vendors*");
  await page.reload();
  await expect(vendor).toBeAttached();
  await asked;
  // Data stored next can only come from the late answer.
  await page.evaluate(() => localStorage.removeItem("MC_VENDORS"));
  answer();
  await expect.poll(kept).toContain("Luna Live");
  await page.unrouteAll({ behavior: "wait" });

  const warned = page.waitForEvent("console", (said) => said.text().includes("MC_VENDORS"));
  await page.evaluate(() => localStorage.setItem("MC_VENDORS", "{"));
  await page.reload();
  await warned;
  await expect(vendor).toBeAttached();
  await expect.poll(kept).toContain("Luna Live");
});

test("[A2.13-05] the last status is stored, and a start whose page has none uses it at once and then fetches it anew", async ({
  page,
}) => {
  await page.goto("/m/home");
  await expect.poll(() => keptStatus(page)).toContain('"brandName":"Perya"');
  await renameKept(page, "Kept House");
  // A page that was just loaded has a newer status.
  await page.reload();
  await expect(page).toHaveTitle(/Perya/);
  await expect.poll(() => keptStatus(page)).toContain('"brandName":"Perya"');

  await renameKept(page, "Kept House");
  await withoutBoot(page);
  // The server's answer is held back, so the page shows the stored data.
  let answer = (): void => undefined;
  const held = new Promise<void>((done) => {
    answer = done;
  });
  await page.route("**/api/v1/status", async (route) => {
    await held;
    await route.continue();
  });
  const asked = page.waitForRequest("**/api/v1/status");
  await waitingForever(page);
  await page.reload();
  await expect(page.locator("h1", { hasText: ty("home.heading") })).toBeAttached();
  await expect(page).toHaveTitle(/Kept House/);
  await asked;
  answer();
  await expect(page).toHaveTitle(/Perya/);
  await expect.poll(() => keptStatus(page)).toContain('"brandName":"Perya"');
});

test("[A2.1-01] the first screen is drawn once the status is here, and not before", async ({
  page,
}) => {
  await withoutBoot(page);
  let answer = (): void => undefined;
  const held = new Promise<void>((done) => {
    answer = done;
  });
  await page.route("**/api/v1/status", async (route) => {
    await held;
    await route.continue();
  });
  await waitingForever(page);
  const asked = page.waitForRequest("**/api/v1/status");
  await page.goto("/m/home");
  await asked;
  await page.waitForTimeout(700);
  await expect(page.locator("h1")).toHaveCount(0);
  answer();
  await expect(page.locator("h1", { hasText: ty("home.heading") })).toBeAttached();
});

test("[A2.13-06] a stored status that cannot be read is logged and fetched again, and the app starts", async ({
  page,
}) => {
  await page.goto("/m/home");
  await expect.poll(() => keptStatus(page)).toContain('"brandName":"Perya"');
  await withoutBoot(page);
  for (const broken of ["{", "{}"]) {
    await page.evaluate((text) => localStorage.setItem("MC_STATUS", text), broken);
    const warned = page.waitForEvent("console", (said) => said.text().includes("MC_STATUS"));
    const asked = page.waitForRequest("**/api/v1/status");
    await page.reload();
    expect((await warned).type()).toBe("warning");
    await asked;
    await expect(page.locator("h1", { hasText: ty("home.heading") })).toBeAttached();
    await expect(page).toHaveTitle(/Perya/);
    await expect.poll(() => keptStatus(page)).toContain('"brandName":"Perya"');
  }
});

/** A start that waits a second or more for a late status then waits for ever. */
async function waitingForever(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const { setTimeout: ring } = window;
    const held = (work: () => void, ms = 0) => (ms < 1_000 ? ring(work, ms) : 0);
    Object.assign(window, { setTimeout: held });
  });
}

async function keptStatus(page: Page): Promise<string> {
  return (await page.evaluate(() => localStorage.getItem("MC_STATUS"))) ?? "";
}

/** Changes the brand's name in the stored status. */
async function renameKept(page: Page, brandName: string): Promise<void> {
  const kept = JSON.parse(await keptStatus(page));
  kept.data.info.brandName = brandName;
  await page.evaluate((text) => localStorage.setItem("MC_STATUS", text), JSON.stringify(kept));
}

/** Removes the data that the server puts into the page. */
async function withoutBoot(page: Page): Promise<void> {
  await page.route("**/m/home", async (route) => {
    const response = await route.fetch();
    const html = await response.text();
    const body = html.replace(/(<script[^>]*id="boot"[^>]*>)[\s\S]*?(<\/script>)/, "$1$2");
    await route.fulfill({ response, body });
  });
}
