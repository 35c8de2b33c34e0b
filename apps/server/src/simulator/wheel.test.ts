import { percentText } from "@perya/games/rational";
import { describe, expect, it } from "vitest";
import { seededEntropy } from "../../../../tests/server/fixtures.ts";
import { drawSlot, payoutOf, payTable, WHEEL, wheelReturn } from "./wheel.ts";

describe("the simulator's wheel", () => {
  it("returns what is published: 95.00% of all stakes", () => {
    expect(percentText(wheelReturn(), 2)).toBe("95.00");
    const back = WHEEL.map((_, slot) => payoutOf(slot, 100n)).reduce((sum, one) => sum + one, 0n);
    expect(back).toBe(95n * 20n);
    expect(payTable()).toEqual([
      { pays: 5, slots: 1 },
      { pays: 3, slots: 2 },
      { pays: 2, slots: 4 },
      { pays: 0, slots: 13 },
    ]);
  });

  it("stops on each slot as often, and never takes a byte that favours the first", () => {
    const entropy = seededEntropy("wheel");
    const hits = new Array<number>(WHEEL.length).fill(0);
    const draws = 40_000;
    for (let i = 0; i < draws; i++) {
      const slot = drawSlot(entropy);
      hits[slot] = (hits[slot] ?? 0) + 1;
    }
    const expected = draws / WHEEL.length;
    // Chi squared with 19 degrees of freedom: above 43.8 once in a thousand fair wheels.
    const distance = hits.reduce((sum, one) => sum + (one - expected) ** 2 / expected, 0);
    expect(distance).toBeLessThan(43.8);
    const bytes = [255, 240, 239];
    expect(drawSlot({ bytes: () => Uint8Array.of(bytes.shift() ?? 0) })).toBe(19);
  });
});
