import { expect, test } from "./journey.ts";
import { freshName, registerDialog } from "./player.ts";
import { inLanguage } from "./screens.ts";
import { signIn } from "./session.ts";
import { textsOf } from "./texts.ts";

const t = textsOf("en");

test("a friend who follows an invitation's link registers with its code", async ({
  page,
  browser,
  baseURL,
}) => {
  await inLanguage(page, "EN");
  await signIn(page, "bea", "Fiesta2026");
  await page.goto("/m/inviteFriends");
  const code = await page.getByText(/^[A-HJ-NP-Z2-9]{8}$/).innerText();
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByRole("button", { name: t("invite.copy_code") }).click();
  await expect(page.getByText(t("shell.copy_success"))).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(code);
  const context = await browser.newContext(baseURL === undefined ? {} : { baseURL });
  const friend = await context.newPage();
  await inLanguage(friend, "EN");
  await friend.goto(`/m/register?id=${code}`);
  const dialog = registerDialog(friend, t);
  const field = dialog.getByRole("textbox", { name: t("auth.affiliateCode") });
  await expect(field).toHaveValue(code);
  const name = freshName();
  await dialog.getByRole("textbox", { name: t("auth.username"), exact: true }).fill(name);
  await dialog.getByLabel(t("auth.password"), { exact: true }).fill("Parol2026x");
  await dialog.getByLabel(t("auth.confirm_password"), { exact: true }).fill("Parol2026x");
  await dialog.getByRole("checkbox").check();
  const sent = friend.waitForRequest(/invitation-code\?code=/);
  await dialog.getByRole("button", { name: t("auth.register"), exact: true }).click();
  expect((await sent).url()).toContain(code);
  await expect(friend.getByRole("dialog", { name: t("auth.login_title") })).toBeVisible();
  await context.close();
});
