// @vitest-environment jsdom
import { QueryClientProvider } from "@tanstack/react-query";
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from "@tanstack/react-router";
import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { queryClient } from "../../shell/server.ts";
import GameListScreen from "./game-list-screen.tsx";

// The build makes the catalogues of texts.
vi.mock("../../shell/text.ts", () => ({
  currentLanguage: () => "EN",
  textOf: (id: string) => id,
  useText: () => ({ t: (id: string) => id, language: "EN", number: String }),
}));

/** The list that each banner of the brand belongs to, and its text. */
const BANNERS = {
  "/m/slot-games": "Give it a spin",
  "/m/live-games": "Live tables",
  "/m/poker-games": "Deal me in",
  "/m/sport-games": "Game on",
  "/m/elott": "Draws all day",
};

let root: Root;
let groups: (string | null)[];

beforeEach(() => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
  vi.stubGlobal("scrollTo", () => undefined);
  groups = [];
  const banners = Object.entries(BANNERS).map(([url, title]) => ({
    ...{ id: url, url, title, content: "", scene: "crown" },
  }));
  vi.stubGlobal("fetch", async (url: string) => {
    const { pathname, searchParams } = new URL(url, "http://localhost");
    // The screen's other calls never answer.
    if (!pathname.endsWith("/announcements")) return new Promise(() => undefined);
    groups.push(searchParams.get("groupName"));
    return new Response(JSON.stringify({ value: { banners } }));
  });
  root = createRoot(document.body);
});

afterEach(async () => {
  await act(async () => root.unmount());
  queryClient.clear();
  vi.unstubAllGlobals();
});

it.each([
  ["/m/slot-games", "Give it a spin"],
  ["/m/live-games", "Live tables"],
  ["/m/poker-games", "Deal me in"],
  ["/m/sport-games", "Game on"],
  ["/m/elott", "Draws all day"],
  ["/m/lott", null],
  ["/m/fishing-games", null],
])(
  "[G2.7-15] the list centre shows the banner that belongs to its list, or none: %s",
  async (path, words) => {
    await open(path);
    const shown = Object.values(BANNERS).filter((one) => document.body.textContent?.includes(one));
    expect(shown).toEqual(words === null ? [] : [words]);
    expect(groups).toEqual(["m_game"]);
  },
);

async function open(path: string): Promise<void> {
  const base = createRootRoute();
  const list = createRoute({
    getParentRoute: () => base,
    path,
    component: GameListScreen,
    validateSearch: (search: Record<string, unknown>) => search,
  });
  const history = createMemoryHistory({ initialEntries: [path] });
  const router = createRouter({ routeTree: base.addChildren([list]), history });
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        {/* A router of one screen replaces the app's own, whose type is registered. */}
        <RouterProvider router={router as never} />
      </QueryClientProvider>,
    ),
  );
  await act(() => new Promise<void>((done) => setTimeout(done, 30)));
}
