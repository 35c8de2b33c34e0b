import { QueryClient } from "@tanstack/react-query";
import { expect, it, vi } from "vitest";
import { createApi } from "./api.ts";
import { INBOX_GAP_MS } from "./queries/announcements.ts";
import { GAME_PAGE_SIZE } from "./queries/catalogue.ts";
import { createQueries } from "./queries.ts";
import { createScreenQueries } from "./screen-queries.ts";

/** Query options over a server that answers every call with one empty page. */
function createWorld() {
  const sent: URL[] = [];
  const api = createApi({
    getSessionToken: () => "storage-half",
    getLanguage: () => "TY",
    isStandalone: () => false,
    onSessionEnded: () => undefined,
    seal: async (plaintext) => plaintext,
    fetch: async (input) => {
      sent.push(new URL(String(input), "https://perya.test"));
      const value = {
        games: [],
        list: [],
        content: [],
        gameTypes: [],
        promotion: [],
        pageNum: 1,
        totalPages: 1,
        totalCount: 0,
      };
      return new Response(JSON.stringify({ value }));
    },
  });
  const asked = () => sent.map((url) => Object.fromEntries(url.searchParams));
  const queries = createQueries(api, () => "perya");
  const screenQueries = createScreenQueries(api, () => "perya");
  return { client: new QueryClient(), queries, screenQueries, sent, asked };
}

it("[G7-02] a list call carries every field that the specification names", async () => {
  const { client, queries, asked } = createWorld();
  const filter = { gameType: "RNG", gameName: "gold", pageSize: 35 } as const;
  await client.fetchInfiniteQuery(queries.games("EN", filter, 2));
  expect(asked()).toEqual([
    {
      merchant: "perya",
      platform: "html5",
      gameName: "gold",
      gameType: "RNG",
      pageNo: "2",
      pageSize: "35",
      vassalage: "",
      gameClassify: "",
      minBet: "",
      minLine: "",
      isNew: "",
      language: "EN",
      clientType: "2",
    },
  ]);
});

it("[G7-03] the game types of a vendor are asked for by its code and the brand's", async () => {
  const { client, screenQueries, sent, asked } = createWorld();
  await client.fetchQuery(screenQueries.vendorGameTypes("PGE"));
  expect(sent.map(({ pathname }) => pathname)).toEqual(["/api/v1/games/types"]);
  expect(asked()).toEqual([{ typeId: "PGE", merchant_code: "perya" }]);
});

it("[G7-04] the hot games are asked for by platform, brand and language", async () => {
  const { client, queries, asked } = createWorld();
  await client.fetchQuery(queries.hot("TY"));
  expect(asked()).toEqual([
    { isPlatform: "2", platform: "html5", language: "TY", merchantCode: "perya" },
  ]);
});

it("[G9-01 G9-02] a list's page is 35 in the list centre, 15 on search and for recents, 9 on home", () => {
  expect(GAME_PAGE_SIZE).toEqual({ centre: 35, search: 15, home: 9 });
});

it("[G7-05 G7-06 G7-10] a player's own lists are asked for by page, type, vendor and language, never with a token", async () => {
  const { client, queries, sent, asked } = createWorld();
  const filter = { gameType: "FISH", pageSize: 35 } as const;
  await client.fetchInfiniteQuery(queries.favourites("EN", filter));
  await client.fetchInfiniteQuery(queries.recentGames("EN", { ...filter, pageSize: 15 }));
  await client.fetchQuery(queries.favouriteIds());
  const ofVendor = { vendor: "PGE", pageSize: 35 };
  await client.fetchInfiniteQuery(queries.favourites("EN", ofVendor));
  await client.fetchInfiniteQuery(queries.recentGames("EN", { ...ofVendor, pageSize: 15 }));
  expect(asked()).toEqual([
    { pageNo: "1", pageSize: "35", gameType: "FISH", vendor: "", language: "EN" },
    { page: "1", pageSize: "15", gameType: "FISH", vendor: "", language: "EN", clientType: "2" },
    { pageNo: "1", pageSize: "100" },
    { pageNo: "1", pageSize: "35", gameType: "", vendor: "PGE", language: "EN" },
    { page: "1", pageSize: "15", gameType: "", vendor: "PGE", language: "EN", clientType: "2" },
  ]);
  expect(sent.map(String).join(" ")).not.toContain("storage-half");
});

it("[A3-23 A7-19] announcements are cached on the client, and a flush bypasses the cache", async () => {
  const { client, queries, asked } = createWorld();
  const home = { groupName: "m_home", platform: "M", merchantCode: "perya", language: "TY" };
  await client.fetchQuery(queries.announcements("TY"));
  await client.fetchQuery(queries.announcements("TY"));
  expect(asked()).toEqual([{ ...home, types: "H" }]);
  await client.fetchQuery(queries.promotions("TY"));
  await client.fetchQuery(queries.promotions("TY"));
  expect(asked()).toHaveLength(2);
  await client.fetchQuery(queries.promotions("TY", { flush: true }));
  expect(asked().slice(1)).toEqual([
    { ...home, types: "PR" },
    { ...home, types: "PR" },
  ]);
});

it("[G7-15] live models are asked for by active and streaming", async () => {
  const { client, screenQueries, asked } = createWorld();
  await client.fetchQuery(screenQueries.liveModels());
  expect(asked()).toEqual([{ active: "true", streaming: "true" }]);
});

it("[A7-23] the inbox is counted by a GET without payload, at most once in 250 ms", async () => {
  vi.useFakeTimers();
  try {
    const { client, queries, sent } = createWorld();
    const count = () => client.fetchQuery({ ...queries.inboxUnread(), staleTime: 0 });
    await count();
    const again = [count(), count()];
    await vi.advanceTimersByTimeAsync(249);
    expect(sent.map((url) => url.pathname + url.search)).toEqual(["/api/v1/inbox/unread"]);
    await vi.advanceTimersByTimeAsync(1);
    await Promise.all(again);
    expect(sent).toHaveLength(2);
    expect(INBOX_GAP_MS).toBe(250);
  } finally {
    vi.useRealTimers();
  }
});

it("[G2.7-22] a list has more to load exactly while its page is below its last one", () => {
  const { queries } = createWorld();
  const filter = { pageSize: 35 };
  const pages = [0, 1, 4, 5, 6, 7];
  const next = (of: (page: { pageNum: number; totalPages: number; games: [] }) => unknown) =>
    pages.map((pageNum) => of({ pageNum, totalPages: 6, games: [] }) ?? null);
  const games = queries.games("EN", filter);
  const listed = (page: { pageNum: number; totalPages: number; games: [] }) => ({
    ...page,
    totalCount: 0,
  });
  expect(next((page) => games.getNextPageParam(listed(page), [], 1, []))).toEqual([
    ...[1, 2, 5, 6, null, null],
  ]);
  for (const own of [queries.favourites("EN", filter), queries.recentGames("EN", filter)]) {
    expect(next((page) => own.getNextPageParam(page, [], 1, []))).toEqual([
      ...[1, 2, 5, 6, null, null],
    ]);
  }
});
