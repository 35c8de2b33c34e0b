import { expect, test } from "./journey.ts";
import { freshName, PASSWORD, registerAndLogIn } from "./player.ts";
import { inLanguage } from "./screens.ts";
import { signIn } from "./session.ts";
import { textsOf } from "./texts.ts";

const ty = textsOf("ty");
const en = textsOf("en");

test.describe("the change of password", () => {
  test("[A1-03 A2.2-04 A2.6-02 A2.6-03 A2.6-04 A2.6-05 A2.6-06 A2.6-07 A5-19] asks for no old password on the page of the log-in, and asks for it after a reload", async ({
    page,
  }) => {
    const name = freshName();
    await registerAndLogIn(page, ty, name);
    await page.evaluate(() => {
      history.pushState(null, "", "/m/changePsw");
      dispatchEvent(new PopStateEvent("popstate"));
    });
    const change = page.getByRole("dialog", { name: ty("auth.change_password"), exact: true });
    const save = change.getByRole("button", { name: ty("auth.change_password") });
    const wanted = change.getByLabel(ty("auth.new_password"), { exact: true });
    const again = change.getByLabel(ty("auth.confirm_new_password"), { exact: true });
    await expect(change).toBeVisible();
    await expect(change.getByLabel(ty("auth.old_password"), { exact: true })).toHaveCount(0);
    let asked = 0;
    page.on("request", (request) => {
      if (request.url().endsWith("/auth/password")) asked++;
    });
    await wanted.fill(PASSWORD);
    await again.fill(PASSWORD);
    await save.click();
    const prompt = page.getByRole("alertdialog");
    await expect(prompt).toContainText(ty("auth.same_password"));
    await prompt.getByRole("button", { name: ty("auth.confirm") }).click();
    await expect(prompt).toBeHidden();
    expect(asked).toBe(0);
    const next = "Kalesa2027y";
    await wanted.fill(next);
    await again.fill(next);
    await save.click();
    await expect(page.getByText(ty("auth.change_pass_success"))).toBeVisible();
    await expect(change).toBeHidden();
    await expect(page).toHaveURL(/\/m\/home$/);

    // The page no longer holds the old password, and after a reload it holds none.
    await page.goto("/m/changePsw");
    const old = change.getByLabel(ty("auth.old_password"), { exact: true });
    await expect(old).toBeVisible();
  });

  test("[A5-18 A8-17] shows no message when the server refuses the old password, and says so under a wrong confirmation", async ({
    page,
  }) => {
    await inLanguage(page, "EN");
    await signIn(page, "jun", "Fiesta2026");
    await page.goto("/m/changePsw");
    const change = page.getByRole("dialog", { name: en("auth.change_password"), exact: true });
    const save = change.getByRole("button", { name: en("auth.change_password") });
    const old = change.getByLabel(en("auth.old_password"), { exact: true });
    await old.fill("Wrong2026x");
    await change.getByLabel(en("auth.new_password"), { exact: true }).fill("Kalesa2027y");
    const again = change.getByLabel(en("auth.confirm_new_password"), { exact: true });
    await again.fill("Kalesa2027z");
    await save.click();
    await expect(change.getByText(en("auth.confirm_correct"))).toBeVisible();
    await again.fill("Kalesa2027y");
    const answered = page.waitForResponse((reply) => reply.url().endsWith("/auth/password"));
    await save.click();
    expect((await answered).status()).toBe(422);
    await expect(old).toBeFocused();
    await expect(page.locator("[data-sonner-toast]")).toHaveCount(0);
    await expect(change.getByRole("alert")).toHaveCount(0);
    await expect(change).toBeVisible();
  });
});
