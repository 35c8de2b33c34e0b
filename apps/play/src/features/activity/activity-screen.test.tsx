// @vitest-environment jsdom

import { notify } from "@perya/ui/notify";
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { afterEach, expect, it, vi } from "vitest";
import { queries, queryClient } from "../../shell/server.ts";
import ActivityScreen from "./activity-screen.tsx";

vi.mock("../../shell/text.ts", () => {
  const words = { t: (id: string) => id, language: "EN" };
  return { currentLanguage: () => "EN", textOf: (id: string) => id, useText: () => words };
});
vi.mock("@tanstack/react-router", () => ({
  useNavigate: () => () => undefined,
  useSearch: () => ({}),
}));

afterEach(() => {
  queryClient.clear();
  vi.restoreAllMocks();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it("[G2.10-03] opening the promotions reads them again, however fresh they are, and shows the loading message at once and for three seconds at most", async () => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
  const asked: (string | null)[] = [];
  vi.stubGlobal("fetch", (url: string) => {
    asked.push(new URL(url, "http://localhost").searchParams.get("types"));
    return new Promise(() => undefined);
  });
  const said = vi.spyOn(notify, "loading").mockReturnValue(undefined);
  const dismissed = vi.spyOn(notify, "dismiss").mockReturnValue(undefined);
  queryClient.setQueryData(queries.promotions("EN").queryKey, []);
  const root = createRoot(document.body);
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <ActivityScreen />
      </QueryClientProvider>,
    ),
  );
  await act(() => vi.advanceTimersByTimeAsync(1));
  expect(asked).toEqual(["PR"]);
  expect(said.mock.calls).toEqual([["shell.in_please_wait", "list", 3_000]]);
  expect(dismissed).not.toHaveBeenCalled();
  await act(async () => root.unmount());
});
