import { beforeAll, describe, expect, it } from "vitest";
import { bringPatternReader } from "../../parts/forms/field-rule.ts";
import {
  type Asked,
  isSamePassword,
  type PasswordValues,
  passwordBody,
  passwordFaults,
} from "./password-change.ts";

const RULE = { required: true, pattern: ".*\\d.*", maxLength: 20 };
const GOOD: PasswordValues = {
  oldPassword: "Fiesta2026",
  code: "",
  newPassword: "Parol2026x",
  confirmNewPassword: "Parol2026x",
};

function faulty(values: Partial<PasswordValues>, asks: Asked = "old"): string[] {
  const faults = passwordFaults({ ...GOOD, ...values }, { asks, rule: RULE });
  return Object.entries(faults).flatMap(([name, found]) =>
    (found ?? []).map(({ id }) => `${name}: ${id}`),
  );
}

beforeAll(bringPatternReader);

describe("a change of password", () => {
  it("[A5-16] checks the old password, unless it is not asked for and empty", () => {
    expect(faulty({})).toEqual([]);
    expect(faulty({ oldPassword: "" })).toEqual(["oldPassword: auth.password_required"]);
    expect(faulty({ oldPassword: "" }, "nothing")).toEqual([]);
    expect(faulty({ oldPassword: "abc" }, "nothing")).toEqual([
      "oldPassword: auth.password_format",
    ]);
  });

  it("[A5-17] judges the new password by the common rule", () => {
    expect(faulty({ newPassword: "nodigits!", confirmNewPassword: "nodigits!" })).toEqual([
      "newPassword: auth.password_format",
    ]);
  });

  it("[A5-18] requires the new password twice, and the same", () => {
    expect(faulty({ confirmNewPassword: "" })).toEqual([
      "confirmNewPassword: auth.password_required",
    ]);
    expect(faulty({ confirmNewPassword: "Parol2026y" })).toEqual([
      "confirmNewPassword: auth.confirm_correct",
    ]);
  });

  it("[A7-09] carries the old password, typed or held, except for an account without one", () => {
    const fresh = { newPassword: "Parol2026x", confirmNewPassword: "Parol2026x" };
    expect(passwordBody(GOOD, { asks: "old", held: null })).toEqual({
      oldPassword: "Fiesta2026",
      ...fresh,
    });
    const none = { ...GOOD, oldPassword: "" };
    expect(passwordBody(none, { asks: "nothing", held: "Kalesa2027y" })).toEqual({
      oldPassword: "Kalesa2027y",
      ...fresh,
    });
    expect(passwordBody(none, { asks: "nothing", held: null })).toEqual(fresh);
  });

  it("asks an account without a password for the code of its authenticator", () => {
    const none = { oldPassword: "", code: "12" };
    expect(faulty(none, "code")).toEqual(["code: auth.code_format"]);
    expect(faulty({ ...none, code: " 123456 " }, "code")).toEqual([]);
    const by = { asks: "code", held: null } as const;
    const body = passwordBody({ ...GOOD, ...none, code: " 123456 " }, by);
    const fresh = { newPassword: "Parol2026x", confirmNewPassword: "Parol2026x" };
    expect(body).toEqual({ code: "123456", ...fresh });
  });

  it("asks for the payment password where the account has nothing else, and keeps it out of the change", () => {
    const none = { oldPassword: "", code: "12" };
    expect(faulty(none, "payment")).toEqual(["code: auth.paymentPassword_format"]);
    expect(faulty({ ...none, code: "739254" }, "payment")).toEqual([]);
    const by = { asks: "payment", held: null } as const;
    const body = passwordBody({ ...GOOD, oldPassword: "", code: "739254" }, by);
    expect(body).toEqual({ newPassword: "Parol2026x", confirmNewPassword: "Parol2026x" });
  });

  it("[A5-19] recognises a new password that equals the old one, typed or held in memory", () => {
    expect(isSamePassword({ ...GOOD, newPassword: "Fiesta2026" }, null)).toBe(true);
    expect(isSamePassword({ ...GOOD, oldPassword: "" }, "Parol2026x")).toBe(true);
    expect(isSamePassword(GOOD, "Fiesta2026")).toBe(false);
  });
});
