import { DAY_MS, HOUR_MS, MINUTE_MS } from "@perya/kernel/instant";
import { expect, it } from "vitest";
import { rainTimes } from "./rain-times.ts";

/** Midnight in Manila, which is UTC+8. */
const MIDNIGHT = Date.UTC(2026, 2, 5, 16);

it("rains begin at the hours of the brand's own day", () => {
  const times = rainTimes({ hours: [20, 12] }, "Asia/Manila", MIDNIGHT, MIDNIGHT + 2 * DAY_MS);
  expect(times.map((at) => (at - MIDNIGHT) / HOUR_MS)).toEqual([12, 20, 36, 44]);
  const kathmandu = rainTimes({ hours: [9] }, "Asia/Kathmandu", MIDNIGHT, MIDNIGHT + DAY_MS);
  // UTC+5:45.
  expect(kathmandu).toEqual([Date.UTC(2026, 2, 6, 3, 15)]);
});

it("rains of every so many minutes begin after the first instant, up to the last", () => {
  const from = MIDNIGHT + 10 * MINUTE_MS;
  const times = rainTimes({ everyMinutes: 10 }, "Asia/Manila", from, from + 30 * MINUTE_MS);
  expect(times.map((at) => (at - MIDNIGHT) / MINUTE_MS)).toEqual([20, 30, 40]);
});

it("a day has a rain at each of its hours, even if clocks are changed on it", () => {
  const sunday = Date.UTC(2026, 2, 29);
  const times = rainTimes({ hours: [12] }, "Europe/Madrid", sunday, sunday + DAY_MS);
  expect(times).toEqual([Date.UTC(2026, 2, 29, 10)]);
});

/** The rains of a local day or so, computed at once and in slices, which must agree. */
function rainsOf(hours: readonly number[], zone: string, after: string): string[] {
  const from = Date.parse(after);
  const whole = rainTimes({ hours: [...hours] }, zone, from, from + DAY_MS);
  const sliced = Array.from({ length: 72 }, (_, i) => from + i * 20 * MINUTE_MS).flatMap((at) =>
    rainTimes({ hours: [...hours] }, zone, at, at + 20 * MINUTE_MS),
  );
  expect(sliced).toEqual(whole);
  return whole.map((at) => new Date(at).toISOString().slice(0, "2026-11-01T05:00".length));
}

it("an hour that comes twice as clocks are set back has one rain, the first time", () => {
  const night = "2026-11-01T03:30Z";
  expect(rainsOf([0, 1, 2], "America/New_York", night)).toEqual([
    "2026-11-01T04:00",
    "2026-11-01T05:00",
    "2026-11-01T07:00",
  ]);
  // Midnight itself comes twice there.
  expect(rainsOf([0, 1], "America/Havana", night)).toEqual([
    "2026-11-01T04:00",
    "2026-11-01T06:00",
  ]);
});

it("an hour that is skipped as clocks are set ahead has its rain at the instant that follows", () => {
  const night = "2026-03-08T04:30Z";
  expect(rainsOf([1, 2, 4], "America/New_York", night)).toEqual([
    "2026-03-08T06:00",
    "2026-03-08T07:00",
    "2026-03-08T08:00",
  ]);
  expect(rainsOf([2, 3], "America/New_York", night)).toEqual(["2026-03-08T07:00"]);
  // Midnight itself is skipped there, and comes on the next day.
  expect(rainsOf([0], "America/Havana", night)).toEqual(["2026-03-08T05:00", "2026-03-09T04:00"]);
});
