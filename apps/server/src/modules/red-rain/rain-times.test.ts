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

it("a day has a rain at each of its hours where clocks are changed too", () => {
  const sunday = Date.UTC(2026, 2, 29);
  const times = rainTimes({ hours: [12] }, "Europe/Madrid", sunday, sunday + DAY_MS);
  expect(times).toEqual([Date.UTC(2026, 2, 29, 10)]);
});
