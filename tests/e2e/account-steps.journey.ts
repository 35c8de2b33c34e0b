import {
  onToRecoveryCode,
  onToRecoveryDone,
  toCaptcha,
  toRecoveryByPhone,
  toResetForm,
  toSamePassword,
  toSecondFactor,
} from "./account-steps.ts";
import { seriousFaults } from "./axe.ts";
import { expect, test } from "./journey.ts";
import { inLanguage } from "./screens.ts";
import { signIn } from "./session.ts";
import { textsOf } from "./texts.ts";

const ty = textsOf("ty");

type Step = readonly [name: string, open: typeof toResetForm];

/** Each way starts at its beginning and takes one step after the other. */
const WAYS: readonly (readonly Step[])[] = [
  [["the captcha of a log-in", toCaptcha]],
  [["the second factor", toSecondFactor]],
  [
    ["recovery by phone, first step", toRecoveryByPhone],
    ["recovery by phone, second step", onToRecoveryCode],
    ["recovery by phone, last step", onToRecoveryDone],
  ],
  [["the new password behind a link", toResetForm]],
];

test("axe finds nothing serious on the steps of accounts", async ({ page }) => {
  await inLanguage(page, "TY");
  for (const way of WAYS) {
    for (const [name, open] of way) {
      await open(page, ty);
      expect(await seriousFaults(page), name).toEqual([]);
    }
    await page.unrouteAll({ behavior: "wait" });
  }
  await signIn(page, "tess", "Fiesta2026");
  await toSamePassword(page, ty);
  expect(await seriousFaults(page), "the same password").toEqual([]);
});
