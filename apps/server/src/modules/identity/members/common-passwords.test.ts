import { describe, expect, it } from "vitest";
import { isTooCommon } from "./common-passwords.ts";

describe("a password", () => {
  it.each([
    ["known from breaches", "Qwerty123"],
    ["known from breaches, in lower case", "iloveyou1"],
    ["of two characters", "aaaaaaa1"],
    ["that is the player's name", "Maria_Clara"],
    ["around the player's name", "xMARIA_clara9"],
    ["around the brand's name", "ilovePERYA!!"],
    ["around a word of the brand's name", "royale#2026"],
  ])("%s is too common", (_what, password) => {
    expect(isTooCommon(password, ["maria_clara", "Perya Royale"])).toBe(true);
  });

  it("that nobody would guess first is allowed, even if it contains a short name", () => {
    expect(isTooCommon("Fiesta2026", ["maria_clara", "Perya"])).toBe(false);
    expect(isTooCommon("Banderitas#7", ["ban", "The Bet"])).toBe(false);
  });
});
