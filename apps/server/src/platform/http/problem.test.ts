import { type LimitUnit, limitRefusal } from "@perya/contract/refusal";
import { describe, expect, it } from "vitest";
import { problemOf } from "./problem.ts";

describe("a limit that was broken", () => {
  it.each<[limit: string, unit: LimitUnit | undefined, shown: string]>([
    ["2000000", "PHP", "₱20,000.00"],
    ["20000", "FUN", "F200.00"],
    ["20000", "hundredths", "200.00×"],
    ["1000000", "hundredths", "10,000.00×"],
    ["4050", "basis_points", "40.5%"],
    ["25000000", "pixels", "25 megapixels"],
    ["6", undefined, "6"],
    ["2026-11-26", undefined, "2026-11-26"],
  ])("of %s in %s is written as %s, and stays as it is for programs", (limit, unit, shown) => {
    const refused = limitRefusal("stake.minor", "too_big", limit, unit);
    const [en, ty] = ["EN", "TY"].map((language) => problemOf(refused, language, "req").fields);
    const fault = { field: "stake.minor", code: "too_big", limit, ...(unit && { unit }) };
    expect(en).toEqual([{ ...fault, message: `At most ${shown}` }]);
    expect(ty).toEqual([{ ...fault, message: `Hanggang ${shown} lang` }]);
  });
});
