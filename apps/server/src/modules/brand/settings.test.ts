import { describe, expect, it } from "vitest";
import { BrandSettings, type BrandSettingsJson } from "./settings.ts";

const { redRain } = BrandSettings.shape;
const RULE: NonNullable<BrandSettingsJson["redRain"]> = {
  schedule: { everyMinutes: 10 },
  seconds: 30,
  budgetMinor: "10000",
  smallestMinor: "100",
  largestMinor: "1000",
  catchMax: 2,
};

describe("the rule for rains of red packets", () => {
  it("is set completely, or not at all", () => {
    expect(redRain.parse(undefined)).toBeNull();
    expect(redRain.parse(RULE)).toMatchObject({ budgetMinor: 10_000n, catchMax: 2 });
    const byHours = { ...RULE, schedule: { hours: [12, 20] } };
    expect(redRain.safeParse(byHours).success).toBe(true);
  });

  it.each([
    ["whose budget is less than a packet", { budgetMinor: "99" }],
    ["whose largest packet is less than the smallest", { largestMinor: "99" }],
    ["that would deal too many packets", { budgetMinor: "500100" }],
    ["that would run into the next rain", { seconds: 60 }],
    ["at minutes that an hour is no multiple of", { schedule: { everyMinutes: 7 } }],
    ["at an hour that no day has", { schedule: { hours: [24] } }],
  ])("cannot be one %s", (_what, change) => {
    expect(redRain.safeParse({ ...RULE, ...change }).success).toBe(false);
  });
});
