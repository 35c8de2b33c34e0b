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
  it("begins at the edge and goes far, and counts for half a second after its last move", () => {
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

  it("does not count where it begins further in, goes the other way or has no finger", () => {
    touch("touchstart", 41);
    touch("touchmove", 300);
    touch("touchstart", 30);
    touch("touchmove", -200);
    touch("touchmove", null);
    expect(isSwipingBack()).toBe(false);
    // Where no finger's start is known, it counts as from the edge.
    touch("touchstart", null);
    touch("touchmove", 101);
    expect(isSwipingBack()).toBe(true);
  });

  it("is no longer detected once nobody asks", () => {
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
