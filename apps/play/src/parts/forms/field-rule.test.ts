import { beforeEach, describe, expect, it, vi } from "vitest";

describe("a brand's pattern in a form", () => {
  let rules: typeof import("./field-rule.ts");
  beforeEach(async () => {
    vi.resetModules();
    rules = await import("./field-rule.ts");
  });

  it("judges the whole value once its reader has loaded; before that the server judges alone", async () => {
    const rule = { pattern: "[a-z]{2,4}|\\p{Lu}" };
    expect(rules.fitsRule("ABCDE", rule)).toBe(true);
    await rules.bringPatternReader();
    expect(["ABCDE", "abcde", "ab", "Ñ"].map((value) => rules.fitsRule(value, rule))).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });

  it("does not block the page on a value on which a backtracking reader would run forever", async () => {
    await rules.bringPatternReader();
    const rule = { pattern: "([A-Za-z0-9]+[._-]?)+@[a-z.]+" };
    expect(rules.fitsRule(`${"a".repeat(34)}!`, rule)).toBe(false);
    expect(rules.fitsRule("maria.santos@mail.test", rule)).toBe(true);
  });

  it("leaves the value to the server where the pattern cannot be read", async () => {
    await rules.bringPatternReader();
    expect(rules.fitsRule("abc", { pattern: "[a-z" })).toBe(true);
  });
});
