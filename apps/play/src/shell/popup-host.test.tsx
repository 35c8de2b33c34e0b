// @vitest-environment jsdom
import { act } from "react";
import { createRoot } from "react-dom/client";
import { afterEach, expect, it, vi } from "vitest";
import { PopupHost } from "./popup-host.tsx";

const opened = vi.hoisted(() => ({ popup: null as string | null }));

vi.mock("./text.ts", () => ({ currentLanguage: () => "EN", textOf: (id: string) => id }));
vi.mock("./popups.ts", () => ({
  useOpenPopup: () => opened,
  usePopups: () => ({ close: () => undefined }),
}));
vi.mock("./popup-doors.tsx", () => ({ default: () => null }));

afterEach(() => vi.unstubAllGlobals());

it("[A2.2-08] the body is marked while a popup is open, and no more once it is closed or the whole page goes", async () => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  const isMarked = () => document.body.classList.contains("popup-on");
  const root = createRoot(document.createElement("div"));
  const show = async (popup: string | null) => {
    opened.popup = popup;
    await act(async () => root.render(<PopupHost />));
    return isMarked();
  };
  expect([await show(null), await show("menu"), await show("language"), await show(null)]).toEqual([
    false,
    true,
    true,
    false,
  ]);
  expect(await show("menu")).toBe(true);
  // As when the site closes under it.
  await act(async () => root.unmount());
  expect(isMarked()).toBe(false);
});
