import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { GATHER_MS, Gathered } from "./gathered.ts";

let told: string[] = [];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  told = [];
});

afterEach(() => {
  vi.useRealTimers();
});

it("of what comes within a pause the last is told once to each owner, and none is put off by more", () => {
  const gathered = new Gathered();
  for (let n = 0; n < 100; n++) {
    for (const owner of ["mer_1", "mer_2"]) gathered.note(owner, () => told.push(`${owner} ${n}`));
    vi.advanceTimersByTime(GATHER_MS / 100);
  }
  expect(told).toEqual(["mer_1 99", "mer_2 99"]);
  vi.advanceTimersByTime(GATHER_MS * 9);
  expect(told).toHaveLength(2);
});

it("what comes while others are told is told a pause later", () => {
  const gathered = new Gathered(1_000);
  gathered.note("mer_1", () => gathered.note("mer_1", () => told.push("later")));
  vi.advanceTimersByTime(1_999);
  expect(told).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(told).toEqual(["later"]);
});

it("what was told otherwise is not told again, and what comes after it is told in time", () => {
  const gathered = new Gathered();
  gathered.note("mer_1", () => told.push("before"));
  gathered.clear();
  gathered.note("mer_1", () => told.push("after"));
  vi.advanceTimersByTime(GATHER_MS);
  expect(told).toEqual(["after"]);
});
