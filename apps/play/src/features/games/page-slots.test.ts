import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pageSlots } from "./page-slots.ts";

describe("page slots", () => {
  it("[G2.7-27] show every page while there are five or fewer", () => {
    expect(pageSlots(1, 0)).toEqual([]);
    expect(pageSlots(1, 1)).toEqual([1]);
    expect(pageSlots(4, 5)).toEqual([1, 2, 3, 4, 5]);
  });

  it("[G2.7-27] show an ellipsis wherever pages are left out", () => {
    expect(pageSlots(1, 12)).toEqual([1, 2, 3, 4, "gap-right", 12]);
    expect(pageSlots(6, 12)).toEqual([1, "gap-left", 5, 6, 7, "gap-right", 12]);
    expect(pageSlots(12, 12)).toEqual([1, "gap-left", 9, 10, 11, 12]);
  });

  it("[G2.7-27] always hold first, last and current page, five numbers in rising order", () => {
    fc.assert(
      fc.property(fc.integer({ min: 6, max: 10_000 }), fc.nat(), (total, n) => {
        const page = (n % total) + 1;
        const slots = pageSlots(page, total);
        const numbers = slots.filter((slot) => typeof slot === "number");
        expect(numbers).toHaveLength(5);
        expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
        expect(numbers).toEqual(expect.arrayContaining([1, page, total]));
        for (const [index, slot] of slots.entries()) {
          const next = slots[index + 1];
          if (typeof slot === "number" && typeof next === "number") expect(next).toBe(slot + 1);
        }
      }),
    );
  });
});
