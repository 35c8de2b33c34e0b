// @vitest-environment jsdom
import { act } from "react";
import { createRoot } from "react-dom/client";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { useRecheck } from "./form-faults.ts";

const shown = vi.hoisted(() => ({ language: "TY" }));

vi.mock("../../shell/text.ts", () => ({
  textOf: (id: string) => id,
  useText: () => ({ language: shown.language }),
}));

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it("[A4-11] each change of language, even back to the first, has the fields with errors judged again", async () => {
  const trigger = vi.fn(async () => true);
  // Only the part of a form that is read.
  const form = { trigger, formState: { errors: { email: { type: "x" } } } } as never;
  const root = createRoot(document.body);
  function Form({ in: _ }: { in: string }) {
    useRecheck(form);
    return null;
  }
  const change = async (language: string) => {
    shown.language = language;
    await act(async () => root.render(<Form in={language} />));
    await act(async () => vi.advanceTimersByTime(200));
    return trigger.mock.calls.length;
  };
  expect([await change("TY"), await change("EN"), await change("TY"), await change("TY")]).toEqual([
    0, 1, 2, 2,
  ]);
  await act(async () => root.unmount());
});
