import { expect, it } from "vitest";
import { decimalOnly, wholeDecimal } from "./decimal-only.ts";

it("[G5-02] the smallest bet takes numbers only", () => {
  expect(decimalOnly("12.50")).toBe("12.50");
  expect(decimalOnly("₱1,250.5a")).toBe("1250.5");
  expect(decimalOnly("-3")).toBe("3");
  expect(decimalOnly("1.2.3")).toBe("1.23");
  expect(decimalOnly(".5")).toBe("0.5");
  expect(decimalOnly(".")).toBe("0.");
  expect(decimalOnly("12.")).toBe("12.");
  expect(decimalOnly("12345678901.999")).toBe("123456789.99");
  expect(decimalOnly("abc")).toBe("");
});

it("[G5-02] the smallest bet drops a point that no digit follows", () => {
  expect(["12.", "0.", "12.5", "12", ""].map(wholeDecimal)).toEqual(["12", "0", "12.5", "12", ""]);
});
