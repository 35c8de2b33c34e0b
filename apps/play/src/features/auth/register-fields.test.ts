import { describe, expect, it } from "vitest";
import {
  isRequired,
  nameOfWire,
  outsideBody,
  REGISTER_FIELDS,
  REGISTER_NAMES,
  type RegisterValues,
  registerMethods,
  registrationBody,
  type Settings,
  shownFields,
  shownOutside,
} from "./register-fields.ts";

const RULE = { enabled: true, required: false, pattern: ".*", maxLength: 50 };
const KEYS = [...REGISTER_NAMES.map((name) => REGISTER_FIELDS[name].wire), "messageCode"];
const BOTH = { minimumAge: 21, methods: { username: true, mobile: true } };
const ALL: Settings = { ...BOTH, fields: Object.fromEntries(KEYS.map((key) => [key, RULE])) };
const EMPTY = {
  ...Object.fromEntries(REGISTER_NAMES.map((name) => [name, ""])),
  agreed: true,
} as RegisterValues;

describe("the fields of a registration", () => {
  it("[A2.4-02 A2.4-03] open by mobile only where that is the only way", () => {
    const by = (methods: Settings["methods"]) => registerMethods({ ...ALL, methods });
    expect(by({ username: true, mobile: true })).toEqual(["username", "mobile"]);
    expect(by({ username: false, mobile: true })).toEqual(["mobile"]);
    expect(by({ username: true, mobile: false })).toEqual(["username"]);
  });

  it("[A2.4-04] show an optional field only where the server has it enabled", () => {
    const none: Settings = { ...BOTH, fields: {} };
    expect(shownFields(none, "username")).toEqual(["username", "password", "confimpsw"]);
    expect(shownFields(none, "mobile")).toEqual([
      "mobileNum2",
      "messageCode2",
      "password",
      "confimpsw",
    ]);
    const off: Settings = { ...BOTH, fields: { email: { ...RULE, enabled: false } } };
    expect(shownFields(off, "username")).not.toContain("email");
  });

  it("[A2.4-05] can be all of the specification's list", () => {
    // Dialling code, captcha and agreement are shown beside these for every brand.
    expect([...shownFields(ALL, "username")].sort()).toEqual(
      [
        ...["username", "password", "confimpsw", "mobileNum1", "messageCode1", "paymentPassword"],
        ...["idNumber", "qqNum", "facebook", "wechat", "line", "whatsapp", "zalo", "email"],
        ...["nickname", "payeeName", "recommenderId", "birthday", "affiliateCode"],
      ].sort(),
    );
  });

  it("[A2.4-06 A2.4-07] name number and code by the method", () => {
    const ofNumbers = (fields: readonly string[]) =>
      fields.filter((name) => /^(mobileNum|messageCode)/.test(name)).sort();
    expect(ofNumbers(shownFields(ALL, "username"))).toEqual(["messageCode1", "mobileNum1"]);
    expect(ofNumbers(shownFields(ALL, "mobile"))).toEqual(["messageCode2", "mobileNum2"]);
    // As with a brand that asks for no number beside a name.
    expect(ofNumbers(shownFields({ ...BOTH, fields: {} }, "username"))).toEqual([]);
  });

  it("need a code where the brand requires one and a number is given", () => {
    const fields = { ...ALL.fields, messageCode: { ...RULE, required: true } };
    const numbered = { ...EMPTY, mobileNum1: "0917" };
    expect(isRequired({ ...ALL, fields }, "messageCode1", EMPTY)).toBe(false);
    expect(isRequired({ ...ALL, fields }, "messageCode1", numbered)).toBe(true);
    expect(isRequired(ALL, "messageCode1", numbered)).toBe(false);
    expect(isRequired(ALL, "messageCode2", EMPTY)).toBe(true);
    expect(isRequired(ALL, "mobileNum2", EMPTY)).toBe(true);
  });

  const PAGE = {
    dialingCode: "+63",
    registerMethod: "PWA",
    registerUrl: "https://play.example/m/register",
    domain: "play.example",
  } as const;

  it("[A2.4-16 A2.4-17 A2.4-18] travel by the names of the request, all of them", () => {
    const filled = {
      ...Object.fromEntries(REGISTER_NAMES.map((name) => [name, "7"])),
      agreed: true,
    } as RegisterValues;
    const body = registrationBody(filled, shownFields(ALL, "username"), PAGE);
    expect(body).toMatchObject({ registerMethod: "PWA", type: 0, domain: "play.example" });
    // The captcha's answer and an external proof are added where they exist.
    expect(Object.keys(body).sort()).toEqual(
      [
        "affiliateCode",
        "agreed",
        "birthday",
        "confirmPassword",
        "countryDialingCode",
        "domain",
        "email",
        "facebook",
        "idNumber",
        "line",
        "mobileNum",
        "nickname",
        "password",
        "payeeName",
        "paymentPassword",
        "qqNum",
        "recommenderId",
        "registerMethod",
        "registerUrl",
        "type",
        "username",
        "verificationCode",
        "wechat",
        "whatsapp",
        "zalo",
      ].sort(),
    );
  });

  it("travel trimmed, except for passwords, and not at all where they are empty or hidden", () => {
    const values = {
      ...EMPTY,
      username: " maria ",
      password: " Parol2026x",
      confimpsw: " Parol2026x",
      mobileNum1: "0917 123-4567",
      mobileNum2: "of the other method",
    };
    expect(registrationBody(values, shownFields(ALL, "username"), PAGE)).toEqual({
      username: "maria",
      password: " Parol2026x",
      confirmPassword: " Parol2026x",
      mobileNum: "09171234567",
      countryDialingCode: "+63",
      registerMethod: "PWA",
      registerUrl: PAGE.registerUrl,
      domain: PAGE.domain,
      type: 0,
      agreed: true,
    });
  });

  describe("the fields of a player whom a provider knows", () => {
    const nothing = { username: false, mobileNum: false };
    const rule = (required: boolean) => ({ ...RULE, required });
    const brand = (fields: Settings["fields"]): Settings => ({ ...ALL, fields });

    it("are those that the brand requires, the birthday, the invitation and a name of their choice", () => {
      expect(shownOutside(ALL, { email: null, requires: nothing })).toEqual([
        "username",
        "birthday",
        "affiliateCode",
      ]);
      const strict = brand({ ...ALL.fields, email: rule(true), idNumber: rule(true) });
      expect(shownOutside(strict, { email: null, requires: nothing })).toEqual(
        expect.arrayContaining(["email", "idNumber"]),
      );
      const known = { email: "maria@example.com", requires: nothing };
      expect(shownOutside(strict, known)).not.toContain("email");
      const every = brand(Object.fromEntries(KEYS.map((key) => [key, rule(true)])));
      for (const name of ["password", "confimpsw", "captcha", "mobileNum2"]) {
        expect(shownOutside(every, known)).not.toContain(name);
      }
      expect(shownOutside(every, known)).toEqual(
        expect.arrayContaining(["mobileNum1", "messageCode1", "paymentPassword"]),
      );
    });

    it("hold a name or a number where the brand identifies its players by it", () => {
      const byName = { email: null, requires: { username: true, mobileNum: false } };
      const byNumber = { email: null, requires: { username: false, mobileNum: true } };
      expect(isRequired(ALL, "username", EMPTY, byName)).toBe(true);
      expect(isRequired(ALL, "username", EMPTY, byNumber)).toBe(false);
      expect(shownOutside(ALL, byNumber)).toEqual(
        expect.arrayContaining(["mobileNum2", "messageCode2"]),
      );
      expect(isRequired(ALL, "mobileNum2", EMPTY, byNumber)).toBe(true);
    });

    it("travel with the ticket, and without a password", () => {
      const values = { ...EMPTY, birthday: "1990-06-15", affiliateCode: " LINDA7 ", username: "" };
      expect(
        outsideBody("ticket", values, ["username", "birthday", "affiliateCode"], PAGE),
      ).toEqual({
        ticket: "ticket",
        birthday: "1990-06-15",
        affiliateCode: "LINDA7",
        registerMethod: "PWA",
        registerUrl: PAGE.registerUrl,
        domain: PAGE.domain,
        agreed: true,
      });
    });
  });

  it("[A2.4-15] show the server's faults under the visible field", () => {
    expect(nameOfWire("mobileNum", shownFields(ALL, "mobile"))).toBe("mobileNum2");
    expect(nameOfWire("mobileNum", shownFields(ALL, "username"))).toBe("mobileNum1");
    expect(nameOfWire("confirmPassword", shownFields(ALL, "mobile"))).toBe("confimpsw");
    expect(nameOfWire("captcha", [])).toBe("captcha");
    expect(nameOfWire("domain", shownFields(ALL, "mobile"))).toBeUndefined();
  });
});
