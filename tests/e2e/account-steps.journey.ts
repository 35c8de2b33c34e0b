import { expect, test } from "@playwright/test";
import {
  toCaptcha,
  toRecoveryByPhone,
  toRecoveryCode,
  toRecoveryDone,
  toResetForm,
  toSamePassword,
  toSecondFactor,
} from "./account-steps.ts";
import { seriousFaults } from "./axe.ts";
import { inLanguage } from "./screens.ts";
import { signIn } from "./session.ts";
import { textsOf } from "./texts.ts";

const ty = textsOf("ty");

const STEPS: readonly (readonly [name: string, open: typeof toResetForm])[] = [
  ["the captcha of a log-in", toCaptcha],
  ["the second factor", toSecondFactor],
  ["recovery by phone, first step", toRecoveryByPhone],
  ["recovery by phone, second step", toRecoveryCode],
  ["recovery by phone, last step", toRecoveryDone],
  ["the new password behind a link", toResetForm],
];
test("axe finds nothing serious on the steps of accounts", async ({ page }) => {
  await inLanguage(page, "TY");
  for (const [name, open] of STEPS) {
    await open(page, ty);
    expect(await seriousFaults(page), name).toEqual([]);
    await page.unrouteAll();
  }
  await signIn(page, "tess", "Fiesta2026");
  await toSamePassword(page, ty);
  expect(await seriousFaults(page), "the same password").toEqual([]);
});
