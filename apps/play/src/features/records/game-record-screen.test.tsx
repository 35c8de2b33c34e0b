// @vitest-environment jsdom
import { QueryClientProvider } from "@tanstack/react-query";
import { act, type ReactNode } from "react";
import { createRoot } from "react-dom/client";
import { afterEach, expect, it, vi } from "vitest";
import { queryClient } from "../../shell/server.ts";
import GameRecordScreen from "./game-record-screen.tsx";

const address = vi.hoisted(() => ({ by: {} as Record<string, unknown> }));

// The build makes the catalogues of texts.
vi.mock("../../shell/text.ts", () => ({
  currentLanguage: () => "EN",
  textOf: (id: string) => id,
  useText: () => ({ t: (id: string) => id, when: String, language: "EN" }),
}));
vi.mock("../../shell/popups.ts", () => ({
  usePopups: () => ({
    open: (popup: string, more: object) => Object.assign(address.by, { popup, ...more }),
  }),
  useOpenPopup: () => address.by,
}));
vi.mock("../../shell/use-shows.ts", () => ({ useShows: () => () => true }));
vi.mock("./record-tabs.tsx", () => ({ RecordTabs: () => null }));
vi.mock("@perya/ui/sheet", () => ({
  Sheet: ({ open, title }: { open: boolean; title: ReactNode }) => open && <h2>{title}</h2>,
}));

const MONEY = { minor: "100", currency: "PHP" };
const ROUND = {
  ...{ id: "1001", gameId: "g", state: "settled", stake: MONEY, payout: MONEY, at: 0 },
};

afterEach(() => {
  queryClient.clear();
  vi.unstubAllGlobals();
});

it("a tap on a round shows that one, even if a round of another vendor has the same id", async () => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  const items = [
    { ...ROUND, vendor: "PGE", gameName: "Pista Gold" },
    { ...ROUND, vendor: "LUN", gameName: "Luna Roulette" },
  ];
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
  vi.stubGlobal("fetch", async () => {
    return new Response(JSON.stringify({ value: { items, nextCursor: null } }));
  });
  const root = createRoot(document.body);
  const draw = async (key: number) => {
    await act(async () =>
      root.render(
        <QueryClientProvider client={queryClient}>
          <GameRecordScreen key={key} />
        </QueryClientProvider>,
      ),
    );
    await act(() => new Promise<void>((done) => setTimeout(done, 20)));
  };
  await draw(1);
  for (const name of ["Pista Gold", "Luna Roulette"]) {
    const rows = [...document.querySelectorAll("button")];
    await act(async () => rows.find(({ textContent }) => textContent?.includes(name))?.click());
    await draw(2 + rows.length);
    expect(document.querySelector("h2")?.textContent).toBe(name);
  }
  await act(async () => root.unmount());
});
