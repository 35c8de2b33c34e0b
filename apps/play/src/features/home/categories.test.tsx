// @vitest-environment jsdom
import { GAME_PAGE_SIZE } from "@perya/client/queries/catalogue";
import type { Game } from "@perya/contract/catalogue";
import { act, type ReactNode } from "react";
import { beforeEach, expect, it, vi } from "vitest";
import { pageOfEachTest, pass } from "../../../../../tests/play/page-of-each-test.tsx";
import { GAME_TYPES, type GameType } from "../../parts/games/game-types.ts";
import { queries, queryClient } from "../../shell/server.ts";
import { useSession } from "../../shell/session.ts";
import { GameCategory, HotGames, OwnCategory } from "./categories.tsx";

vi.mock("../../shell/text.ts", () => import("../../../../../tests/play/texts-as-ids.ts"));
vi.mock("../../parts/games/game-tile.tsx", () => ({
  GameTile: ({ game }: { game: Game }) => game.nodeId,
  GameGrid: ({ games }: { games: readonly Game[] }) =>
    games.map(({ nodeId }) => <i key={nodeId} data-game={nodeId} />),
  GameGridSkeleton: () => null,
}));
vi.mock("../../shell/use-gate.ts", () => ({ useGatedLink: () => () => ({}) }));
vi.mock("@tanstack/react-router", async (original) => ({
  ...(await original<object>()),
  Link: ({ to, children }: { to: string; children: ReactNode }) => <a href={to}>{children}</a>,
}));

/** The path of each category's whole list, as the specification names it (games §2.1). */
const PATHS: Readonly<Record<GameType, string>> = {
  RNG: "/m/slot-games",
  LIVE: "/m/live-games",
  PVP: "/m/poker-games",
  FISH: "/m/fishing-games",
  SPORTS: "/m/sport-games",
  ESPORTS: "/m/sport-games",
  COCKFIGHT: "/m/cockfight",
  LOTT: "/m/lott",
  ELOTT: "/m/elott",
};

const REFUSED = {
  ...{ type: "about:blank", code: "feature_off", status: 403, title: "no", detail: "no" },
  requestId: "1",
};

const page = pageOfEachTest();
let asked: URLSearchParams[];
/** Tells the observer that the observed element has come near. */
let comesNear: () => void;

beforeEach(() => {
  vi.stubGlobal(
    "IntersectionObserver",
    class {
      constructor(told: (entries: { isIntersecting: boolean }[]) => void) {
        comesNear = () => told([{ isIntersecting: true }]);
      }
      observe() {}
      disconnect() {}
    },
  );
  asked = [];
  vi.stubGlobal("fetch", async (url: string) => {
    const { pathname, searchParams } = new URL(url, "http://localhost");
    if (pathname !== "/api/v1/games") return new Promise(() => undefined);
    asked.push(searchParams);
    const size = Number(searchParams.get("pageSize"));
    const games = Array.from({ length: size }, (_, at) => ({ nodeId: at + 1 }));
    return new Response(
      JSON.stringify({ value: { games, pageNum: 1, totalPages: 4, totalCount: 32 } }),
    );
  });
});

it.each(GAME_TYPES)(
  "[G2.6-07] the category %s asks for page one of its games, nine to the page, and leads to its own list",
  async (type) => {
    await draw(type);
    expect(asked).toEqual([]);
    await act(async () => comesNear());
    await pass(12);
    expect(asked.map((query) => Object.fromEntries(query))).toMatchObject([
      { gameType: type, pageNo: "1", pageSize: "9", vassalage: "", gameName: "" },
    ]);
    const games = [...document.querySelectorAll("li")].map(({ textContent }) => textContent);
    expect(games).toEqual(["1", "2", "3", "4", "5", "6", "7", "8", "9"]);
    const more = [...document.querySelectorAll("a")].find(
      ({ textContent }) => textContent?.includes("shell.see_all") === true,
    );
    expect(more?.getAttribute("href")).toBe(PATHS[type]);
  },
);

it("[G2.6-07] a category whose vendors are listed under sports asks for games of sports", async () => {
  await draw("ESPORTS", [{ vassalage: "AV", gameType: "SPORTS" }]);
  await act(async () => comesNear());
  expect(asked.map((query) => query.get("gameType"))).toEqual(["SPORTS"]);
});

it.each([
  [9, 9],
  [10, 9],
])(
  "[G2.2-08] of %s vendors a type's block shows %s, and a button toggles the rest where more exist",
  async (count, first) => {
    const vendors = Array.from({ length: count }, (_, nth) => ({
      ...{ vassalage: `V${nth}`, gameType: "RNG", displayName: `Vendor ${nth}` },
    }));
    await draw("RNG", vendors);
    const block = () =>
      [...document.querySelectorAll("ul[aria-label='games.providers_of'] li")].map(
        ({ textContent }) => textContent,
      );
    const names = vendors.map(({ displayName }) => displayName);
    expect(block()).toEqual(names.slice(0, first));
    const toggle = document.querySelector<HTMLElement>("button[aria-expanded]");
    expect(toggle !== null).toBe(count > first);
    if (toggle === null) return;
    await act(async () => toggle.click());
    expect(block()).toEqual(names);
    await act(async () => toggle.click());
    expect(block()).toEqual(names.slice(0, first));
  },
);

it.each([
  [9, false],
  [10, true],
])("[G2.2-12] of %s hot games nine are shown, and 'show more': %s", async (count, isMore) => {
  const list = Array.from({ length: count }, (_, at) => ({ nodeId: at + 1 }));
  queryClient.setQueryData(queries.hot("EN").queryKey, { list } as never); // nothing else is drawn
  await page.draw(<HotGames />);
  const shown = () => document.querySelectorAll("[data-game]").length;
  const more = document.querySelector<HTMLElement>("button[aria-expanded]");
  expect([shown(), more !== null]).toEqual([9, isMore]);
  await act(async () => more?.click());
  expect(shown()).toBe(count);
});

it("[G2.2-08] a type with one vendor has a block with that vendor", async () => {
  await draw("FISH", [{ vassalage: "LMB", gameType: "FISH", displayName: "Lambat" }]);
  const block = document.querySelector("ul[aria-label='games.providers_of']");
  expect(block?.textContent).toBe("Lambat");
});

it("the player's own games stay on home after a session lapsed, and disappear with a sign-out", async () => {
  const session = { token: "t", merchantCode: "perya", userName: "maria", type: 0 };
  useSession.setState({ session: { ...session, firstTimeLogin: false }, lapsed: false });
  const games = [{ nodeId: 7 }];
  const read = { pages: [{ games, pageNum: 1, totalPages: 1 }], pageParams: [1] };
  const mine = queries.favourites("EN", { pageSize: GAME_PAGE_SIZE.centre });
  queryClient.setQueryData(mine.queryKey, read as never); // nothing else is drawn
  await page.draw(<OwnCategory list="fav" />);
  const says = () => document.body.textContent;
  expect(says()).not.toContain("games.no_favourites_text");
  await act(async () => useSession.setState({ session: null, lapsed: true }));
  expect(says()).not.toContain("games.no_favourites_text");
  await act(async () => useSession.setState({ session: null, lapsed: false }));
  await until(() => says()?.includes("games.no_favourites_text") === true);
});

it("[G2.2-13] a further page of the player's own games that fails shows the fault, and is requested again", async () => {
  const session = { token: "t", merchantCode: "perya", userName: "maria", type: 0 };
  useSession.setState({ session: { ...session, firstTimeLogin: false }, lapsed: false });
  const games = Array.from({ length: 15 }, (_, at) => ({ nodeId: at + 1 }));
  const mine = queries.favourites("EN", { pageSize: GAME_PAGE_SIZE.centre });
  const read = { pages: [{ games, pageNum: 1, totalPages: 2 }], pageParams: [1] };
  queryClient.setQueryData(mine.queryKey, read as never); // nothing else is drawn
  const fetched: string[] = [];
  vi.stubGlobal("fetch", async (url: string) => {
    const { pathname } = new URL(url, "http://localhost");
    if (!pathname.endsWith("/favourites")) return new Promise(() => undefined);
    fetched.push(url);
    if (fetched.length === 1) return new Response(JSON.stringify(REFUSED), { status: 403 });
    return new Response(JSON.stringify({ value: { content: [{ nodeId: 16 }], totalPages: 2 } }));
  });
  await page.draw(<OwnCategory list="fav" />);
  const button = (label: string) =>
    [...document.querySelectorAll("button")].find(({ textContent }) => textContent === label);
  await act(async () => button("shell.show_more")?.click());
  await until(() => button("error.load_failed") !== undefined);
  expect(fetched).toHaveLength(1);
  await act(async () => button("error.load_failed")?.click());
  await until(() => button("error.load_failed") === undefined);
  expect(fetched).toHaveLength(2);
  expect(queryClient.getQueryData(mine.queryKey)?.pages).toHaveLength(2);
  useSession.setState({ session: null, lapsed: false });
});

/** Rendering takes time on a busy machine. */
async function until(isSo: () => boolean): Promise<void> {
  for (let i = 0; i < 500 && !isSo(); i++) {
    await pass(20);
  }
  expect(isSo()).toBe(true);
}

async function draw(type: GameType, vendors: readonly object[] = []): Promise<void> {
  await page.draw(<GameCategory type={type} vendors={vendors as never} board={null} />);
}
