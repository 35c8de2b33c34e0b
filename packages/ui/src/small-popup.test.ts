// @vitest-environment jsdom
/// <reference path="./css-modules.d.ts" />
import { act, createElement } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { SmallPopup, type SmallPopupProps } from "./small-popup.tsx";

let root: Root;

beforeEach(() => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  const watcher = class {
    observe() {}
    unobserve() {}
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

describe("a small popup", () => {
  it("[G4-08 G4-09] that opens on a click closes on the next one, on one outside, and 0.15 s after it lost the focus", async () => {
    await show("click");
    await enter();
    await pass(1_000);
    expect(isOpen()).toBe(false);
    await press(trigger());
    expect(isOpen()).toBe(true);
    await press(trigger());
    expect(isOpen()).toBe(false);
    await press(trigger());
    await press(outside());
    expect(isOpen()).toBe(false);
    await act(async () => trigger().focus());
    await press(trigger());
    await act(async () => outside().focus());
    await pass(149);
    expect(isOpen()).toBe(true);
    await pass(1);
    expect(isOpen()).toBe(false);
  });

  it("[G4-08 G4-09] that opens on hover closes 0.1 s after the mouse left it, and on a press outside", async () => {
    await show("hover");
    await enter();
    await pass(0);
    expect(isOpen()).toBe(true);
    await leave();
    await pass(99);
    expect(isOpen()).toBe(true);
    await pass(1);
    expect(isOpen()).toBe(false);
    await enter();
    await pass(0);
    expect(isOpen()).toBe(true);
    await press(outside());
    expect(isOpen()).toBe(false);
  });

  it("[G4-08 G4-09] that opens on focus closes 0.15 s after it lost the focus, and on a press outside", async () => {
    await show("focus");
    await act(async () => trigger().focus());
    await pass(0);
    expect(isOpen()).toBe(true);
    await act(async () => outside().focus());
    await pass(149);
    expect(isOpen()).toBe(true);
    await pass(1);
    expect(isOpen()).toBe(false);
    await press(trigger());
    expect(isOpen()).toBe(true);
    await act(async () => outside().focus());
    await pass(150);
    // Its content can be reached.
    await act(async () => trigger().focus());
    const inside = document.querySelector<HTMLElement>('[role="dialog"] a');
    await act(async () => inside?.focus());
    await pass(1_000);
    expect(isOpen()).toBe(true);
    await act(async () => trigger().focus());
    await press(outside());
    expect(isOpen()).toBe(false);
  });
});

async function show(opensOn: NonNullable<SmallPopupProps["opensOn"]>): Promise<void> {
  const host = document.createElement("div");
  const other = document.createElement("button");
  other.id = "outside";
  document.body.append(host, other);
  root = createRoot(host);
  const props: SmallPopupProps = {
    opensOn,
    label: "Services",
    trigger: createElement("button", { type: "button", id: "trigger" }, "Help"),
    children: createElement("a", { href: "/m/chat" }, "Chat"),
  };
  await act(async () => root.render(createElement(SmallPopup, props)));
}

function isOpen(): boolean {
  const popup = document.querySelector('[role="dialog"]');
  return popup !== null && !popup.hasAttribute("data-closed");
}

function trigger(): HTMLElement {
  return byId("trigger");
}

function outside(): HTMLElement {
  return byId("outside");
}

function byId(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`no ${id}`);
  return element;
}

async function press(element: HTMLElement): Promise<void> {
  await act(async () => {
    const of = { bubbles: true, pointerType: "mouse", button: 0 } as const;
    element.dispatchEvent(new PointerEvent("pointerdown", of));
    element.dispatchEvent(new MouseEvent("mousedown", { bubbles: true }));
    element.dispatchEvent(new PointerEvent("pointerup", of));
    element.dispatchEvent(new MouseEvent("mouseup", { bubbles: true }));
    element.click();
    await vi.advanceTimersByTimeAsync(50);
  });
}

async function enter(): Promise<void> {
  await act(async () => {
    const of = { bubbles: true, pointerType: "mouse" } as const;
    trigger().dispatchEvent(new PointerEvent("pointerenter", of));
    trigger().dispatchEvent(new PointerEvent("pointerover", of));
    trigger().dispatchEvent(new MouseEvent("mouseenter"));
    trigger().dispatchEvent(new MouseEvent("mouseover", { bubbles: true }));
    trigger().dispatchEvent(new MouseEvent("mousemove", { bubbles: true, movementX: 20 }));
  });
}

async function leave(): Promise<void> {
  await act(async () => {
    const away = { bubbles: true, clientX: 500, clientY: 500, relatedTarget: outside() } as const;
    trigger().dispatchEvent(new PointerEvent("pointerout", { ...away, pointerType: "mouse" }));
    trigger().dispatchEvent(new MouseEvent("mouseout", away));
    trigger().dispatchEvent(new MouseEvent("mouseleave", away));
    document.dispatchEvent(new MouseEvent("mousemove", { clientX: 500, clientY: 500 }));
  });
}

async function pass(ms: number): Promise<void> {
  await act(async () => {
    await vi.advanceTimersByTimeAsync(ms);
  });
}
