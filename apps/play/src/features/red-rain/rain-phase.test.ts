import { describe, expect, it } from "vitest";
import { nextLookMs, phaseLeftMs, phaseOf } from "./rain-phase.ts";

const RAIN = { startsAt: 1_000_000, endsAt: 1_030_000 };

describe("a rain", () => {
  it("[G2.1-24] is `before`, falls from its first millisecond, and is over at its end", () => {
    expect(phaseOf(null, 0)).toBe("none");
    expect(phaseOf(RAIN, 999_999)).toBe("before");
    expect(phaseOf(RAIN, 1_000_000)).toBe("falling");
    expect(phaseOf(RAIN, 1_029_999)).toBe("falling");
    expect(phaseOf(RAIN, 1_030_000)).toBe("over");
  });

  it("reports how long its phase lasts", () => {
    expect(phaseLeftMs(RAIN, 900_000)).toBe(100_000);
    expect(phaseLeftMs(RAIN, 1_010_000)).toBe(20_000);
    expect(phaseLeftMs(RAIN, 1_030_000)).toBeNull();
    expect(phaseLeftMs(null, 0)).toBeNull();
  });

  it("is read every few seconds while it falls and once it is over, and seldom before", () => {
    expect(nextLookMs(null, 0)).toBe(60_000);
    expect(nextLookMs(RAIN, 900_000)).toBe(60_000);
    expect(nextLookMs(RAIN, 995_000)).toBe(5_300);
    expect(nextLookMs(RAIN, 1_010_000)).toBe(3_000);
    expect(nextLookMs(RAIN, 1_029_000)).toBe(1_300);
    expect(nextLookMs(RAIN, 1_031_000)).toBe(1_500);
  });
});
