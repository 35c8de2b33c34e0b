import type { Page, Route } from "@playwright/test";
import type { Reply } from "../../packages/client/src/api.ts";
import { seriousFaults } from "./axe.ts";
import { expect, test } from "./journey.ts";
import { freshName } from "./player.ts";
import { inLanguage } from "./screens.ts";
import { newMember } from "./session.ts";
import { textsOf } from "./texts.ts";

test.use({ serviceWorkers: "block" });

type Flight = Reply<"GET /api/v1/saranggola/rounds/{id}">;
type Chains = Reply<"GET /api/v1/saranggola/chains">;
type Replaced = Reply<"POST /api/v1/fairness/seed">;

const t = textsOf("en");
const FLIGHT = "**/api/v1/saranggola/rounds/*";
const CHAINS = "**/api/v1/saranggola/chains";

test("a flight is confirmed only by what this browser was shown before it: another salt is refuted, another chain counts as not shown", async ({
  page,
}) => {
  test.setTimeout(300_000);
  await inLanguage(page, "EN");
  await newMember(page, freshName());
  await page.goto("/m/play/saranggola");
  const game = page.getByTestId("game");
  await expect(game).toHaveAttribute("data-state", "waiting", { timeout: 200_000 });
  const id = (await game.getAttribute("data-round-id")) ?? "";
  const ended = () =>
    page.evaluate(async (of) => (await fetch(`/api/v1/saranggola/rounds/${of}`)).status, id);
  await expect.poll(ended, { timeout: 200_000 }).toBe(200);
  await expectVerdict(page, id, "confirmed");

  // The reply has another salt, and a crash that fits it.
  await page.route(FLIGHT, (route) => changed<Flight>(route, { salt: "another", crashedAt: 100 }));
  await expectVerdict(page, id, "refuted");
  // The published chain has the same other salt and agrees with the reply.
  await page.route(CHAINS, (route) =>
    changed<Chains>(route, ({ chains }) => ({ chains: chains.map(withSalt) })),
  );
  await expectVerdict(page, id, "refuted");
  await page.unroute(FLIGHT);
  await page.unroute(CHAINS);

  // A phone that was shown nothing before says only that the seeds fit.
  await page.evaluate(() => {
    for (const key of Object.keys(localStorage)) {
      if (key.startsWith("MC_SHOWN")) localStorage.removeItem(key);
    }
  });
  await expectVerdict(page, id, "unshown");
  await expect(page.getByTestId("proof")).toContainText(t("fairness.unshown_flight"));
  // What it learns of the chain then does not count for a later proof.
  await expectVerdict(page, id, "unshown");
  await expectCode(page, 2, '.update(Buffer.from(seed, "hex"))');

  // The code tab shows the code for the form of the flight's chain.
  await page.route(CHAINS, (route) =>
    changed<Chains>(route, ({ chains }) => ({ chains: chains.map(ofFormOne) })),
  );
  await expectVerdict(page, id, "refuted");
  await expectCode(page, 1, ".update(seed)");
});

test("the next server seed's hash is shown before the client seed is chosen, and the page reports a house that uses another seed", async ({
  page,
}) => {
  await inLanguage(page, "EN");
  await newMember(page, freshName());
  await page.goto("/m/fairness");
  const seeds = async () => {
    await page.getByRole("radio", { name: t("fairness.tab_seeds") }).check({ force: true });
    return page.getByTestId("next-seed").locator("code");
  };
  const next = await seeds();
  const shown = (await next.textContent()) ?? "";
  expect(shown).toMatch(/^[0-9a-f]{64}$/);
  await expect(page.getByText(t("fairness.client_seed_ours"))).toBeVisible();
  await page.getByRole("button", { name: t("fairness.replace") }).click();
  await expect(page.getByRole("heading", { name: t("fairness.revealed") })).toBeVisible();
  await expect(page.locator("dl").first()).toContainText(shown);
  await expect(next).not.toHaveText(shown);
  await expect(page.getByText(t("fairness.client_seed_ours"))).toHaveCount(0);
  await expect(page.getByText(t("fairness.next_swapped"))).toHaveCount(0);

  // The page reports a house that takes another seed once it knows the client seed.
  await page.route("**/api/v1/fairness/seed", (route) =>
    route.request().method() === "POST"
      ? changed<Replaced>(route, (value) => ({
          ...value,
          current: { ...value.current, serverSeedHash: "0".repeat(64) },
        }))
      : route.continue(),
  );
  await page.getByRole("button", { name: t("fairness.replace") }).click();
  await expect(page.getByText(t("fairness.next_swapped"))).toBeVisible();
});

for (const language of ["TY", "EN"] as const) {
  test(`the page shows in ${language} what anybody needs to verify us with code that is not ours`, async ({
    page,
  }) => {
    const say = textsOf(language === "TY" ? "ty" : "en");
    await inLanguage(page, language);
    await page.goto("/m/fairness");
    const published = () =>
      page.evaluate(async () => (await (await fetch("/api/v1/saranggola/chains")).json()).value);
    // The first flight of a new server publishes its chain.
    await expect.poll(async () => (await published()).chains.length).toBeGreaterThan(0);
    const [chain] = (await published()).chains;
    await page.getByRole("radio", { name: say("fairness.tab_code") }).check({ force: true });
    for (const figure of [chain.firstHash, chain.salt, `${chain.length}`, chain.signature]) {
      await expect(page.getByTestId("chain")).toContainText(figure);
    }
    await expect(page.getByTestId("verify-code")).toContainText('createHmac("sha256", salt)');
    await expect(page.getByText(say("fairness.vectors_text"))).toBeVisible();
    expect(await seriousFaults(page)).toEqual([]);
    // Nothing on the page is wider than a phone.
    const [wide, room] = await page.evaluate(() => [
      document.documentElement.scrollWidth,
      document.documentElement.clientWidth,
    ]);
    expect(wide).toBeLessThanOrEqual(room ?? 0);
  });
}

async function expectVerdict(page: Page, id: string, verdict: string): Promise<void> {
  await page.goto(`/m/fairness?round=${id}`);
  await expect(page.locator(`[data-verdict="${verdict}"]`)).toBeVisible();
}

/** Expects the code tab of the shown proof to use this form. */
async function expectCode(page: Page, form: number, line: string): Promise<void> {
  await page.getByRole("radio", { name: t("fairness.tab_code") }).check({ force: true });
  await expect(page.getByTestId("code-form")).toHaveText(
    t("fairness.code_form", { form: `${form}` }),
  );
  await expect(page.getByTestId("verify-code")).toContainText(line);
}

/** Lets the server answer, and changes the answer on its way. */
async function changed<T extends object>(
  route: Route,
  change: Partial<T> | ((value: T) => T),
): Promise<void> {
  const response = await route.fetch();
  const { value }: { value: T } = await response.json();
  const instead = typeof change === "function" ? change(value) : { ...value, ...change };
  await route.fulfill({ response, json: { value: instead } });
}

function withSalt<T extends object>(chain: T): T {
  return { ...chain, salt: "another" };
}

function ofFormOne(chain: Chains["chains"][number]): Chains["chains"][number] {
  return { ...chain, form: 1 };
}
