// @vitest-environment jsdom
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { afterEach, expect, it, vi } from "vitest";
import { screenQueries } from "../../shell/screen-queries.ts";
import { live, queryClient } from "../../shell/server.ts";
import { LatestWinners } from "./latest-winners.tsx";

// The build makes the catalogues of texts.
vi.mock("../../shell/text.ts", () => ({
  currentLanguage: () => "EN",
  textOf: (id: string) => id,
  useText: () => ({ t: (id: string) => id, time: String }),
}));

afterEach(() => {
  queryClient.clear();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

it("a game's default picture replaces one that does not load", async () => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  vi.spyOn(live, "subscribe").mockReturnValue(() => undefined);
  const payout = { minor: "100", currency: "PHP" } as const;
  const won = { at: 1, account: "ma***", nodeId: 7, gameName: "Parol Fortune", payout };
  queryClient.setQueryData(screenQueries.winners().queryKey, { list: [won] } as never); // all read
  const root = createRoot(document.body);
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <LatestWinners />
      </QueryClientProvider>,
    ),
  );
  const picture = () => document.querySelector("img")?.getAttribute("src");
  expect(picture()).toContain("/art/tile/7.svg");
  await act(async () => void document.querySelector("img")?.dispatchEvent(new Event("error")));
  expect(picture()).toBe("/art/tile/default.svg");
  await act(async () => root.unmount());
});
