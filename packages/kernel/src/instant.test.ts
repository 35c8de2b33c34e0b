import { expect, it } from "vitest";
import { assert, present } from "./assert.ts";
import { businessDay, DAY_MS, dayAfter, HOUR_MS, stillStands } from "./instant.ts";

it("a kept value counts until its time, but not after the clock was set back", () => {
  const stands = (until: number, now: number) => stillStands(until, now, 100);
  expect([stands(1_100, 1_000), stands(1_001, 1_000)]).toEqual([true, true]);
  expect([stands(1_000, 1_000), stands(999, 1_000), stands(1_101, 1_000)]).toEqual([
    ...[false, false, false],
  ]);
});

it("a business day begins at midnight in the brand's own zone", () => {
  const midnight = Date.UTC(2026, 1, 28) - 8 * HOUR_MS;
  expect(businessDay(midnight - 1, "Asia/Manila")).toBe("2026-02-27");
  expect(businessDay(midnight, "Asia/Manila")).toBe("2026-02-28");
  expect(businessDay(midnight, "UTC")).toBe("2026-02-27");
  expect(businessDay(midnight + DAY_MS, "Asia/Manila")).toBe("2026-03-01");
  expect(["2026-02-28", "2028-02-28", "2026-12-31"].map(dayAfter)).toEqual([
    ...["2026-03-01", "2028-02-29", "2027-01-01"],
  ]);
});

it("a broken invariant throws and names itself", () => {
  expect(() => assert(true, "sums agree")).not.toThrow();
  expect(() => assert(false, "sums agree")).toThrow("broken invariant: sums agree");
  expect([present(0, "the sum"), present("", "the name")]).toEqual([0, ""]);
  for (const nothing of [null, undefined]) {
    expect(() => present(nothing, "the row")).toThrow("broken invariant: the row is missing");
  }
});
