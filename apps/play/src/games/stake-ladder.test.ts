import { PAROL_STAKE } from "@perya/games/parol-fortune";
import { SARANGGOLA_STAKE } from "@perya/games/saranggola";
import { fitsRule } from "@perya/games/stake";
import { describe, expect, it } from "vitest";
import { PAROL_LADDER, SARANGGOLA_LADDER, stepStake, within } from "./stake-ladder.ts";

describe("the stakes offered", () => {
  it("are all stakes that the game takes", () => {
    expect(PAROL_LADDER.every((minor) => fitsRule(minor, PAROL_STAKE))).toBe(true);
    expect(SARANGGOLA_LADDER.every((minor) => fitsRule(minor, SARANGGOLA_STAKE))).toBe(true);
  });

  it("stay within the brand's limit, and always include one", () => {
    expect(within(SARANGGOLA_LADDER, 2_000n)).toEqual([100n, 500n, 1_000n, 2_000n]);
    expect(within(SARANGGOLA_LADDER, 50n)).toEqual([100n]);
  });

  it("are stepped through one by one and stop at both ends", () => {
    expect(stepStake(SARANGGOLA_LADDER, 100n, 1)).toBe(500n);
    expect(stepStake(SARANGGOLA_LADDER, 700n, -1)).toBe(500n);
    expect(stepStake(SARANGGOLA_LADDER, 100n, -1)).toBe(100n);
    expect(stepStake(SARANGGOLA_LADDER, 500_000n, 1)).toBe(500_000n);
  });
});
