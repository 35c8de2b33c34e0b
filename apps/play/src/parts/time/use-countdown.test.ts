import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { countDown } from "./use-countdown.ts";

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

it("[A2.3-11 A2.3-12 A4-09] counts whole seconds down, looking every 500 ms, and stops at zero", () => {
  const told: number[] = [];
  countDown(60_000, Date.now, (leftS) => told.push(leftS));
  expect(told).toEqual([60]);
  vi.advanceTimersByTime(499);
  expect(told).toHaveLength(1);
  vi.advanceTimersByTime(1);
  expect(told).toEqual([60, 60]);
  vi.advanceTimersByTime(59_500);
  expect(told.at(-1)).toBe(0);
  const looks = told.length;
  vi.advanceTimersByTime(5_000);
  expect(told).toHaveLength(looks);
});

it("[A4-09] begins at the server's own figure, however far the clocks differ", () => {
  for (const offMs of [-450, -1, 1, 450]) {
    const told: number[] = [];
    countDown(
      60_000,
      () => Date.now() + offMs,
      (leftS) => told.push(leftS),
    )();
    expect(told, `${offMs} ms`).toEqual([60]);
  }
  const told: number[] = [];
  countDown(200, Date.now, (leftS) => told.push(leftS));
  vi.advanceTimersByTime(500);
  expect(told).toEqual([1, 0]);
});

it("counts nothing where nothing is awaited, and ends when it is told to", () => {
  const told: number[] = [];
  countDown(null, Date.now, (leftS) => told.push(leftS));
  countDown(10_000, Date.now, (leftS) => told.push(leftS))();
  vi.advanceTimersByTime(5_000);
  expect(told).toEqual([0, 10]);
});
