import type { Page } from "@playwright/test";
import { expect, test } from "./journey.ts";
import { startPerya } from "./perya.ts";
import { freshName } from "./player.ts";
import { goOnTo } from "./screens.ts";
import { newMember, payIn } from "./session.ts";
import { textsOf } from "./texts.ts";

test.use({ serviceWorkers: "allow" });

const ty = textsOf("ty");
/** A spin may win twenty free spins, each as long as itself. */
const FREE_SPINS_MS = 180_000;

test("a visitor plays a slot as a free trial with trial credit", async ({ page }) => {
  await page.goto("/m/home");
  const tile = page.locator('main a[href*="pop=game"]').filter({ hasText: "Parol Fortune" });
  await tile.first().click();
  const sheet = page.getByRole("dialog", { name: "Parol Fortune" });
  await sheet.getByRole("button", { name: ty("auth.trial"), exact: true }).click();
  await expect(page).toHaveURL(/\/m\/play\/parol-fortune/);
  await atRest(page);
  await expect(page.getByTestId("balance")).toContainText("F");
  const first = await spin(page);
  const second = await spin(page);
  expect(second).not.toBe(first);
});

test.describe("with the games' motion", () => {
  test.use({ contextOptions: { reducedMotion: "no-preference" } });

  test("a real round of each game shows in balance and records, and can be verified", async ({
    page,
  }) => {
    test.setTimeout(480_000);
    await newMember(page, freshName());
    await payIn(page, 500);

    await page.goto("/m/play/parol-fortune");
    await atRest(page);
    const parol = await spin(page);

    await goOnTo(page, "/m/play/color-game");
    await atRest(page);
    const color = await roll(page);

    await goOnTo(page, "/m/play/saranggola");
    const kite = await fly(page);

    await goOnTo(page, "/m/gameRecord");
    for (const name of ["Parol Fortune", "Color Game", "Saranggola"]) {
      await expect(page.locator("main li").getByText(name).first()).toBeVisible();
    }
    await goOnTo(page, "/m/transaction/record?tab=bet");
    await expect(page.locator("main li")).toHaveCount(3);

    for (const round of [parol, color]) await verify(page, round, true);
    await verify(page, kite, false);
  });
});

test("a round whose answer is lost with the network comes back the same, and money moves once", async ({
  page,
  context,
}) => {
  await newMember(page, freshName());
  await payIn(page, 500);
  await page.goto("/m/play/parol-fortune");
  await atRest(page);
  const sent = page.waitForRequest((request) => request.url().endsWith("/api/v1/rounds"));
  await context.setOffline(true);
  await page.getByRole("button", { name: ty("games.spin"), exact: true }).click();
  const { id } = JSON.parse((await sent).postData() ?? "{}");
  await expect(page.getByText(ty("games.reconnecting"))).toBeVisible();
  await page.waitForTimeout(1_000);
  await context.setOffline(false);
  await atRest(page, FREE_SPINS_MS);
  await expect(game(page)).toHaveAttribute("data-round-id", id);
  await page.goto("/m/transaction/record?tab=bet");
  await expect(page.locator("main li")).toHaveCount(1);
});

test("a round whose client seed only the house told is never confirmed, and its proof says why", async ({
  page,
}) => {
  await newMember(page, freshName());
  await payIn(page, 500);
  const seeds = "**/api/v1/fairness/seed";
  await page.route(seeds, (route) =>
    route.request().method() === "POST" ? route.abort("connectionfailed") : route.continue(),
  );
  await page.goto("/m/play/color-game");
  // The choice of a seed failed, and the game can be played all the same.
  await atRest(page);
  const told = await roll(page);
  await page.unroute(seeds);
  // The page reports a house that uses another pair than the one it had shown as next.
  await page.route(seeds, async (route) => {
    if (route.request().method() !== "POST") return route.continue();
    const response = await route.fetch();
    const { value } = await response.json();
    const current = { ...value.current, seedId: value.current.next.seedId };
    await route.fulfill({ response, json: { value: { ...value, current } } });
  });
  await verify(page, told, true, "unshown");
  await expect(page.getByTestId("proof")).toContainText(ty("fairness.unshown_client"));
  await expect(page.getByText(ty("fairness.next_swapped"))).toBeVisible();
  await page.unroute(seeds);
  // When the next game opens, the client seed is this browser's.
  await page.goto("/m/play/color-game");
  await atRest(page);
  await verify(page, await roll(page), true);
});

test("a round whose server is killed comes back the same, and money moves once", async ({
  browser,
}) => {
  test.setTimeout(480_000);
  const perya = await startPerya();
  const context = await browser.newContext({ baseURL: perya.url });
  const page = await context.newPage();
  try {
    await newMember(page, freshName());
    await payIn(page, 500);
    await page.goto("/m/play/parol-fortune");
    await atRest(page);
    // The server takes the round, and dies before its answer can arrive.
    await page.route("**/api/v1/rounds", async (route) => {
      await route.fetch();
      await perya.kill();
      await route.abort("connectionfailed");
      await page.unroute("**/api/v1/rounds");
    });
    const sent = page.waitForRequest((request) => request.url().endsWith("/api/v1/rounds"));
    await page.getByRole("button", { name: ty("games.spin"), exact: true }).click();
    const { id } = JSON.parse((await sent).postData() ?? "{}");
    await expect(page.getByText(ty("games.reconnecting"))).toBeVisible();
    await perya.restart();
    await atRest(page, FREE_SPINS_MS);
    await expect(game(page)).toHaveAttribute("data-round-id", id);
    await page.goto("/m/transaction/record?tab=bet");
    await expect(page.locator("main li")).toHaveCount(1);
    await verify(page, id, true);
  } finally {
    await context.close();
    await perya.stop();
  }
});

function game(page: Page) {
  return page.getByTestId("game");
}

async function atRest(page: Page, timeout = 30_000): Promise<void> {
  await expect(game(page)).toHaveAttribute("data-state", "rest", { timeout });
}

/** Plays a spin to its end and answers the round's id. */
async function spin(page: Page): Promise<string> {
  return playRound(page, ty("games.spin"));
}

async function roll(page: Page): Promise<string> {
  await page.locator('[data-colour="red"] button').first().click();
  return playRound(page, ty("games.roll"));
}

async function playRound(page: Page, button: string): Promise<string> {
  const answered = page.waitForResponse((response) => response.url().endsWith("/api/v1/rounds"));
  await page.getByRole("button", { name: button, exact: true }).click();
  const { value } = await (await answered).json();
  await atRest(page, FREE_SPINS_MS);
  await expect(game(page)).toHaveAttribute("data-round-id", value.round.id);
  return value.round.id;
}

/** Bets on the next flight with a low target and waits until it has ended. */
async function fly(page: Page): Promise<string> {
  const bet = page.getByRole("button", {
    name: new RegExp(`^(${ty("games.kite_bet")}|${ty("games.kite_bet_next")})$`),
  });
  const answered = page.waitForResponse(
    (response) => response.url().endsWith("/api/v1/saranggola/bets") && response.status() === 200,
    { timeout: 120_000 },
  );
  await bet.click();
  const { value } = await (await answered).json();
  const finished = () =>
    page.evaluate(
      async (id) => (await fetch(`/api/v1/saranggola/rounds/${id}`)).status,
      value.roundId as string,
    );
  await expect.poll(finished, { timeout: 170_000 }).toBe(200);
  return value.roundId;
}

/** Recomputes a round on the fairness page; a solo round's seed is revealed for it first. */
async function verify(
  page: Page,
  id: string,
  solo: boolean,
  verdict: "confirmed" | "unshown" = "confirmed",
): Promise<void> {
  // On another screen, the proof of the previous round is gone.
  await goOnTo(page, "/m/help");
  await goOnTo(page, `/m/fairness?round=${id}`);
  const proof = page.locator("[data-verdict]");
  await expect(proof).toBeVisible();
  if (solo && (await proof.getAttribute("data-verdict")) === "sealed") {
    await page.getByRole("button", { name: ty("fairness.reveal_now") }).click();
  }
  await expect(page.locator(`[data-verdict="${verdict}"]`)).toBeVisible();
}
