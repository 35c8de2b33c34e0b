/// <reference path="./css-modules.d.ts" />
import { describe, expect, it } from "vitest";
import { cappedCount } from "./badge.tsx";
import { buttonClass } from "./button.tsx";
import { joinErrors } from "./field.tsx";
import { moneyLabel } from "./money-text.tsx";
import { TOAST_MS } from "./toast.tsx";

describe("an amount", () => {
  it("reads the same from the wire and from money, and beyond what a number can hold", () => {
    expect(moneyLabel({ minor: "123450", currency: "PHP" })).toBe("₱1,234.50");
    expect(moneyLabel({ minor: 123450n, currency: "PHP" })).toBe("₱1,234.50");
    expect(moneyLabel({ minor: "9007199254740993", currency: "PHP" })).toBe(
      "₱90,071,992,547,409.93",
    );
  });

  it("shows a plus on gains only where a sign is asked for, and none on nothing", () => {
    expect(moneyLabel({ minor: "500", currency: "FUN" }, { sign: true })).toBe("+F5.00");
    expect(moneyLabel({ minor: "-500", currency: "FUN" }, { sign: true })).toBe("-F5.00");
    expect(moneyLabel({ minor: "0", currency: "PHP" }, { sign: true })).toBe("₱0.00");
  });

  it("is masked character by character", () => {
    expect(moneyLabel({ minor: "123450", currency: "PHP" }, { masked: true })).toBe("*********");
  });
});

describe("a count", () => {
  it("is capped at 99 and says 99+ above it", () => {
    expect([0, 1, 99, 100, 4000].map(cappedCount)).toEqual(["0", "1", "99", "99+", "99+"]);
  });
});

describe("a field", () => {
  it("joins several errors by a comma and shows none where there is none", () => {
    expect(joinErrors(["Too short", "Needs a digit"])).toBe("Too short, Needs a digit");
    expect(joinErrors(["", "Needs a digit"])).toBe("Needs a digit");
    expect(joinErrors(undefined)).toBe("");
    expect(joinErrors([])).toBe("");
  });
});

describe("a toast", () => {
  it("stays as long as the specification says", () => {
    expect(TOAST_MS).toMatchObject({ short: 3000, long: 8000, success: 1000, sent: 1500 });
  });
});

describe("a button", () => {
  it("glows only when it is asked to", () => {
    expect(buttonClass({ glow: true })).not.toBe(buttonClass());
  });
});
