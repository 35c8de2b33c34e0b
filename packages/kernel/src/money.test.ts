import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { divideRounded, MAX_MINOR, money, type Rounding, scaleMinor, times } from "./money.ts";

const ROUNDINGS: readonly Rounding[] = ["down", "up", "half-even"];

describe("money multiplied and divided", () => {
  it("rounds as its name says, on both sides of zero", () => {
    const thirds = (numerator: bigint) => ROUNDINGS.map((by) => divideRounded(numerator, 3n, by));
    expect(thirds(6n)).toEqual([2n, 2n, 2n]);
    expect(thirds(7n)).toEqual([2n, 3n, 2n]);
    expect(thirds(8n)).toEqual([2n, 3n, 3n]);
    expect(thirds(-7n)).toEqual([-2n, -3n, -2n]);
    expect(thirds(-8n)).toEqual([-2n, -3n, -3n]);
    const halves = [1n, 3n, 5n, -1n, -3n].map((n) => divideRounded(n, 2n, "half-even"));
    expect(halves).toEqual([0n, 2n, 2n, 0n, -2n]);
  });

  it("never strays a whole unit from the exact quotient, whatever is divided", () => {
    const part = fc.bigInt({ min: -MAX_MINOR, max: MAX_MINOR });
    fc.assert(
      fc.property(part, part, fc.constantFrom(...ROUNDINGS), (numerator, denominator, by) => {
        fc.pre(denominator !== 0n);
        const error = divideRounded(numerator, denominator, by) * denominator - numerator;
        const size = (n: bigint) => (n < 0n ? -n : n);
        const bound = by === "half-even" ? size(denominator) : 2n * size(denominator) - 1n;
        expect(2n * size(error) <= bound).toBe(true);
      }),
    );
  });

  it("is exact in between, beyond what the database could hold", () => {
    expect(scaleMinor(MAX_MINOR, MAX_MINOR, MAX_MINOR, "down")).toBe(MAX_MINOR);
  });

  it("refuses what leaves the database's range, and a division by nothing", () => {
    expect(() => times(money(MAX_MINOR, "PHP"), 2n)).toThrow(RangeError);
    expect(() => scaleMinor(1n, 1n, 0n, "down")).toThrow(RangeError);
  });
});
