import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { throttled } from "./throttled.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("a throttled call", () => {
  it("is made at once, then once when the gap is over, for all who asked meanwhile", async () => {
    let asked = 0;
    const ask = throttled(250, async () => ++asked);
    expect(await ask()).toBe(1);
    const later = [ask(), ask(), ask()];
    await vi.advanceTimersByTimeAsync(249);
    expect(asked).toBe(1);
    later.push(ask());
    await vi.advanceTimersByTimeAsync(1);
    expect(await Promise.all(later)).toEqual([2, 2, 2, 2]);
    // The second one has its own gap.
    const last = ask();
    await vi.advanceTimersByTimeAsync(249);
    expect(asked).toBe(2);
    await vi.advanceTimersByTimeAsync(1);
    expect(await last).toBe(3);
    await vi.advanceTimersByTimeAsync(10_000);
    expect([await ask(), asked]).toEqual([4, 4]);
  });

  it("is repeated after a failure like any other", async () => {
    let answers = [false, false, true];
    const ask = throttled(250, async () => {
      const [good, ...rest] = answers;
      answers = rest;
      if (good !== true) throw new Error("no answer");
      return "an answer";
    });
    await expect(ask()).rejects.toThrow("no answer");
    const second = expect(ask()).rejects.toThrow("no answer");
    await vi.advanceTimersByTimeAsync(250);
    await second;
    const third = ask();
    await vi.advanceTimersByTimeAsync(250);
    expect(await third).toBe("an answer");
  });
});
