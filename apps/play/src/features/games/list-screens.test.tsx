// @vitest-environment jsdom
import type { Game } from "@perya/contract/catalogue";
import { QueryClientProvider } from "@tanstack/react-query";
import {
  type AnyRouter,
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from "@tanstack/react-router";
import { act, type ReactNode } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { queryClient } from "../../shell/server.ts";
import { lapseSession, leaveSession, startSession, useSession } from "../../shell/session.ts";
import GameListScreen from "./game-list-screen.tsx";
import HotScreen from "./hot-screen.tsx";
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
vi.mock("@perya/ui/sheet", () => ({
  Sheet: ({ children, footer }: { children: ReactNode; footer: ReactNode }) => (
    <>
      {children}
      {footer}
    </>
  ),
}));

const MARIA = {
  ...{ token: "t", merchantCode: "perya", userName: "maria", type: 0, firstTimeLogin: false },
};
const HOT = [
  { nodeId: 1, gameType: "RNG", vassalage: "BGS", displayName: "Parol Fortune" },
  { nodeId: 2, gameType: "LIVE", vassalage: "LUN", displayName: "Luna Roulette" },
  { nodeId: 3, gameType: "RNG", vassalage: "PGE", displayName: "Pista Gold" },
];
const VENDORS = Object.entries({ RNG: ["BGS", "PGE"], LIVE: ["LUN"], LOTT: ["LOTT"] }).map(
  ([gameCategory, codes]) => ({
    gameCategory,
    vendorNames: codes.map((vassalage) => ({
      ...{ vassalage, displayName: vassalage, gameClassify: [] },
    })),
  }),
);
const RESULTS = "games.results";

let root: Root;
let router: AnyRouter;
/** The list calls so far. */
let asked: Record<string, string>[];
/** How many games a list has. */
let total: (query: Record<string, string>) => number;
/** No list is answered until it resolves. */
let held: Promise<void>;

beforeEach(() => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
  vi.stubGlobal("scrollTo", () => undefined);
  vi.stubGlobal(
    "ResizeObserver",
    class {
      observe() {}
      disconnect() {}
    },
  );
  localStorage.clear();
  sessionStorage.clear();
  useSession.setState({ session: MARIA, lapsed: false });
  asked = [];
  total = () => 190;
  held = Promise.resolve();
  vi.stubGlobal("fetch", async (url: string) => {
    const { pathname, searchParams } = new URL(url, "http://localhost");
    const answer = (value: object) => new Response(JSON.stringify({ value }));
    if (pathname === "/api/v1/vendors") return answer({ content: VENDORS });
    if (pathname === "/api/v1/games/hot") return answer({ list: HOT });
    const query = Object.fromEntries(searchParams);
    const ofOwn = /(favourites|recent-games)$/.test(pathname);
    // The screens' other calls never answer.
    if (pathname !== "/api/v1/games" && !ofOwn) return new Promise(() => undefined);
    asked.push(ofOwn ? { ...query, of: pathname.split("/").at(-1) ?? "" } : query);
    await held;
    const pageNum = Number(query.pageNo ?? query.page);
    const size = Number(query.pageSize);
    const totalCount = total(query);
    const games = numbers(1, totalCount)
      .slice((pageNum - 1) * size, pageNum * size)
      .map((nodeId) => ({ nodeId }));
    const list = { games, list: games, content: games };
    return answer({ ...list, pageNum, totalPages: Math.ceil(totalCount / size), totalCount });
  });
  root = createRoot(document.body);
});

afterEach(async () => {
  await act(async () => root.unmount());
  useSession.setState({ session: null, lapsed: false });
  queryClient.clear();
  vi.unstubAllGlobals();
});

describe("a tab of the list centre", () => {
  it("[G2.7-10] is one of All, Hot, Recent and Favourites, between the search box, the vendors and the pages", async () => {
    await open("/m/slot-games");
    expect(radios("games.lists")).toEqual([
      ...["games.all_short", "games.hot_short", "games.recent", "games.favourites"],
    ]);
    expect(radios("games.providers")).toEqual(["games.all_short", "BGS", "PGE"]);
    expect(document.querySelector("input[type=search]")).not.toBeNull();
    expect(slots()).not.toEqual("");
  });

  it("[G2.7-11] is shown beside All and the vendor of a type with a single vendor", async () => {
    await open("/m/live-games");
    expect(radios("games.providers")).toEqual(["games.all_short", "LUN"]);
  });

  it.each(["All", "filtered"])(
    "[G2.7-17] that is chosen empties the %s list, begins on its first page and loads again, however fresh it is",
    async (from) => {
      await open("/m/slot-games");
      const all = asked.at(-1);
      if (from === "filtered") {
        await go("/m/slot-games?tab=filter&name=gold&page=2");
        expect(asked.at(-1)).toMatchObject({ gameName: "gold", pageNo: "2" });
      } else {
        await press("shell.page 2");
        expect(shown(RESULTS)[0]).toBe(36);
        await choose("games.lists", "games.hot_short");
      }
      const before = asked.length;
      const release = hold();
      await choose("games.lists", "games.all_short");
      expect(router.state.location.search).toEqual({});
      expect(shown(RESULTS)).toEqual([]);
      await release();
      expect(shown(RESULTS)).toEqual(numbers(1, 35));
      expect(asked.slice(before)).toEqual([all]);
    },
  );

  it.each([
    ["games.recent", "recent-games"],
    ["games.favourites", "favourites"],
  ])(
    "[G2.7-17] that is the player's own is empty until it has loaded again, each time: %s",
    async (name, of) => {
      await open("/m/slot-games");
      for (const nth of [1, 2]) {
        const release = hold();
        await choose("games.lists", name);
        expect(shown(name)).toEqual([]);
        await release();
        expect(shown(name)).not.toEqual([]);
        expect(asked.filter((one) => one.of === of)).toHaveLength(nth);
        await choose("games.lists", "games.all_short");
      }
    },
  );

  it("returns as it was left when the player comes back from another screen", async () => {
    await open("/m/slot-games");
    await press("shell.page 2");
    const before = asked.length;
    await go("/m/help");
    expect(shown(RESULTS)).toEqual([]);
    hold();
    await act(async () => router.history.back());
    await pass();
    expect(shown(RESULTS)).toEqual(numbers(36, 70));
    expect(asked).toHaveLength(before);
  });

  it.each([
    ["/m/slot-games", [1, 3]],
    ["/m/live-games", [2]],
    ["/m/slot-games?vassalage=PGE", [3]],
  ])(
    "[G2.7-23] Hot of %s makes no list call and shows the hot games of its type alone",
    async (path, games) => {
      await open(path);
      const before = asked.length;
      await choose("games.lists", "games.hot_short");
      expect(shown("games.hot")).toEqual(games);
      expect(asked).toHaveLength(before);
    },
  );

  it("makes no further call once the player opens another screen, however many pages were appended", async () => {
    await open("/m/slot-games");
    await press("shell.load_more");
    expect(shown(RESULTS)).toEqual(numbers(1, 70));
    const before = asked.length;
    await go("/m/help");
    await act(async () => router.history.back());
    await pass();
    expect(shown(RESULTS)).toEqual(numbers(1, 70));
    expect(asked).toHaveLength(before);
  });

  it.each([
    ["HOT", "games.hot_short", "hot"],
    ["FAV", "games.favourites", "fav"],
  ])(
    "[G2.7-19] opens for the selection %s, whether the panel or the address names it",
    async (type, name, tab) => {
      await open("/m/slot-games?pop=filter");
      await choose("games.classification", name);
      await submit("games.apply_filters");
      expect(router.state.location.search).toEqual({ tab });
      expect(checked("games.lists")).toBe(name);
      await go(`/m/slot-games?type=${type}`);
      expect(checked("games.lists")).toBe(name);
    },
  );
});

describe("the pages of a list", () => {
  it("[G2.7-27 G2.7-30] are five numbers at most with ellipses between them, and arrows that are disabled at the first and last page", async () => {
    await open("/m/slot-games");
    expect(slots()).toBe("1 2 3 4 … 6");
    expect(arrows()).toEqual({ previous: false, next: true });
    for (const [page, text] of [
      [2, "1 2 3 4 … 6"],
      [3, "1 2 3 4 … 6"],
      [4, "1 … 3 4 5 6"],
      [5, "1 … 3 4 5 6"],
      [6, "1 … 3 4 5 6"],
    ] as const) {
      await press("shell.next_page");
      expect(current()).toBe(String(page));
      expect(slots()).toBe(text);
      expect(asked.at(-1)).toMatchObject({ pageNo: String(page) });
      expect(arrows()).toEqual({ previous: true, next: page < 6 });
    }
    await press("shell.previous_page");
    expect(current()).toBe("5");
  });

  it.each([
    ["/m/slot-games", RESULTS, 35],
    ["/m/slot-games?tab=fav", "games.favourites", 35],
    ["/m/search?tab=all", RESULTS, 15],
    ["/m/search?tab=fav", "games.favourites", 15],
  ])(
    "lead to the top of the list that they begin again, and Load more does not: %s",
    async (path, label, size) => {
      const scrolled = vi.fn();
      await open(path);
      vi.stubGlobal("scrollTo", scrolled);
      await press("shell.load_more");
      expect(shown(label)).toEqual(numbers(1, 2 * size));
      expect(scrolled).not.toHaveBeenCalled();
      await press("shell.page 3");
      expect(shown(label)[0]).toBe(2 * size + 1);
      expect(scrolled.mock.calls).toEqual([[{ top: 0, behavior: "instant" }]]);
    },
  );

  it("[G2.7-28] are shown from one page on, and hidden where none exists", async () => {
    total = ({ gameName }) => (gameName === "gold" ? 4 : 0);
    await open("/m/slot-games?name=gold");
    expect(slots()).toBe("1");
    await go("/m/slot-games?name=none");
    expect(document.body.textContent).toContain("games.none");
    expect(slots()).toBe("");
  });
});

describe("the search", () => {
  it("[G2.8-04 G2.8-11] has All, Hot, Recent and Favourites, opens on every hot game without a call, and All searches the slots", async () => {
    await open("/m/search");
    expect(radios("games.lists")).toEqual([
      ...["games.all_short", "games.hot_short", "games.recent", "games.favourites"],
    ]);
    expect(checked("games.lists")).toBe("games.hot_short");
    expect(shown("games.hot")).toEqual([1, 2, 3]);
    expect(asked).toEqual([]);
    await choose("games.lists", "games.all_short");
    expect(asked).toMatchObject([{ gameType: "RNG", gameName: "", pageSize: "15" }]);
    await search("gold");
    expect(asked.slice(1)).toMatchObject([{ gameType: "RNG", gameName: "gold", pageSize: "15" }]);
  });

  it("finds games of other types by a name that no slot has, with their own pages", async () => {
    total = ({ gameType }) => (gameType === "RNG" ? 0 : 20);
    await open("/m/search");
    await search("luneta");
    expect(shown(RESULTS)).toEqual(numbers(1, 15));
    await press("shell.page 2");
    expect(shown(RESULTS)).toEqual(numbers(16, 20));
    await press("shell.page 1");
    await press("shell.load_more");
    expect(shown(RESULTS)).toEqual(numbers(1, 20));
  });

  it("[G2.8-08] says that nothing was found where neither slots nor other games have the name", async () => {
    total = () => 0;
    await open("/m/search");
    await search("zzzzqqq");
    expect(document.body.textContent).toContain("games.none_text");
    expect(shown(RESULTS)).toEqual([]);
    expect(asked).toHaveLength(2);
  });

  it("[G2.8-09] begins each tab again: its list is empty until it has loaded again, on page one, with an empty box", async () => {
    await open("/m/search");
    await search("gold");
    await press("shell.page 2");
    expect(shown(RESULTS)[0]).toBe(16);
    await choose("games.lists", "games.hot_short");
    await choose("games.lists", "games.all_short");
    await press("shell.page 2");
    await choose("games.lists", "games.recent");
    expect(asked.at(-1)).toMatchObject({ of: "recent-games", page: "1" });
    const before = asked.length;
    const release = hold();
    await choose("games.lists", "games.all_short");
    expect(router.state.location.search).toEqual({ tab: "all" });
    expect(document.querySelector("input")?.value).toBe("");
    expect(shown(RESULTS)).toEqual([]);
    await release();
    expect(shown(RESULTS)).toEqual(numbers(1, 15));
    expect(asked.slice(before)).toMatchObject([
      { gameName: "", vassalage: "", minBet: "", pageNo: "1" },
    ]);
  });

  it.each([
    ["games.recent", "recent-games"],
    ["games.favourites", "favourites"],
  ])(
    "[G2.8-09] begins a tab of the player's own again each time: its list is empty until it has loaded again, on page one: %s",
    async (name, of) => {
      await open("/m/search");
      for (const nth of [1, 2]) {
        const before = asked.length;
        const release = hold();
        await choose("games.lists", name);
        expect(shown(name), `time ${nth}`).toEqual([]);
        await release();
        expect(shown(name)).toEqual(numbers(1, 15));
        expect(asked.slice(before)).toMatchObject([{ of, pageSize: "15" }]);
        await choose("games.lists", "games.hot_short");
      }
    },
  );

  it.each([
    ["games.recent", "recent-games"],
    ["games.favourites", "favourites"],
  ])("makes no call for an appended list when another tab replaces it: %s", async (name, of) => {
    await open("/m/search");
    await search("gold");
    await press("shell.load_more");
    expect(shown(RESULTS)).toEqual(numbers(1, 30));
    const before = asked.length;
    await choose("games.lists", name);
    expect(asked.slice(before)).toMatchObject([{ of }]);
  });

  it("[G2.8-10] by a name goes to All, empties its list and begins on its first page, the second time too", async () => {
    await open("/m/search");
    await search("gold");
    for (const [name, before] of [
      ["perlas", "gold"],
      ["gold", "perlas"],
    ] as const) {
      await press("shell.page 2");
      expect(router.state.location.search).toEqual({ q: before, tab: "all", page: 2 });
      const made = asked.length;
      const release = hold();
      await search(name);
      expect(checked("games.lists")).toBe("games.all_short");
      expect(router.state.location.search).toEqual({ q: name, tab: "all" });
      expect(shown(RESULTS)).toEqual([]);
      await release();
      expect(shown(RESULTS)).toEqual(numbers(1, 15));
      expect(asked.slice(made)).toMatchObject([{ gameName: name, pageNo: "1" }]);
    }
  });
});

describe("a player's search", () => {
  const LEFT = [
    ["/m/search?q=gold&tab=all&page=2", {}],
    ["/m/slot-games?vassalage=PGE&tab=filter&name=gold&page=2", { vassalage: "PGE" }],
    ["/m/slot-games?vassalage=PGE&minBet=5", { vassalage: "PGE" }],
  ] as const;

  it.each(LEFT)("is in no address, box or call once the player left %s", async (path, rest) => {
    startSession(MARIA);
    await open(path);
    expect(asked.at(-1)).toMatchObject(path.includes("gold") ? { gameName: "gold" } : {});
    const before = asked.length;
    await act(async () => leaveSession());
    await pass();
    expect(router.state.location.search).toEqual(rest);
    expect(router.state.location.href).not.toMatch(/gold|minBet|page/);
    expect(document.querySelector("input")?.value).toBe("");
    for (const call of asked.slice(before)) expect(JSON.stringify(call)).not.toMatch(/gold|"5"/);
  });

  it.each(LEFT)(
    "is in no address or box for another player who logs in after a lapse at %s, even on the way back to it",
    async (path, rest) => {
      startSession(MARIA);
      await open(path);
      await go("/m/help");
      await act(async () => lapseSession(MARIA.token));
      await act(async () => startSession({ ...MARIA, token: "u", userName: "boyet" }));
      await act(async () => router.history.back());
      await pass();
      expect(router.state.location.search).toEqual(rest);
      expect(document.querySelector("input")?.value).toBe("");
    },
  );

  it("stays for the same player after a lapse, and is another player's own once that player types it too", async () => {
    startSession(MARIA);
    await open("/m/search");
    await search("gold");
    await act(async () => lapseSession(MARIA.token));
    await act(async () => startSession({ ...MARIA, token: "again" }));
    await pass();
    expect(router.state.location.search).toEqual({ q: "gold", tab: "all" });
    expect(document.querySelector("input")?.value).toBe("gold");
    await act(async () => startSession({ ...MARIA, token: "u", userName: "boyet" }));
    await pass();
    expect(router.state.location.search).toEqual({});
    await search("gold");
    expect(router.state.location.search).toEqual({ q: "gold", tab: "all" });
    expect(document.querySelector("input")?.value).toBe("gold");
  });

  it("stays when the visitor who made it logs in", async () => {
    leaveSession();
    await open("/m/search");
    await search("gold");
    await act(async () => startSession(MARIA));
    await pass();
    expect(router.state.location.search).toEqual({ q: "gold", tab: "all" });
  });
});

describe("the hot games", () => {
  it("[G2.8-01 G2.8-02] are searched by any part of their name, below a bar that shows the share of them in sight", async () => {
    await open("/m/hot-games");
    expect(shown("games.hot")).toEqual([1, 2, 3]);
    expect(bar()).toEqual(["100", "games.count_of 3 3"]);
    await search("gold");
    expect(shown("games.hot")).toEqual([3]);
    expect(bar()).toEqual(["33", "games.count_of 1 3"]);
  });
});

it("[G6-01] ask a guest to log in for a lottery's vendor picked in the filter panel, as in the menu, and show it after the log-in; any other vendor is shown at once", async () => {
  useSession.setState({ session: null, lapsed: false });
  for (const [path, given, vendor, asks] of [
    ["/m/lott", { minBet: "5" }, "LOTT", true],
    ["/m/gameList", { gameType: "LOTT", minBet: "5" }, "LOTT", true],
    ["/m/lott", { minBet: "5" }, "", false],
    ["/m/live-games", { minBet: "5" }, "LUN", false],
  ] as const) {
    await open(`${path}?${new URLSearchParams({ ...given, pop: "filter" })}`);
    const select = document.querySelector("select");
    await act(async () => {
      if (select !== null) select.value = vendor;
      select?.dispatchEvent(new Event("change", { bubbles: true }));
    });
    await submit("games.apply_filters");
    const { next, ...search } = router.state.location.search as { readonly next?: string };
    const filtered = { ...given, tab: "filter", ...(vendor === "" ? {} : { vassalage: vendor }) };
    expect(search, path).toEqual(asks ? { ...given, pop: "login" } : filtered);
    expect(next).toBe(
      asks ? router.buildLocation({ to: path, search: () => filtered }).href : undefined,
    );
  }
});

async function open(address: string): Promise<void> {
  await act(async () => root.unmount());
  root = createRoot(document.body);
  const base = createRootRoute();
  const of = (path: string, component: () => ReactNode) =>
    createRoute({
      getParentRoute: () => base,
      path,
      component,
      // A bet is text to the screens, as the app's own reader has it.
      validateSearch: ({ minBet, ...search }: Record<string, unknown>) =>
        minBet === undefined ? search : { ...search, minBet: String(minBet) },
    });
  const routeTree = base.addChildren([
    of("/m/search", SearchScreen),
    of("/m/hot-games", HotScreen),
    of("/m/help", () => null),
    ...["/m/slot-games", "/m/live-games", "/m/lott", "/m/gameList"].map((path) =>
      of(path, GameListScreen),
    ),
  ]);
  const history = createMemoryHistory({ initialEntries: [address] });
  router = createRouter({ routeTree, history });
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        {/* A router of some screens replaces the app's own, whose type is registered. */}
        <RouterProvider router={router as never} />
      </QueryClientProvider>,
    ),
  );
  await pass();
}

async function go(address: string): Promise<void> {
  await act(async () => router.history.push(address));
  await pass();
}

/** No list is answered until the returned function is called. */
function hold(): () => Promise<void> {
  let release = () => {};
  held = new Promise((done) => {
    release = done;
  });
  return async () => {
    release();
    await pass();
  };
}

function shown(label: string): number[] {
  const items = document.querySelectorAll(`ul[aria-label="${label}"] li`);
  return [...items].map(({ textContent }) => Number(textContent));
}

function group(label: string): HTMLElement | null {
  return document.querySelector(`[role=radiogroup][aria-label="${label}"]`);
}

function radios(label: string): (string | null)[] {
  const labels = group(label)?.querySelectorAll("label") ?? [];
  return [...labels].map(({ textContent }) => textContent);
}

function checked(label: string): string | null | undefined {
  return group(label)?.querySelector("input:checked")?.parentElement?.textContent;
}

async function choose(label: string, name: string): Promise<void> {
  const entries = [...(group(label)?.querySelectorAll("label") ?? [])];
  const entry = entries.find(({ textContent }) => textContent === name);
  expect(entry, name).toBeDefined();
  await act(async () => entry?.querySelector("input")?.click());
  await pass();
}

function pages(): HTMLElement | null {
  return document.querySelector("nav[aria-label='shell.pages']");
}

/** The numbers and ellipses between the arrows, as they are read. */
function slots(): string {
  const all = [...(pages()?.children ?? [])].map(({ textContent }) => textContent);
  return all.filter((text) => text !== "").join(" ");
}

function current(): string | null | undefined {
  return pages()?.querySelector("[aria-current=page]")?.textContent;
}

function arrows() {
  const isOn = (name: string) =>
    pages()?.querySelector<HTMLButtonElement>(`[aria-label='${name}']`)?.disabled === false;
  return { previous: isOn("shell.previous_page"), next: isOn("shell.next_page") };
}

function bar(): (string | null | undefined)[] {
  const found = document.querySelector("[role=progressbar]");
  return [found?.getAttribute("aria-valuenow"), found?.getAttribute("aria-valuetext")];
}

async function press(name: string): Promise<void> {
  const found = [...document.querySelectorAll("button")].find(
    (one) => (one.getAttribute("aria-label") ?? one.textContent) === name,
  );
  expect(found, name).toBeDefined();
  await act(async () => found?.click());
  await pass();
}

async function submit(name: string): Promise<void> {
  const found = [...document.querySelectorAll("button")].find((one) => one.textContent === name);
  await act(async () => found?.form?.requestSubmit());
  await pass();
}

async function search(name: string): Promise<void> {
  const input = document.querySelector<HTMLInputElement>("input[type=search]");
  const setter = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set;
  await act(async () => {
    setter?.call(input, name);
    input?.dispatchEvent(new Event("input", { bubbles: true }));
  });
  await act(async () => input?.form?.requestSubmit());
  await pass();
}

function numbers(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, at) => from + at);
}

/** Runs what is due and any follow-up: one list's answer may trigger the next call. */
async function pass(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) {
    await act(() => new Promise<void>((done) => setTimeout(done, 12)));
  }
}
