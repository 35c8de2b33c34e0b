import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createSkipper } from "./skipper.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("a show that a tap hurries", () => {
  it("waits its full time without a tap", async () => {
    const skipper = createSkipper();
    const done = vi.fn();
    void skipper.wait(500).then(done);
    await vi.advanceTimersByTimeAsync(499);
    expect(done).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(done).toHaveBeenCalledOnce();
  });

  it("ends the current wait with a tap, and no later one", async () => {
    const skipper = createSkipper();
    const first = vi.fn();
    const second = vi.fn();
    void skipper.wait(500).then(first);
    skipper.skip();
    await vi.advanceTimersByTimeAsync(0);
    expect(first).toHaveBeenCalledOnce();
    void skipper.wait(500).then(second);
    await vi.advanceTimersByTimeAsync(499);
    expect(second).not.toHaveBeenCalled();
    // Its timer went with the tap.
    expect(vi.getTimerCount()).toBe(1);
  });

  it("hurries current work with a tap, and not once it is done", async () => {
    const skipper = createSkipper();
    const hurry = vi.fn();
    let finish: () => void = () => undefined;
    const during = skipper.during(new Promise((end) => (finish = end)), hurry);
    skipper.skip();
    expect(hurry).toHaveBeenCalledOnce();
    finish();
    await during;
    skipper.skip();
    expect(hurry).toHaveBeenCalledOnce();
  });

  it("does not go on and ignores taps once it is stopped", async () => {
    const skipper = createSkipper();
    const hurry = vi.fn();
    const done = vi.fn();
    void skipper.during(new Promise(() => undefined), hurry);
    expect(skipper.stopped).toBe(false);
    skipper.stop();
    expect(skipper.stopped).toBe(true);
    skipper.skip();
    void skipper.wait(10).then(done);
    await vi.advanceTimersByTimeAsync(1_000);
    expect([hurry.mock.calls, done.mock.calls]).toEqual([[], []]);
  });
});
