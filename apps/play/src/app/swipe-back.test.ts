// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { isSwipingBack, watchSwipes } from "./swipe-back.ts";

let stop: () => void;

beforeEach(() => {
  vi.useFakeTimers();
  stop = watchSwipes();
});

afterEach(() => {
  stop();
  vi.runAllTimers();
  vi.useRealTimers();
});

describe("a swipe back", () => {
  it("begins at the edge and goes far, and is one for half a second after its last move", () => {
    touch("touchstart", 40);
    touch("touchmove", 140);
    expect(isSwipingBack()).toBe(false);
    touch("touchmove", 141);
    expect(isSwipingBack()).toBe(true);
    vi.advanceTimersByTime(400);
    touch("touchmove", 200);
    vi.advanceTimersByTime(499);
    expect(isSwipingBack()).toBe(true);
    vi.advanceTimersByTime(1);
    expect(isSwipingBack()).toBe(false);
  });

  it("is none that begins further in, goes the other way or has no finger", () => {
    touch("touchstart", 41);
    touch("touchmove", 300);
    touch("touchstart", 30);
    touch("touchmove", -200);
    touch("touchmove", null);
    expect(isSwipingBack()).toBe(false);
    // Where no finger is known to have begun, the edge is as good as any.
    touch("touchstart", null);
    touch("touchmove", 101);
    expect(isSwipingBack()).toBe(true);
  });

  it("is looked for no more once nobody wants to know", () => {
    stop();
    touch("touchstart", 0);
    touch("touchmove", 300);
    expect(isSwipingBack()).toBe(false);
  });
});

function touch(type: string, clientX: number | null): void {
  const event = new Event(type);
  Object.assign(event, { touches: clientX === null ? [] : [{ clientX }] });
  window.dispatchEvent(event);
}
