// @vitest-environment jsdom
import type { ParolOutcome, ParolSpin } from "@perya/games/parol-fortune";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createSkipper } from "../skipper.ts";
import { OPENING_SPIN } from "./read-outcome.ts";
import type { ReelsStage } from "./reels-stage.ts";
import { reveal, type Show } from "./reveal.ts";

let told: Show[];
let landed: ParolSpin[];
let spun: number;

beforeEach(() => {
  vi.useFakeTimers();
  [told, landed, spun] = [[], [], 0];
});
afterEach(() => void vi.useRealTimers());

function spinOf(payUnits: number, freeSpinsAwarded = 0): ParolSpin {
  return { ...OPENING_SPIN, payUnits, freeSpinsAwarded };
}

/** Reels that stop as soon as they are told to. */
function stageOf(): ReelsStage {
  const stage: Pick<ReelsStage, "spin" | "land" | "hurry"> = {
    spin: () => {
      spun += 1;
    },
    land: async (spin) => {
      landed.push(spin);
    },
    hurry: () => undefined,
  };
  // A round is shown with these three alone.
  return stage as ReelsStage;
}

function start(spins: readonly ParolSpin[], pace: "normal" | "quick" = "normal") {
  const skipper = createSkipper();
  let isOver = false;
  const outcome = { spins } as unknown as ParolOutcome;
  const end = reveal(outcome, stageOf(), skipper, pace, (show) => told.push(show));
  void end.then(() => {
    isOver = true;
  });
  return { skipper, isOver: () => isOver };
}

describe("the show of a round", () => {
  it("of one spin is over when its reels stop, win or not", async () => {
    const spin = spinOf(5);
    const show = start([spin]);
    await vi.advanceTimersByTimeAsync(0);
    expect(told).toEqual([{ spin, units: 5, free: null, card: null }]);
    expect([show.isOver(), spun]).toEqual([true, 0]);
  });

  it("with free spins announces how many, plays each, adds up their wins and ends on the sum", async () => {
    const [paid, first, last] = [spinOf(5, 2), spinOf(0), spinOf(20)];
    const show = start([paid, first, last]);
    await vi.advanceTimersByTimeAsync(0);
    expect(told.splice(0)).toEqual([{ spin: paid, units: 5, free: null, card: null }]);
    await vi.advanceTimersByTimeAsync(1_000);
    const awarded = { kind: "awarded", spins: 2, more: false };
    expect(told.splice(0)).toEqual([{ spin: paid, units: 5, free: null, card: awarded }]);
    await vi.advanceTimersByTimeAsync(2_000);
    const one = { number: 1, of: 2 };
    expect(told.splice(0)).toEqual([{ spin: null, units: 5, free: one, card: null }]);
    expect([spun, landed.length]).toEqual([1, 1]);
    await vi.advanceTimersByTimeAsync(420);
    expect(told.splice(0)).toEqual([{ spin: first, units: 5, free: one, card: null }]);
    // Nothing was won: the pause is short.
    await vi.advanceTimersByTimeAsync(420);
    const two = { number: 2, of: 2 };
    expect(told.splice(0)).toEqual([{ spin: null, units: 5, free: two, card: null }]);
    await vi.advanceTimersByTimeAsync(420);
    const sum = { kind: "total", units: 25 };
    expect(told.splice(0)).toEqual([
      { spin: last, units: 25, free: two, card: null },
      { spin: null, units: 25, free: two, card: sum },
    ]);
    expect(show.isOver()).toBe(false);
    await vi.advanceTimersByTimeAsync(2_000);
    expect([show.isOver(), spun]).toEqual([true, 2]);
    expect(landed).toEqual([paid, first, last]);
  });

  it("stays longer on a winning free spin, and counts free spins won meanwhile as more", async () => {
    start([spinOf(0, 1), spinOf(3, 1), spinOf(1)], "quick");
    await vi.advanceTimersByTimeAsync(500 + 2_000 + 160);
    told.splice(0);
    await vi.advanceTimersByTimeAsync(500);
    expect(told.splice(0)).toMatchObject([
      { units: 3, free: { number: 1, of: 1 }, card: { kind: "awarded", spins: 1, more: true } },
    ]);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(told.splice(0)).toMatchObject([{ spin: null, free: { number: 2, of: 2 } }]);
  });

  it("waits for a winning free spin as long as a win takes", async () => {
    start([spinOf(0, 2), spinOf(3), spinOf(0)]);
    await vi.advanceTimersByTimeAsync(1_000 + 2_000 + 420);
    told.splice(0);
    await vi.advanceTimersByTimeAsync(999);
    expect(told).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(told).toMatchObject([{ spin: null, units: 3 }]);
  });

  it("announces nothing more after it is stopped", async () => {
    const show = start([spinOf(0, 1), spinOf(3)]);
    show.skipper.stop();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(told).toEqual([]);
    expect(show.isOver()).toBe(true);
    const other = start([spinOf(0), spinOf(3)]);
    await vi.advanceTimersByTimeAsync(0);
    other.skipper.stop();
    await vi.advanceTimersByTimeAsync(60_000);
    expect([told.length, landed.length]).toEqual([1, 2]);
  });
});
