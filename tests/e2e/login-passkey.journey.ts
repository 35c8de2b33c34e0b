import { expect, type Page, test } from "@playwright/test";
import { seriousFaults } from "./axe.ts";
import { freshName, loginDialog } from "./player.ts";
import { inLanguage } from "./screens.ts";
import { newMember } from "./session.ts";
import { textsOf } from "./texts.ts";

test.use({ serviceWorkers: "block" });

const LANGUAGES = [
  ["TY", textsOf("ty")],
  ["EN", textsOf("en")],
] as const;
type T = (typeof LANGUAGES)[0][1];

for (const [language, t] of LANGUAGES) {
  test(`a passkey of the security centre opens the account again, in ${language}`, async ({
    page,
  }) => {
    await inLanguage(page, language);
    const phone = await phoneWithPasskeys(page);
    const name = freshName();
    await newMember(page, name);
    await page.goto("/m/securityCenter?pop=security&id=passkeys");
    const sheet = page.getByRole("dialog", { name: t("security.passkeys"), exact: true });
    await sheet.getByLabel(t("security.passkey_name"), { exact: true }).fill("Telepono");
    await sheet.getByRole("button", { name: t("security.passkey_add") }).click();
    await expect(sheet.getByText("Telepono", { exact: true })).toBeVisible();
    await signOut(page, t);

    await phone.answers(false);
    await page.goto("/m/login?next=%2Fm%2Fset");
    const login = loginDialog(page, t);
    const username = login.getByRole("textbox", { name: t("auth.username"), exact: true });
    await expect(username).toHaveAttribute("autocomplete", "username webauthn");
    const byPasskey = login.getByRole("button", { name: t("auth.with_passkey") });
    await byPasskey.click();
    await expect(login.getByText(t("auth.passkey_not_used"))).toBeVisible();
    expect(await seriousFaults(page)).toEqual([]);

    await phone.answers(true);
    await byPasskey.click();
    await expect(login).toBeHidden();
    await expect(page).toHaveURL(/\/m\/set$/);
    await page.goto("/m/securityCenter?tab=logins");
    await expect(page.getByRole("main").getByRole("listitem").first()).toContainText(
      t("security.by_passkey"),
    );
  });
}

/** Signs by itself as a phone does whose owner is there; answers how to send the owner away. */
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
  await page.goto("/m/set?pop=signout");
  const dialog = page.getByRole("alertdialog");
  await dialog.getByRole("button", { name: t("member.sign_out"), exact: true }).click();
  await expect(page).toHaveURL(/\/m\/home$/);
}
