import { expect, it } from "vitest";
import { type LoginValues, loginFaults } from "./login-faults.ts";

const EMPTY: LoginValues = {
  username: "",
  password: "",
  mobileNum: "",
  verificationCode: "",
  captcha: "",
  remember: false,
};
const FORM = { method: "username", minDigits: 10, captchaShown: false } as const;

it("[A2.3-01 A5-02] a log-in is judged by the fields of its own method, and by the captcha while it is shown", () => {
  expect(Object.keys(loginFaults(EMPTY, FORM))).toEqual(["username", "password"]);
  expect(Object.keys(loginFaults(EMPTY, { ...FORM, method: "sms", captchaShown: true }))).toEqual([
    "mobileNum",
    "verificationCode",
    "captcha",
  ]);
  const given = { ...EMPTY, mobileNum: "09171234567", verificationCode: "123456" };
  expect(loginFaults(given, { ...FORM, method: "sms" })).toEqual({
    mobileNum: [],
    verificationCode: [],
  });
});

it.each([
  ["", false],
  ["12a4", false],
  ["1234567", false],
  ["123456", true],
])("[A5-02] the shown captcha %j is accepted: %s", (captcha, isTaken) => {
  for (const method of ["username", "sms"] as const) {
    const faults = loginFaults({ ...EMPTY, captcha }, { ...FORM, method, captchaShown: true });
    expect(faults.captcha?.length === 0).toBe(isTaken);
  }
});
