// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { drawFrames } from "./frames.ts";

describe("a picture drawn outside React", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each([
    ["with every frame", false, 60],
    ["ten times a second where motion is reduced", true, 10],
  ])("is drawn %s, and no more once it is gone", (_, reduced, aSecond) => {
    const draw = vi.fn();
    const end = drawFrames(reduced, draw);
    vi.advanceTimersByTime(1_000);
    const times = draw.mock.calls.map(([nowMs]) => nowMs as number);
    expect(Math.abs(times.length - aSecond)).toBeLessThan(4);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    end();
    draw.mockClear();
    vi.advanceTimersByTime(1_000);
    expect(draw).not.toHaveBeenCalled();
  });
});
