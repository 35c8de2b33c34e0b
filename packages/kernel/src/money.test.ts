import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  add,
  compare,
  currencyOf,
  divideRounded,
  formatDecimal,
  formatMoney,
  fromWire,
  isCurrency,
  MAX_MINOR,
  type Money,
  money,
  parseDecimal,
  type Rounding,
  scaleMinor,
  subtract,
  times,
  toWire,
  zero,
} from "./money.ts";

const ROUNDINGS: readonly Rounding[] = ["down", "up", "half-even"];

describe("money multiplied and divided", () => {
  it("rounds as the rounding's name says, on both sides of zero", () => {
    const thirds = (numerator: bigint) => ROUNDINGS.map((by) => divideRounded(numerator, 3n, by));
    expect(thirds(6n)).toEqual([2n, 2n, 2n]);
    expect(thirds(7n)).toEqual([2n, 3n, 2n]);
    expect(thirds(8n)).toEqual([2n, 3n, 3n]);
    expect(thirds(-7n)).toEqual([-2n, -3n, -2n]);
    expect(thirds(-8n)).toEqual([-2n, -3n, -3n]);
    const halves = [1n, 3n, 5n, -1n, -3n].map((n) => divideRounded(n, 2n, "half-even"));
    expect(halves).toEqual([0n, 2n, 2n, 0n, -2n]);
  });

  it("differs from the exact quotient by less than one unit, for all divisions", () => {
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

  it("is exact in between, beyond the range of the database", () => {
    expect(scaleMinor(MAX_MINOR, MAX_MINOR, MAX_MINOR, "down")).toBe(MAX_MINOR);
  });

  it("refuses a result beyond the range of the database, and a division by zero", () => {
    expect(() => times(money(MAX_MINOR, "PHP"), 2n)).toThrow(RangeError);
    expect(() => scaleMinor(1n, 1n, 0n, "down")).toThrow(RangeError);
  });
});

const php = (minor: bigint) => money(minor, "PHP");

describe("an amount", () => {
  it("may be anything that the database can hold, on both sides of zero, and nothing beyond", () => {
    for (const most of [MAX_MINOR, -MAX_MINOR]) expect(php(most).minor).toBe(most);
    expect(() => php(MAX_MINOR + 1n)).toThrow(RangeError);
    expect(() => php(-MAX_MINOR - 1n)).toThrow(RangeError);
  });

  it("is added, subtracted and compared only within its own currency", () => {
    expect(add(php(150n), php(-50n))).toEqual(php(100n));
    expect(subtract(php(150n), php(200n))).toEqual(php(-50n));
    expect([php(1n), php(2n), php(3n)].map((one) => compare(one, php(2n)))).toEqual([-1, 0, 1]);
    expect(times(php(7n), 3n)).toEqual(php(21n));
    const fun = zero("FUN");
    expect(fun).toEqual({ minor: 0n, currency: "FUN" });
    for (const mixed of [add, subtract, compare]) {
      expect(() => mixed(php(1n), fun)).toThrow(TypeError);
    }
  });

  it("survives the wire unchanged, and exists only in our currencies", () => {
    expect(toWire(php(-5n))).toEqual({ minor: "-5", currency: "PHP" });
    expect(fromWire(toWire(php(MAX_MINOR)))).toEqual(php(MAX_MINOR));
    expect(["PHP", "FUN", "USD", "toString"].filter(isCurrency)).toEqual(["PHP", "FUN"]);
  });
});

describe("what a player types as an amount", () => {
  it.each([
    ["0", 0n],
    ["1234.5", 123_450n],
    [" 1,234.50 ", 123_450n],
    ["1,234,567,890,123", 123_456_789_012_300n],
    ["999999999999999.99", 99_999_999_999_999_999n],
    ["7.", 700n],
  ])("is read: %s", (text, minor) => {
    expect(parseDecimal(text, "PHP")).toEqual(php(minor));
  });

  it.each([
    ...["", "-1", "+1", "1.234", "1e3", "0x10", ".5", "1.2.3", "1 000", "٣"],
    ...["1,23", "12,34", "1234,567", ",123", "1000000000000000", "1,234,567,890,123,456"],
  ])("is refused if it is no amount: %j", (text) => {
    expect(parseDecimal(text, "PHP")).toBeNull();
  });
});

describe("an amount that is shown", () => {
  it.each<[Money, string, string]>([
    [php(0n), "0.00", "₱0.00"],
    [php(7n), "0.07", "₱0.07"],
    [php(-7n), "-0.07", "-₱0.07"],
    [php(99_999n), "999.99", "₱999.99"],
    [php(123_450n), "1,234.50", "₱1,234.50"],
    [php(-123_456_789n), "-1,234,567.89", "-₱1,234,567.89"],
    [money(100n, "FUN"), "1.00", "F1.00"],
  ])(
    "has thousands groups, decimals and its sign before the symbol: %o",
    (amount, decimal, whole) => {
      expect([formatDecimal(amount), formatMoney(amount)]).toEqual([decimal, whole]);
    },
  );
});

it("a row names one of our currencies; any other is a defect", () => {
  expect(["PHP", "FUN"].map(currencyOf)).toEqual(["PHP", "FUN"]);
  for (const other of ["USD", "", "toString"]) expect(() => currencyOf(other)).toThrow(RangeError);
});
