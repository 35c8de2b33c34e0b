import { beforeAll, describe, expect, it } from "vitest";
import { accountRules, digitsOf, type Faults } from "../../parts/account/account-rules.ts";
import { bringPatternReader } from "../../parts/forms/field-rule.ts";
import { loginFaults } from "./login-faults.ts";
import { passwordFaults } from "./password-change.ts";

const ids = (faults: Faults) => faults.map(({ id }) => id);
const PASSWORD = { required: true, pattern: ".*([A-Za-z].*\\d|\\d.*[A-Za-z]).*", maxLength: 20 };

beforeAll(bringPatternReader);

describe("the rules that log-in, recovery and the password forms share", () => {
  it("[A5-01] are the rules of each form: all forms take and refuse the same values, in the same words", () => {
    const form = { minDigits: 10, captchaShown: false };
    const none = { captcha: "", remember: false, code: "", confirmNewPassword: "" };
    for (const text of [
      "",
      " ",
      "a",
      "short",
      "Parol2026x",
      "lettersonly",
      "917 123 4567",
      "12a456",
      "1234",
    ]) {
      const rules = {
        loginUsername: accountRules.loginUsername(text),
        loginPassword: accountRules.loginPassword(text),
        loginMobileNum: accountRules.loginMobileNum(text, form.minDigits),
        verificationCode: accountRules.verificationCode(text),
        password: accountRules.password(text, PASSWORD),
      };
      const login = {
        ...none,
        username: text,
        password: text,
        mobileNum: text,
        verificationCode: text,
      };
      expect(loginFaults(login, { ...form, method: "username" }), text).toEqual({
        username: rules.loginUsername,
        password: rules.loginPassword,
      });
      expect(loginFaults(login, { ...form, method: "sms" }), text).toEqual({
        mobileNum: rules.loginMobileNum,
        verificationCode: rules.verificationCode,
      });
      const change = { ...none, oldPassword: text, newPassword: text };
      expect(passwordFaults(change, { asks: "old", rule: PASSWORD }), text).toMatchObject({
        oldPassword: rules.loginPassword,
        newPassword: rules.password,
      });
    }
  });

  it("[A5-07 A5-22] take names that an account can have, and say what is not a name", () => {
    for (const name of ["jun", "maria_7", " boyet "]) {
      expect(accountRules.loginUsername(name), name).toEqual([]);
    }
    expect(ids(accountRules.loginUsername("  "))).toEqual(["auth.username_required"]);
    for (const name of ["ab", "two words", "x".repeat(33), "<b>"]) {
      expect(ids(accountRules.loginUsername(name)), name).toEqual(["auth.username_format"]);
    }
  });

  it("[A5-16 A5-22] take any password that may once have been valid", () => {
    expect(accountRules.loginPassword("Fiesta2026")).toEqual([]);
    expect(ids(accountRules.loginPassword(""))).toEqual(["auth.password_required"]);
    expect(ids(accountRules.loginPassword("short"))).toEqual(["auth.password_format"]);
  });

  it("[A5-17 A5-22] judge a new password by the brand's pattern", () => {
    expect(accountRules.password("Parol2026x", PASSWORD)).toEqual([]);
    expect(ids(accountRules.password("lettersonly", PASSWORD))).toEqual(["auth.password_format"]);
    expect(ids(accountRules.password("a1".repeat(11), PASSWORD))).toEqual(["auth.password_format"]);
    expect(ids(accountRules.password("", PASSWORD))).toEqual(["auth.password_required"]);
  });

  it("[A5-21] require the country's fewest digits and refuse one fewer", () => {
    expect(accountRules.mobileNum("9171234567", 10)).toEqual([]);
    expect(accountRules.mobileNum("0917 123-4567", 10)).toEqual([]);
    expect(ids(accountRules.mobileNum("917123456", 10))).toEqual(["auth.in_mobileNum_error"]);
    expect(accountRules.loginMobileNum("9171234567", 10)).toEqual([]);
    expect(ids(accountRules.loginMobileNum("917123456", 10))).toEqual(["auth.mobile_enter_valid"]);
    expect(ids(accountRules.mobileNum("0917123456", 10))).toEqual(["auth.in_mobileNum_error"]);
    expect(digitsOf("0917 123-4567")).toBe("09171234567");
  });

  it("[A5-22] describe the log-in's number and the form's in their own words", () => {
    expect(ids(accountRules.loginMobileNum("12", 10))).toEqual(["auth.mobile_enter_valid"]);
    expect(ids(accountRules.mobileNum("12", 10))).toEqual(["auth.in_mobileNum_error"]);
    expect(ids(accountRules.mobileNum("letters", 3))).toEqual(["auth.in_mobileNum_error"]);
  });

  it("[A5-04] take digits alone as a code by SMS, ten at most", () => {
    for (const code of ["1234", "123456", "1234567890"]) {
      expect(accountRules.verificationCode(code), code).toEqual([]);
    }
    expect(ids(accountRules.verificationCode(""))).toEqual(["auth.enter_verification_code"]);
    for (const code of ["12345678901", "12a456", "12"]) {
      expect(ids(accountRules.verificationCode(code)), code).toEqual(["auth.code_format"]);
    }
  });

  it("[A5-02 A5-14] require a captcha of up to six digits", () => {
    expect(accountRules.captcha("123456")).toEqual([]);
    expect(ids(accountRules.captcha(""))).toEqual(["auth.captcha_required"]);
    for (const answer of ["1234567", "12b"]) {
      expect(ids(accountRules.captcha(answer)), answer).toEqual(["auth.captcha_numeric"]);
    }
  });

  it("[A5-05 A5-06] recognise an e-mail address by its parts", () => {
    for (const email of [
      ...["maria@example.com", "a.b_c.d@mail.com.ph", "x@a-b.ph"],
      // A domain may have parts of its own before its suffixes.
      ...["x@mail.example.com", "juan@cs.up.edu.ph", "x@b.co.uk.ph", "x@mail.shop.co.uk.ph"],
    ]) {
      expect(accountRules.email(email), email).toEqual([]);
    }
    expect(ids(accountRules.email(" "))).toEqual(["auth.email_required"]);
    for (const email of [
      "maria",
      "a@b",
      "a@b.c",
      "a..b@c.com",
      "a@b.comm",
      "a@b..com",
      "@b.com",
      "a@b.co.uk.ph.com",
    ]) {
      expect(ids(accountRules.email(email)), email).toEqual(["auth.email_format"]);
    }
  });
});
