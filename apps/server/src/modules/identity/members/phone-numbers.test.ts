import { describe, expect, it } from "vitest";
import { countries, e164, readMobile } from "./phone-numbers.ts";

describe("a mobile number", () => {
  it.each([
    ["+63", "9171234567", "+639171234567"],
    ["+63", "09171234567", "+639171234567"],
    ["+44", "07911123456", "+447911123456"],
    ["+1", "2025550123", "+12025550123"],
  ])("of %s typed as %s is stored as %s", (dialingCode, digits, kept) => {
    const read = readMobile(dialingCode, digits);
    expect(read.ok && e164(read.value)).toBe(kept);
  });

  it("[A5-21] with a digit fewer than its country has is too short, and the player learns the least", () => {
    const short = { field: "mobileNum", code: "too_short", limit: "10" };
    expect(readMobile("+63", "917123456")).toEqual({ ok: false, error: short });
    expect(readMobile("+63", "0917123456")).toEqual({ ok: false, error: short });
    expect(readMobile("+63", "0917", "username")).toMatchObject({ error: { field: "username" } });
  });

  it.each([
    ["a fixed line", "+63", "281234567"],
    ["a premium number", "+1", "9005551234"],
    ["a number with another country's code in it", "+63", "639171234567890"],
    ["one digit too many", "+63", "91712345678"],
  ])("is not %s", (_what, dialingCode, digits) => {
    expect(readMobile(dialingCode, digits)).toMatchObject({
      error: { field: "mobileNum", code: expect.stringMatching(/bad_format|too_short/) },
    });
  });

  it("needs a dialling code that belongs to a country", () => {
    const refused = { field: "countryDialingCode", code: "not_allowed" };
    expect(readMobile("+999", "9171234567")).toEqual({ ok: false, error: refused });
  });
});

describe("the countries", () => {
  it("[A2.4-08] begin with the brand's own, each with its dialling code and least digits", () => {
    const list = countries("PH");
    expect(list[0]).toEqual({ code: "PH", dialingCode: "+63", minDigits: 10 });
    expect(countries("DE")[0]).toEqual({ code: "DE", dialingCode: "+49", minDigits: 10 });
    expect(list.length).toBeGreaterThan(200);
    expect(new Set(list.map(({ code }) => code)).size).toBe(list.length);
    expect(list.every(({ dialingCode }) => /^\+[1-9]\d{0,3}$/.test(dialingCode))).toBe(true);
  });
});
