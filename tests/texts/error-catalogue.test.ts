import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { REFUSALS, type RefusalCode } from "@perya/contract/refusal";
import { describe, expect, it } from "vitest";
import { problemOf } from "../../apps/server/src/platform/http/problem.ts";
import { refusalTexts } from "../../apps/server/src/platform/http/refusal-texts.ts";

/** The specification's wordings (accounts §8) against what a player reads, in both languages. */

const LOCALES = fileURLToPath(new URL("../../apps/play/src/locales/", import.meta.url));
const page = { EN: textsOf("en"), TY: textsOf("ty") };

/** What the server says: code, wording. */
const REFUSED: readonly (readonly [clause: string, code: RefusalCode, wording: string])[] = [
  ["A8-03", "region_restricted", "Your IP or location is restricted"],
  ["A8-04", "maintenance", "System upgrading, please try again later"],
  ["A8-05", "not_logged_in", "You are not logged in, please login first"],
  ["A8-06", "session_ended", "The account has been logged out, please log in again"],
  ["A8-07", "code_wrong", "Verification code error"],
  ["A8-07", "captcha_wrong", "Verification code error"],
  [
    "A8-08",
    "permission_denied",
    "Sorry, this account does not have permission or the feature is temporarily unavailable",
  ],
  [
    "A8-08",
    "feature_off",
    "Sorry, this account does not have permission or the feature is temporarily unavailable",
  ],
  ["A8-09", "user_missing", "Sorry, the user does not exist or is disabled"],
  ["A8-10", "username_taken", "Sorry, the username already exists"],
  ["A8-11", "referrer_wrong", "Referrer link error"],
  ["A5-12", "invitation_wrong", "Invalid invitation code"],
  ["A8-12", "not_member_account", "Non-member account unable to login"],
  ["A8-13", "not_agent_account", "Non-agents cannot log in"],
  ["A6-03", "real_account_needed", "Please login an actual account to use this function"],
];

/** What the page says by itself. */
const SAID: readonly (readonly [clause: string, id: string, wording: string])[] = [
  ["A8-01", "error.unknown", "Unknown error"],
  ["A8-03", "error.ip_restricted", "Your IP or location is restricted"],
  ["A8-04", "error.upgrading", "System upgrading, please try again later"],
  ["A8-06", "error.session_ended", "The account has been logged out, please log in again"],
  ["A8-07", "auth.code_wrong", "Verification code error"],
  [
    "A8-08",
    "error.feature_unavailable",
    "Sorry, this account does not have permission or the feature is temporarily unavailable",
  ],
  ["A8-10", "auth.username_taken", "Sorry, the username already exists"],
  ["A6-03", "error.free_reject", "Please login an actual account to use this function"],
  ["A8-14", "error.slow", "Network slow"],
  ["A8-14", "error.offline", "No internet"],
  ["A8-14", "error.load_failed", "Load failed, tap to retry"],
  ["A8-15", "auth.registered", "Registered successfully, ready for login"],
  ["A8-15", "auth.in_sms_send", "SMS code sent, please check"],
  ["A8-15", "auth.reset_done", "Password reset successful"],
];

/** What the forms say by themselves, and nothing beside it (accounts §5 and §8). */
const FORMS: readonly (readonly [id: string, wording: string])[] = [
  ["auth.username_format", "Account format is incorrect"],
  ["auth.password_format", "Password format is incorrect"],
  ["auth.email_format", "E-mail format is incorrect"],
  ["auth.name_format", "Name format is not valid"],
  ["auth.in_mobileNum_error", "The mobile num is not valid"],
  ["auth.mobile_enter_valid", "Please enter a valid mobile number"],
  ["auth.confirm_mismatch", "Confirmation password not matched"],
  ["auth.captcha_enter", "Enter a captcha"],
  ["auth.mail_sent", "Sent successfully"],
  ["security.saved", "Change saved"],
];

/** Message keys whose wording is ours. */
const KEYS = [
  "auth.in_sms_sending",
  "auth.in_sms_send",
  "auth.in_mobileNum_error",
  "auth.enter_verification_code",
  "auth.change_pass_success",
  "shell.copy_success",
  "member.in_sure_logout",
  "shell.in_please_wait",
];

/** Proper names, and terms of the trade and of the web that are English in Tagalog too. */
const TAKEN_AS_THEY_ARE = [
  ...["games.symbol_sampaguita", "games.in_house", "games.pista"],
  ...["games.class_DT", "games.class_VIDEO", "games.kite_target", "screen.mall"],
  ...["auth.affiliateCode", "auth.captcha", "auth.mobileNum", "auth.recovery_code"],
  ...["security.mobile", "security.totp", "fairness.server_seed", "fairness.client_seed"],
  ...["manual.number", "manual.transfer_number", "manual.number_sent", "records.kind_withdrawal"],
  ...["records.entry_trial_credit", "feedback.type_withdrawal", "feedback.type_service"],
  ...["home.footer_service", "error.maintenance_title"],
];

it("[A1-08] Tagalog says all that English does, and English all that Tagalog does", () => {
  expect(Object.keys(page.TY).sort()).toEqual(Object.keys(page.EN).sort());
  for (const [id, text] of Object.entries({ ...page.EN, ...page.TY }))
    expect(text, id).not.toBe("");
});

it("[A1-08] no text of ten letters or more is the same in both, but for names and words that Tagalog takes as they are", () => {
  const same = Object.keys(page.EN).filter(
    (id) => page.EN[id] === page.TY[id] && isLong(page.EN[id]),
  );
  expect(same.toSorted()).toEqual(TAKEN_AS_THEY_ARE.toSorted());
  const said = { EN: refusalTexts("EN").refusals, TY: refusalTexts("TY").refusals };
  const codes = Object.keys(REFUSALS) as RefusalCode[];
  const untold = codes.filter((code) => said.TY[code][1] === said.EN[code][1]);
  expect(untold).toEqual([]);
});

function isLong(text = ""): boolean {
  // Of what the text says itself, whatever is put into it.
  return text.replace(/\{[^}]*\}/g, "").replace(/[^\p{L}]/gu, "").length >= 10;
}

describe("the error catalogue", () => {
  it.each(REFUSED)(
    "[A8-03 A8-04 A8-05 A8-06 A8-07 A8-08 A8-09 A8-10 A8-11 A8-12 A8-13] %s: %s says “%s”",
    (_clause, code, wording) => {
      const { refusals } = refusalTexts("EN");
      expect(sentence(refusals[code][1])).toBe(wording);
      expect(refusalTexts("TY").refusals[code][1]).not.toBe(refusals[code][1]);
    },
  );

  it.each(REFUSED)(
    "[A8-07 A8-10 A8-11] %s: %s says so under the field that it is about, too",
    (_clause, code, wording) => {
      const refusal = { code, fields: [{ field: "username", code: "taken" as const }] };
      const [field] = problemOf(refusal, "EN", "req_1").fields ?? [];
      expect(sentence(field?.message ?? "")).toBe(wording);
    },
  );

  it.each(SAID)(
    "[A8-01 A8-07 A8-10 A8-14 A8-15] %s: %s begins with “%s”",
    (_clause, id, wording) => {
      expect(page.EN[id]?.slice(0, wording.length)).toBe(wording);
      expect(page.TY[id] ?? "").not.toBe("");
      expect(page.TY[id]).not.toBe(page.EN[id]);
    },
  );

  it.each(FORMS)("[A5-06 A5-10 A5-20 A5-22 A8-15] %s is “%s”", (id, wording) => {
    expect(page.EN[id]).toBe(wording);
    expect(page.TY[id] ?? "").not.toBe("");
    expect(page.TY[id]).not.toBe(wording);
  });

  it.each(KEYS)("[A8-16] has %s in both languages", (id) => {
    expect(page.EN[id] ?? "").not.toBe("");
    expect(page.TY[id] ?? "").not.toBe("");
  });

  it("says what and why of every refusal, in both languages", () => {
    for (const language of ["EN", "TY"]) {
      const { refusals } = refusalTexts(language);
      expect(Object.keys(refusals).sort()).toEqual(Object.keys(REFUSALS).sort());
      expect(Object.values(refusals).flat()).not.toContain("");
    }
  });
});

function sentence(text: string): string {
  return text.replace(/\.$/, "");
}

function textsOf(language: string): Readonly<Record<string, string>> {
  const texts: Record<string, string> = {};
  for (const file of readdirSync(LOCALES + language)) {
    Object.assign(texts, JSON.parse(readFileSync(`${LOCALES}${language}/${file}`, "utf8")));
  }
  return texts;
}
