import type { Page } from "@playwright/test";
import { seriousFaults } from "./axe.ts";
import { expect, test } from "./journey.ts";
import { freshName, loginDialog, proveOwner } from "./player.ts";
import { inLanguage, visit } from "./screens.ts";
import { newMember } from "./session.ts";
import { textsOf } from "./texts.ts";

const en = textsOf("en");
type T = typeof en;

test("a passkey that was made in the security centre logs its player in", async ({ page }) => {
  await inLanguage(page, "EN");
  const phone = await phoneWithPasskeys(page);
  const name = freshName();
  await newMember(page, name);
  await page.goto("/m/securityCenter?pop=security&id=passkeys");
  const sheet = page.getByRole("dialog", { name: en("security.passkeys"), exact: true });
  await sheet.getByLabel(en("security.passkey_name"), { exact: true }).fill("Telepono");
  await sheet.getByRole("button", { name: en("security.passkey_add") }).click();
  await proveOwner(page, en);
  await expect(sheet.getByText("Telepono", { exact: true })).toBeVisible();
  await signOut(page, en);

  await phone.answers(false);
  await visit(page, "/m/login?next=%2Fm%2Fset");
  const login = loginDialog(page, en);
  const username = login.getByRole("textbox", { name: en("auth.username"), exact: true });
  await expect(username).toHaveAttribute("autocomplete", "username webauthn");
  const byPasskey = login.getByRole("button", { name: en("auth.with_passkey") });
  await byPasskey.click();
  await expect(login.getByText(en("auth.passkey_not_used"))).toBeVisible();
  expect(await seriousFaults(page)).toEqual([]);

  await phone.answers(true);
  await byPasskey.click();
  await expect(login).toBeHidden();
  await expect(page).toHaveURL(/\/m\/set$/);
  await visit(page, "/m/securityCenter?tab=logins");
  await expect(page.getByRole("main").getByRole("listitem").first()).toContainText(
    en("security.by_passkey"),
  );
});

/** Signs by itself like a phone whose owner is there; answers how to send the owner away. */
async function phoneWithPasskeys(page: Page): Promise<{ answers(does: boolean): Promise<void> }> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  const { authenticatorId } = await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    async answers(isUserVerified) {
      await devtools.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified });
    },
  };
}

async function signOut(page: Page, t: T): Promise<void> {
  await visit(page, "/m/set?pop=signout");
  const dialog = page.getByRole("alertdialog");
  await dialog.getByRole("button", { name: t("member.sign_out"), exact: true }).click();
  await expect(page).toHaveURL(/\/m\/home$/);
}
