// @vitest-environment jsdom
/// <reference path="./css-modules.d.ts" />
import { act, createElement } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Carousel } from "./carousel.tsx";

const WIDTH = 360;
const LABELS = {
  region: "Featured",
  pause: "Pause",
  play: "Resume",
  slide: (position: number, total: number) => `${position} of ${total}`,
  goTo: (position: number) => `Go to ${position}`,
};

let root: Root;
let lessMotion: boolean;

beforeEach(() => {
  lessMotion = false;
  // The layout of a browser: slides side by side, each as wide as the window.
  Object.defineProperties(HTMLElement.prototype, {
    offsetWidth: { configurable: true, get: () => WIDTH },
    offsetHeight: { configurable: true, get: () => 150 },
    offsetLeft: { configurable: true, get: offsetLeft },
  });
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  vi.stubGlobal("matchMedia", () => ({
    matches: lessMotion,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  }));
  const watcher = class {
    observe() {}
    disconnect() {}
  };
  vi.stubGlobal("ResizeObserver", watcher);
  vi.stubGlobal("IntersectionObserver", watcher);
  vi.useFakeTimers();
});

afterEach(async () => {
  await act(async () => root.unmount());
  document.body.replaceChildren();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("a carousel", () => {
  it("[G2.2-02 G2.2-03] waits 5000 ms on a slide, comes to rest on the next 1000 ms later, and goes round", async () => {
    await show(3);
    expect(current()).toBe(1);
    await pass(4_999);
    expect(current()).toBe(1);
    await pass(1);
    expect(current()).toBe(2);
    // Under way, and there within a pixel when the second is over.
    await pass(500);
    expect(Math.abs(place() + WIDTH)).toBeGreaterThan(10);
    await pass(500);
    expect(Math.abs(place() + WIDTH)).toBeLessThan(2);
    await pass(4_000);
    expect(current()).toBe(3);
    await pass(5_000);
    expect(current()).toBe(1);
  });

  it("[G2.2-02] does not move with one banner, and has nothing to press", async () => {
    await show(1);
    await pass(60_000);
    expect(current()).toBe(1);
    expect(place()).toBe(0);
    expect(document.querySelectorAll("button")).toHaveLength(0);
  });

  it("stops while it is paused, and where less motion is asked for", async () => {
    await show(2);
    await press("Pause");
    await pass(60_000);
    expect(current()).toBe(1);
    await press("Resume");
    await pass(5_000);
    expect(current()).toBe(2);
    await act(async () => root.unmount());
    document.body.replaceChildren();
    lessMotion = true;
    await show(2);
    await pass(60_000);
    expect(current()).toBe(1);
    expect(document.querySelector('[aria-label="Pause"]')).toBeNull();
    // A slide chosen by hand comes at once.
    await press("Go to 2");
    await pass(50);
    expect(current()).toBe(2);
    expect(Math.abs(place() + WIDTH)).toBeLessThan(1);
  });
});

it("[G2.2-02] a carousel goes on after a tap on it, stops while the keyboard focus is in it, and goes on again when told to", async () => {
  const focused = (name: string, byKeyboard: boolean) =>
    act(async () => {
      const button = document.querySelector<HTMLElement>(`[aria-label="${name}"]`);
      if (button !== null) vi.spyOn(button, "matches").mockReturnValue(byKeyboard);
      button?.focus();
    });
  await show(3);
  await focused("Go to 2", false);
  await press("Go to 2");
  await pass(5_000);
  expect(current()).toBe(3);
  await focused("Pause", true);
  await pass(60_000);
  expect(current()).toBe(3);
  await press("Pause");
  await press("Resume");
  await pass(5_000);
  expect(current()).toBe(1);
});

async function show(count: number): Promise<void> {
  const slides = Array.from({ length: count }, (_, i) => ({ key: `${i}`, content: `Slide ${i}` }));
  const host = document.createElement("div");
  const sheet = document.createElement("style");
  // The document's own margins have no size in jsdom.
  sheet.textContent = "fieldset { margin-left: 0px; margin-right: 0px }";
  document.body.append(sheet, host);
  root = createRoot(host);
  await act(async () => root.render(createElement(Carousel, { slides, labels: LABELS })));
  // The library loads by itself.
  await act(() => vi.dynamicImportSettled());
}

async function pass(ms: number): Promise<void> {
  await act(async () => {
    await vi.advanceTimersByTimeAsync(ms);
  });
}

async function press(name: string): Promise<void> {
  const button = document.querySelector<HTMLElement>(`[aria-label="${name}"]`);
  await act(async () => button?.click());
}

/** The slide that can be reached, counted from one. */
function current(): number {
  const slides = [...document.querySelectorAll("fieldset")];
  return slides.findIndex((slide) => !slide.hasAttribute("inert")) + 1;
}

/** How far the row of slides has moved, in pixels. */
function place(): number {
  const row = document.querySelector<HTMLElement>("fieldset")?.parentElement;
  return Number(/translate3d\((-?[\d.]+)px/.exec(row?.style.transform ?? "")?.[1] ?? 0);
}

function offsetLeft(this: HTMLElement): number {
  const index = [...(this.parentElement?.children ?? [])].indexOf(this);
  return this.tagName === "FIELDSET" ? index * WIDTH : 0;
}
