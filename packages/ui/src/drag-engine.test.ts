// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { attachDrag, DRAG, flingSpeed, speedAfter } from "./drag-engine.tsx";
import { dragScroll } from "./drag-scroll.tsx";

let row: HTMLElement;
let tile: HTMLElement;
let clicks: number;
let end: () => void;
let lessMotion: boolean;

beforeEach(() => {
  vi.useFakeTimers();
  lessMotion = false;
  vi.stubGlobal("matchMedia", () => ({ matches: lessMotion }));
  row = document.createElement("div");
  tile = document.createElement("a");
  row.append(tile);
  document.body.append(row);
  clicks = 0;
  tile.addEventListener("click", () => {
    clicks += 1;
  });
  row.scrollLeft = 200;
  end = attachDrag(row);
});

afterEach(() => {
  end();
  document.body.replaceChildren();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("a row that a mouse drags", () => {
  it("[G9-04] has a touch threshold of 3 px, a drag threshold of 5, a fling window of 100 ms and a deceleration of 0.95", () => {
    expect(DRAG).toEqual({ touchPx: 3, dragPx: 5, flingWindowMs: 100, deceleration: 0.95 });
  });

  it("[G9-04] stays below 3 px, follows the mouse from there on, and below 5 px is still clicked", () => {
    send("pointerdown", 100, 0);
    send("pointermove", 102, 10);
    expect(row.scrollLeft).toBe(200);
    send("pointermove", 97, 15);
    expect(row.scrollLeft).toBe(203);
    send("pointermove", 96, 20);
    expect(row.scrollLeft).toBe(204);
    send("pointerup", 96, 400);
    tile.click();
    expect(clicks).toBe(1);
  });

  it("[G9-04] is not clicked by a release after 5 px, and is clicked by the next one", () => {
    send("pointerdown", 100, 0);
    send("pointermove", 95, 10);
    send("pointerup", 95, 400);
    tile.click();
    expect(clicks).toBe(0);
    vi.advanceTimersByTime(1);
    tile.click();
    expect(clicks).toBe(1);
  });

  it("[G9-04] keeps the speed of its last 100 ms, and loses 5 % of it each frame", () => {
    const moves = [0, 50, 100, 150, 200].map((at, i) => ({ x: [0, 0, 0, 50, 100][i] ?? 0, at }));
    expect(flingSpeed(moves, 200)).toBe(1);
    expect(flingSpeed(moves, 400)).toBe(0);
    expect(flingSpeed([], 0)).toBe(0);
    expect(speedAfter(2, 1_000 / 60)).toBeCloseTo(1.9);
    expect(speedAfter(2, 2_000 / 60)).toBeCloseTo(1.805);

    send("pointerdown", 300, 0);
    send("pointermove", 300, 150);
    send("pointermove", 200, 200);
    send("pointerup", 200, 250);
    expect(row.scrollLeft).toBe(300);
    vi.advanceTimersByTime(200);
    const later = row.scrollLeft;
    expect(later).toBeGreaterThan(330);
    vi.advanceTimersByTime(5_000);
    expect(row.scrollLeft).toBeGreaterThan(later);
    const rest = row.scrollLeft;
    vi.advanceTimersByTime(5_000);
    expect(row.scrollLeft).toBe(rest);
    expect(row.style.scrollSnapType).toBe("");
  });

  it("stops where it is released when less motion is asked for, and leaves fingers to the browser", () => {
    lessMotion = true;
    send("pointerdown", 300, 0);
    send("pointermove", 200, 50);
    send("pointerup", 200, 60);
    vi.advanceTimersByTime(1_000);
    expect(row.scrollLeft).toBe(300);
    send("pointerdown", 300, 2_000, "touch");
    send("pointermove", 100, 2_050, "touch");
    expect(row.scrollLeft).toBe(300);
  });
});

it("a row can be dragged once a mouse is over it, and no more once it is gone", async () => {
  end();
  const drag = () => {
    row.scrollLeft = 200;
    send("pointerdown", 100, 0);
    send("pointermove", 60, 10);
    send("pointerup", 60, 400);
    return row.scrollLeft;
  };
  const leave = dragScroll(row);
  const enter = (pointerType: string) =>
    row.dispatchEvent(new PointerEvent("pointerenter", { pointerType }));
  enter("touch");
  await vi.dynamicImportSettled();
  expect(drag()).toBe(200);
  enter("mouse");
  await vi.dynamicImportSettled();
  expect(drag()).toBe(240);
  leave?.();
  expect(drag()).toBe(200);
});

function send(type: string, clientX: number, at: number, pointerType = "mouse"): void {
  const event = new PointerEvent(type, { bubbles: true, clientX, pointerType, button: 0 });
  Object.defineProperty(event, "timeStamp", { value: at });
  tile.dispatchEvent(event);
}
