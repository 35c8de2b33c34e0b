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

it("each owner is sent the last of what comes within a pause once, and nothing is delayed by more", () => {
  const gathered = new Gathered();
  for (let n = 0; n < 100; n++) {
    for (const owner of ["mer_1", "mer_2"]) gathered.note(owner, () => told.push(`${owner} ${n}`));
    vi.advanceTimersByTime(GATHER_MS / 100);
  }
  expect(told).toEqual(["mer_1 99", "mer_2 99"]);
  vi.advanceTimersByTime(GATHER_MS * 9);
  expect(told).toHaveLength(2);
});

it("what comes during the sending is sent a pause later", () => {
  const gathered = new Gathered(1_000);
  gathered.note("mer_1", () => gathered.note("mer_1", () => told.push("later")));
  vi.advanceTimersByTime(1_999);
  expect(told).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(told).toEqual(["later"]);
});

it("what was sent otherwise is not sent again, and what comes after it is sent in time", () => {
  const gathered = new Gathered();
  gathered.note("mer_1", () => told.push("before"));
  gathered.clear();
  gathered.note("mer_1", () => told.push("after"));
  vi.advanceTimersByTime(GATHER_MS);
  expect(told).toEqual(["after"]);
});
