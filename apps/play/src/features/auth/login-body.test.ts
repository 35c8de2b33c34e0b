import { expect, it } from "vitest";
import { givenLogin, loginBody } from "./login-body.ts";

const VALUES = {
  username: " maria ",
  password: " Fiesta2026",
  mobileNum: "0917 123-4567",
  verificationCode: "123456",
  captcha: "",
  remember: true,
};

it("[A3-07] a log-in carries a name and password, or a number and code, with the country", () => {
  expect(loginBody(givenLogin(VALUES, "username", "+63", ""))).toEqual({
    type: "username",
    username: "maria",
    password: " Fiesta2026",
    countryDialingCode: "+63",
  });
  expect(loginBody(givenLogin(VALUES, "sms", "+63", ""))).toEqual({
    type: "sms",
    username: "09171234567",
    password: "123456",
    countryDialingCode: "+63",
  });
  expect(loginBody(givenLogin(VALUES, "username", "", ""))).not.toHaveProperty(
    "countryDialingCode",
  );
});

it("[A3-07] a log-in by an outside service's proof carries it, its channel and the number as typed", () => {
  const given = givenLogin(VALUES, "sms", "+63", "");
  const word = { firebaseChannel: "phone", firebaseIdToken: "a token" } as const;
  expect(loginBody(given, word)).toEqual({
    ...{ type: "firebase", firebaseMobileNo: "09171234567", countryDialingCode: "+63" },
    ...word,
  });
  expect(loginBody(given, { verificationCode: "123456" })).toEqual(loginBody(given));
});

it("a log-in with the password that the form filled in counts as not typed", () => {
  const typedWith = (filledIn: string) => givenLogin(VALUES, "username", "+63", filledIn).typed;
  expect(typedWith(VALUES.password)).toBe(false);
  expect(["", "Kalesa2027y"].map(typedWith)).toEqual([true, true]);
});
