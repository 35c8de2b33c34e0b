import { describe, expect, it } from "vitest";
import { isTooCommon } from "./common-passwords.ts";

describe("a password", () => {
  it.each([
    ["known from breaches", "Qwerty123"],
    ["known from breaches, in small letters", "iloveyou1"],
    ["of one sign and another", "aaaaaaa1"],
    ["that is the player's name", "Maria_Clara"],
    ["around the player's name", "xMARIA_clara9"],
  ])("%s is too common", (_what, password) => {
    expect(isTooCommon(password, "maria_clara")).toBe(true);
  });

  it("that nobody would try first is not, though a short name stands in it", () => {
    expect(isTooCommon("Fiesta2026", "maria_clara")).toBe(false);
    expect(isTooCommon("Banderitas#7", "ban")).toBe(false);
  });
});
