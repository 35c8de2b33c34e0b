// @vitest-environment jsdom
import { act, type ReactNode } from "react";
import { createRoot } from "react-dom/client";
import { afterEach, expect, it, vi } from "vitest";
import { ConfirmDialog, Popup, Sheet, SideDrawer } from "./sheet.tsx";

afterEach(() => vi.unstubAllGlobals());

const words = { title: "Title", closeLabel: "Close", children: "Text", onOpenChange: () => {} };
const question = { title: "Sure?", confirmLabel: "Yes", onConfirm: () => {}, onOpenChange() {} };

it.each([
  ["a sheet", (open: boolean) => <Sheet {...words} open={open} />],
  ["a popup", (open: boolean) => <Popup {...words} open={open} />],
  ["a side menu", (open: boolean) => <SideDrawer {...words} open={open} />],
  ["a question", (open: boolean) => <ConfirmDialog {...question} open={open} />],
])(
  "[A2.2-08] the body is marked while %s is open, alone or with another, and no longer once all are closed or the whole page goes",
  async (_, one) => {
    vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
    const root = createRoot(document.createElement("div"));
    const show = async (page: ReactNode) => {
      await act(async () => root.render(page));
      return document.body.classList.contains("popup-on");
    };
    const both = (first: boolean, second: boolean) => (
      <>
        {one(first)}
        <Popup {...words} open={second} />
      </>
    );
    expect(await show(both(false, false))).toBe(false);
    expect(await show(both(true, false))).toBe(true);
    expect(await show(both(true, true))).toBe(true);
    expect(await show(both(false, true))).toBe(true);
    expect(await show(both(false, false))).toBe(false);
    expect(await show(both(true, true))).toBe(true);
    await act(async () => root.unmount());
    expect(document.body.classList.contains("popup-on")).toBe(false);
  },
);
