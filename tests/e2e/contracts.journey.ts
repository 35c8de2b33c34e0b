import { inDatabase } from "./database.ts";
import { expect, test } from "./journey.ts";
import { goOnTo, inLanguage, visit } from "./screens.ts";
import { signIn } from "./session.ts";
import { textsOf } from "./texts.ts";

const t = textsOf("en");
const PASSWORD = "Fiesta2026";

test.beforeEach(({ page }) => inLanguage(page, "EN"));

test("[G2.2-16 G2.9-11 G2.9-12 G2.9-14] home leads an agent to an offered dividend until the agent accepts it, and never leads a member there", async ({
  page,
}) => {
  // The contract is as the demo left it, even if another journey answered it.
  await inDatabase((client) =>
    client.query(
      `UPDATE agent_contracts SET state = 'pending', decided_at = NULL, starts_on = NULL
       WHERE id = 'ctr_00000000000000000000000004'`,
    ),
  );
  await signIn(page, "boyet", PASSWORD);
  await page.goto("/m/home");
  const prompt = page.getByRole("alertdialog", { name: t("screen.dividend_contract") });
  await expect(prompt).toContainText(t("agent.prompt"));
  await prompt.getByRole("button", { name: t("shell.cancel") }).click();
  await expect(page.getByRole("alertdialog")).toBeHidden();
  await expect(page).toHaveURL(/\/m\/home$/);

  // The next visit is led there again.
  await page.evaluate(() => sessionStorage.clear());
  await page.reload();
  await prompt.getByRole("button", { name: t("agent.prompt_go") }).click();
  await expect(page).toHaveURL(/\/m\/member\/agent\/getDevidendContract$/);
  const offered = page.getByRole("region", { name: t("agent.offered") });
  await expect(offered).toContainText(t("agent.terms_HALF_MONTH"));
  await expect(offered).toContainText("₱30,000.00");
  await expect(offered).toContainText("Offered by \u2068Ate Linda\u2069");
  const yours = page.getByRole("region", { name: t("agent.yours") });
  await expect(yours).toContainText(t("agent.state_in_force"));

  await offered.getByRole("button", { name: t("agent.accept"), exact: true }).click();
  const sure = page.getByRole("alertdialog", { name: t("agent.accept_title") });
  await sure.getByRole("button", { name: t("agent.accept"), exact: true }).click();
  await expect(page.getByText(t("agent.accepted"), { exact: true })).toBeVisible();
  await expect(offered).toHaveCount(0);
  await expect(yours.getByRole("article")).toHaveCount(2);
  await expect(yours.getByRole("article").first()).toContainText(t("agent.state_accepted"));

  const told = page.waitForResponse("**/api/v1/agent/contract-info");
  await page.evaluate(() => sessionStorage.clear());
  await page.goto("/m/home");
  expect((await (await told).json()).value).toEqual({
    ...{ dailysalreqtype: "", divtypecompperiodreq: "", contracthoursalreq: "" },
  });
  await expect(page.getByRole("heading", { level: 1 })).toBeAttached();
  await expect(page.getByRole("alertdialog")).toHaveCount(0);
  for (const [path, title] of [
    ["getSalaryContract", "agent.state_in_force"],
    ["getHourContract", "agent.none"],
  ] as const) {
    await goOnTo(page, `/m/member/agent/${path}`);
    await expect(page.getByRole("main")).toContainText(t(title));
  }

  await signIn(page, "jun", PASSWORD);
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await page.goto("/m/help");
  for (const name of ["getSalaryContract", "getDevidendContract", "getHourContract"]) {
    await visit(page, `/m/member/agent/${name}`);
    await expect(page).toHaveURL(/\/m\/home$/);
  }
  await expect(page.getByRole("heading", { level: 1 })).toBeAttached();
  expect(asked.filter((path) => path.startsWith("/api/v1/agent"))).toEqual([]);
});
