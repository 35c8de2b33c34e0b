// @vitest-environment jsdom
import { act } from "react";
import { createRoot } from "react-dom/client";
import { afterEach, expect, it, vi } from "vitest";
import { useDebounced } from "./use-debounced.ts";

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it("a value counts once it has not changed for its time, and of several in a row the last", async () => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  vi.useFakeTimers();
  const place = document.createElement("div");
  const root = createRoot(place);
  const Shown = ({ value }: { value: string }) => useDebounced(value, 250);
  const give = (value: string) => act(async () => root.render(<Shown value={value} />));
  const pass = (ms: number) => act(async () => void vi.advanceTimersByTime(ms));
  await give("a");
  expect(place.textContent).toBe("a");
  await give("b");
  await pass(200);
  await give("c");
  await pass(249);
  expect(place.textContent).toBe("a");
  await pass(1);
  expect(place.textContent).toBe("c");
  await act(async () => root.unmount());
});
