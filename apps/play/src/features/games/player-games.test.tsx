// @vitest-environment jsdom
import type { Game } from "@perya/contract/catalogue";
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
import { queries, queryClient } from "../../shell/server.ts";
import { useSession } from "../../shell/session.ts";
import GameListScreen from "./game-list-screen.tsx";
import SearchScreen from "./search-screen.tsx";

// The build makes the catalogues of texts.
vi.mock("../../shell/text.ts", () => ({
  currentLanguage: () => "EN",
  textOf: (id: string) => id,
  useText: () => ({
    t: (id: string, values?: object) => [id, ...Object.values(values ?? {})].join(" "),
    language: "EN",
    number: String,
  }),
}));
vi.mock("../../parts/games/game-tile.tsx", () => ({
  GameGrid: ({ games, label }: { games: readonly Game[]; label: string }) => (
    <ul aria-label={label}>
      {games.map(({ nodeId }) => (
        <li key={nodeId}>{nodeId}</li>
      ))}
    </ul>
  ),
  GameGridSkeleton: () => null,
}));

const MARIA = {
  ...{ token: "t", merchantCode: "perya", userName: "maria", type: 0, firstTimeLogin: false },
};
const OWN = { fav: "games.favourites", recent: "games.recent" } as const;
const LISTS = { ...OWN, all: "games.results", hot: "games.hot" } as const;

let root: Root;
/** Node ids of the player's own games, on both lists, and of all games. */
let own: number[];

beforeEach(() => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
  vi.stubGlobal("scrollTo", () => undefined);
  localStorage.clear();
  useSession.setState({ session: MARIA, lapsed: false });
  own = numbers(1, 32);
  vi.stubGlobal("fetch", async (url: string) => {
    const { pathname, searchParams } = new URL(url, "http://localhost");
    const page = Number(searchParams.get("page") ?? searchParams.get("pageNo"));
    const size = Number(searchParams.get("pageSize"));
    const games = own.slice((page - 1) * size, page * size).map((nodeId) => ({ nodeId }));
    const totalPages = Math.ceil(own.length / size);
    // The screen's other calls never answer.
    if (!/\/(games|recent-games|favourites)$/.test(pathname)) return new Promise(() => undefined);
    const value = { list: games, content: games, games, pageNum: page, totalPages };
    return new Response(JSON.stringify({ value }));
  });
  queryClient.setQueryData(queries.hot("EN").queryKey, { list: [{ nodeId: 1 }] } as never); // all drawn
  root = createRoot(document.body);
});

afterEach(async () => {
  await act(async () => root.unmount());
  useSession.setState({ session: null, lapsed: false });
  queryClient.clear();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it.each(["recent", "fav"] as const)(
  "[G2.8-07] the search shows page numbers on %s when there is more than one page, and each replaces the list",
  async (tab) => {
    await open(`/m/search?tab=${tab}`);
    expect(shown(OWN[tab])).toEqual(numbers(1, 15));
    expect(pages()).toEqual(["1", "2", "3"]);
    await press("shell.page 3");
    expect(shown(OWN[tab])).toEqual([31, 32]);
    await press("shell.page 1");
    expect(shown(OWN[tab])).toEqual(numbers(1, 15));
    await press("shell.load_more");
    expect(shown(OWN[tab])).toEqual(numbers(1, 30));
  },
);

it.each(["recent", "fav", "all"] as const)(
  "[G2.8-07] the search shows page numbers on %s as soon as there is a second page",
  async (tab) => {
    own = numbers(1, 16);
    await open(`/m/search?tab=${tab}`);
    expect(shown(LISTS[tab])).toEqual(numbers(1, 15));
    expect(pages()).toEqual(["1", "2"]);
    await press("shell.page 2");
    expect(shown(LISTS[tab])).toEqual([16]);
  },
);

it.each(["recent", "fav", "all", "hot"] as const)(
  "[G2.8-07] the search shows no page numbers on %s where one page is all there is",
  async (tab) => {
    own = numbers(1, 15);
    await open(`/m/search?tab=${tab}`);
    expect(shown(LISTS[tab])[0]).toBe(1);
    expect(pages()).toEqual([]);
  },
);

it("a list whose last page lost its only game shows the page before", async () => {
  own = numbers(1, 31);
  await open("/m/search?tab=fav&page=3");
  expect(shown(OWN.fav)).toEqual([31]);
  own = numbers(1, 30);
  await act(() => queryClient.invalidateQueries());
  await pass();
  expect(shown(OWN.fav)).toEqual(numbers(16, 30));
});

it("the list centre shows page numbers on the player's own games too, from one page on", async () => {
  await open("/m/gameList?tab=recent");
  expect(shown(OWN.recent)).toEqual(numbers(1, 15));
  expect(pages()).toEqual(["1", "2", "3"]);
  await press("shell.page 2");
  expect(shown(OWN.recent)).toEqual(numbers(16, 30));
  await act(async () => root.unmount());
  root = createRoot(document.body);
  await open("/m/gameList?tab=fav");
  expect(pages()).toEqual(["1"]);
});

it.each(["hot", "fav", "recent"] as const)(
  "[G2.7-13] the list centre says that the list is empty where %s has no games",
  async (tab) => {
    own = [];
    queryClient.setQueryData(queries.hot("EN").queryKey, { list: [] } as never);
    await open(`/m/gameList?tab=${tab}`);
    const said = { hot: "games.none", fav: "games.no_favourites", recent: "games.no_recent" };
    expect(document.body.textContent).toContain(said[tab]);
    expect(document.querySelectorAll("li")).toHaveLength(0);
  },
);

it.each([
  ["/m/gameList?tab=fav", OWN.fav],
  ["/m/gameList?tab=recent", OWN.recent],
])(
  "[G2.7-24] %s says that a log-in is needed once the player has left, and keeps its games where a session lapsed",
  async (address, label) => {
    await open(address);
    const all = shown(label);
    expect(all.length).toBeGreaterThan(0);
    await act(async () => useSession.setState({ session: null, lapsed: true }));
    expect(shown(label)).toEqual(all);
    expect(document.body.textContent).toContain("shell.login_again");
    await act(async () => useSession.setState({ session: null, lapsed: false }));
    expect(shown(label)).toEqual([]);
    expect(document.body.textContent).toContain("shell.login_needed");
    expect(document.body.textContent).not.toMatch(/games\.no_(favourites|recent)/);
  },
);

it("[G2.8-13] the search keeps the player's own list where a session lapsed, and empties it once the player has left", async () => {
  await open("/m/search?tab=fav");
  const all = shown(OWN.fav);
  await act(async () => useSession.setState({ session: null, lapsed: true }));
  expect(shown(OWN.fav)).toEqual(all);
  await act(async () => useSession.setState({ session: null, lapsed: false }));
  await pass();
  expect(shown(OWN.fav)).toEqual([]);
  expect(document.body.textContent).toContain("games.no_favourites");
});

it("[G2.7-24] a list of the player's that was never read shows no message of its own once the session lapsed", async () => {
  useSession.setState({ session: null, lapsed: true });
  await open("/m/gameList?tab=fav");
  expect(document.body.textContent).toContain("shell.login_again");
  expect(document.body.textContent).not.toContain("games.no_favourites");
});

async function open(address: string): Promise<void> {
  const base = createRootRoute();
  const of = (path: string, component: () => React.ReactNode) =>
    createRoute({
      getParentRoute: () => base,
      path,
      component,
      validateSearch: (search: Record<string, unknown>) => search,
    });
  const routeTree = base.addChildren([
    of("/m/search", SearchScreen),
    of("/m/gameList", GameListScreen),
  ]);
  const history = createMemoryHistory({ initialEntries: [address] });
  const router = createRouter({ routeTree, history });
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        {/* A router of two screens replaces the app's own, whose type is registered. */}
        <RouterProvider router={router as never} />
      </QueryClientProvider>,
    ),
  );
  await pass();
}

function shown(label: string): number[] {
  const items = document.querySelectorAll(`ul[aria-label="${label}"] li`);
  return [...items].map(({ textContent }) => Number(textContent));
}

function pages(): string[] {
  const slots = document.querySelectorAll("nav[aria-label='shell.pages'] button");
  return [...slots].flatMap(({ textContent }) => textContent || []);
}

async function press(name: string): Promise<void> {
  const found = [...document.querySelectorAll("button")].find(
    (one) => (one.getAttribute("aria-label") ?? one.textContent) === name,
  );
  expect(found, name).toBeDefined();
  await act(async () => found?.click());
  await pass();
}

function numbers(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, at) => from + at);
}

function pass(): Promise<void> {
  return act(async () => void (await vi.advanceTimersByTimeAsync(30)));
}
