// @vitest-environment jsdom

import { notify } from "@perya/ui/notify";
import { act } from "react";
import { expect, it, vi } from "vitest";
import { pageOfEachTest } from "../../../../../tests/play/page-of-each-test.tsx";
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

const page = pageOfEachTest();

it("[G2.10-03] opening the promotions reads them again, however fresh they are, and shows the loading message at once and for three seconds at most", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const asked: (string | null)[] = [];
  vi.stubGlobal("fetch", (url: string) => {
    asked.push(new URL(url, "http://localhost").searchParams.get("types"));
    return new Promise(() => undefined);
  });
  const said = vi.spyOn(notify, "loading").mockReturnValue(undefined);
  const dismissed = vi.spyOn(notify, "dismiss").mockReturnValue(undefined);
  queryClient.setQueryData(queries.promotions("EN").queryKey, []);
  await page.draw(<ActivityScreen />);
  await act(() => vi.advanceTimersByTimeAsync(1));
  expect(asked).toEqual(["PR"]);
  expect(said.mock.calls).toEqual([["shell.in_please_wait", "list", 3_000]]);
  expect(dismissed).not.toHaveBeenCalled();
});
