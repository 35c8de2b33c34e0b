import { PAROL_STAKE } from "@perya/games/parol-fortune";
import { SARANGGOLA_STAKE } from "@perya/games/saranggola";
import { fitsRule } from "@perya/games/stake";
import { describe, expect, it } from "vitest";
import { KITE_LADDER, PAROL_LADDER, stepStake } from "./stake-ladder.ts";

describe("the stakes offered", () => {
  it("are all stakes that the game takes", () => {
    expect(PAROL_LADDER.every((minor) => fitsRule(minor, PAROL_STAKE))).toBe(true);
    expect(KITE_LADDER.every((minor) => fitsRule(minor, SARANGGOLA_STAKE))).toBe(true);
  });

  it("are stepped through one by one and end at both ends", () => {
    expect(stepStake(KITE_LADDER, 100n, 1)).toBe(500n);
    expect(stepStake(KITE_LADDER, 700n, -1)).toBe(500n);
    expect(stepStake(KITE_LADDER, 100n, -1)).toBe(100n);
    expect(stepStake(KITE_LADDER, 500_000n, 1)).toBe(500_000n);
  });
});
