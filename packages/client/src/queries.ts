import type { AnyCallKey } from "@perya/contract/calls";
import type { GameType } from "@perya/contract/catalogue";
import { MINUTE_MS } from "@perya/kernel/instant";
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { Api, Query, Reply } from "./api.ts";
import { throttled } from "./throttled.ts";

export const GAME_PAGE_SIZE = { centre: 35, search: 15, home: 9 } as const;

/** What every list call says besides its filter (games §7). */
const LIST_CALL = {
  platform: "html5",
  gameName: "",
  vassalage: "",
  gameClassify: "",
  minBet: "",
  minLine: "",
  isNew: "",
  clientType: "2",
} as const;

const OWN_CALL = { gameType: "", vendor: "" } as const;

export interface GameFilter {
  readonly gameName?: string;
  readonly gameType?: GameType;
  readonly vassalage?: string;
  readonly gameClassify?: string;
  readonly minBet?: string;
  readonly isNew?: "" | "0" | "1";
  readonly pageSize: number;
}

export type GamePage = Reply<"GET /api/v1/games">;
export type TransactionKind = NonNullable<Query<"GET /api/v1/transactions">["kind"]>;

/** Everything of one player's own stands below this key, so that it goes with the session. */
export const OWN_KEY = "own";
export const WALLET_KEY = [OWN_KEY, "wallet"] as const;

export const FAVOURITE_IDS_KEY = [OWN_KEY, "favourite-ids"] as const;
export const FAVOURITES_KEY = [OWN_KEY, "favourites"] as const;
export const RECENT_GAMES_KEY = [OWN_KEY, "recent-games"] as const;
const FAVOURITE_IDS_SIZE = 100;

/** Contracts that are offered to the agent, and which of them wait. */
export const CONTRACTS_KEY = [OWN_KEY, "contracts"] as const;
export const APPLICATIONS_KEY = [OWN_KEY, "applications"] as const;
/** Notices stand with what this player has read of them. */
export const NOTICES_KEY = [OWN_KEY, "notices"] as const;
export const INBOX_UNREAD_KEY = [OWN_KEY, "inbox-unread"] as const;
/** The inbox is counted no oftener than this, whoever asks (accounts §9). */
export const INBOX_GAP_MS = 250;
export const SPORTS_BOARD_KEY = ["sports", "board"] as const;
export const SPORTS_BETS_KEY = [OWN_KEY, "sports", "bets"] as const;
/** Prize modes that have a menu, and the names that the browser keeps each under (games §7). */
const MENU_KEYS = { LOTT: "lottList", ELOTT: "elottList", SEA: "getGameLotts" } as const;
export const LOTTERY_MENUS = ["LOTT", "ELOTT", "SEA"] as const;
export type LotteryMenu = (typeof LOTTERY_MENUS)[number];
/** Of home: promotions are long, and asked for by who shows them. */
const HOME_TYPES = "H";

export interface PlayerGameFilter {
  readonly gameType?: GameType;
  readonly vendor?: string;
  readonly pageSize: number;
}

interface NumberedPage {
  readonly pageNum: number;
  readonly totalPages: number;
}

const numberedPages = (firstPage: number) => ({
  initialPageParam: firstPage,
  getNextPageParam: ({ pageNum, totalPages }: NumberedPage) =>
    pageNum < totalPages ? pageNum + 1 : undefined,
});

/**
 * Options for the queries that any screen makes, and home; the rest are in `screen-queries.ts`, so
 * that no first visit waits for them. `language` is part of the key of what the server
 * answers in words, so a switch of language loads them anew. `merchantCode` answers the brand's,
 * once it is known.
 */
export function createQueries({ call }: Api, merchantCode: () => string | undefined) {
  const home = () =>
    ({ groupName: "m_home", platform: "M", merchantCode: merchantCode() }) as const;
  const countInbox = throttled(INBOX_GAP_MS, () => call("GET /api/v1/inbox/unread"));
  return {
    status: () =>
      queryOptions({
        queryKey: ["status"],
        queryFn: ({ signal }) => call("GET /api/v1/status", { signal }),
        staleTime: 5 * MINUTE_MS,
      }),
    vendors: (language: string) =>
      queryOptions({
        queryKey: ["vendors", language],
        queryFn: ({ signal }) => call("GET /api/v1/vendors", { query: { language }, signal }),
        staleTime: 10 * MINUTE_MS,
      }),
    hot: (language: string) =>
      queryOptions({
        queryKey: ["games", "hot", language],
        queryFn: ({ signal }) =>
          call("GET /api/v1/games/hot", {
            query: { isPlatform: "2", platform: "html5", language, merchantCode: merchantCode() },
            signal,
          }),
        staleTime: 5 * MINUTE_MS,
      }),
    /** Pages from `firstPage` on: `fetchNextPage` appends, another `firstPage` replaces. */
    games: (language: string, filter: GameFilter, firstPage = 1) =>
      infiniteQueryOptions({
        queryKey: ["games", "list", language, filter, firstPage],
        queryFn: ({ pageParam, signal }) =>
          call("GET /api/v1/games", {
            query: {
              ...LIST_CALL,
              ...filter,
              merchant: merchantCode(),
              pageNo: pageParam,
              language,
            },
            signal,
          }),
        ...numberedPages(firstPage),
        placeholderData: keepPreviousData,
        staleTime: 5 * MINUTE_MS,
      }),
    /** What home shows but for its promotions. */
    announcements: (language: string) =>
      queryOptions({
        queryKey: ["announcements", language],
        queryFn: ({ signal }) =>
          call("GET /api/v1/announcements", {
            query: { ...home(), language, types: HOME_TYPES },
            signal,
          }),
        staleTime: 5 * MINUTE_MS,
      }),
    /** The banners of the list centre, one a game type. */
    listBanners: (language: string) =>
      queryOptions({
        queryKey: ["announcements", "lists", language],
        queryFn: async ({ signal }) => {
          const query = { ...home(), groupName: "m_game", language, types: "B" } as const;
          return (await call("GET /api/v1/announcements", { query, signal })).banners;
        },
        staleTime: 10 * MINUTE_MS,
      }),
    /** `flush` asks anew whatever is cached. */
    promotions: (language: string, { flush = false } = {}) =>
      queryOptions({
        queryKey: ["announcements", "promotions", language],
        queryFn: async ({ signal }) => {
          const query = { ...home(), language, types: "PR" };
          return (await call("GET /api/v1/announcements", { query, signal })).promotion;
        },
        staleTime: flush ? 0 : 5 * MINUTE_MS,
      }),
    /** What waits in the player's inbox; not for free play to ask (games §6). */
    inboxUnread: () =>
      queryOptions({ queryKey: INBOX_UNREAD_KEY, queryFn: countInbox, staleTime: MINUTE_MS }),
    /** What pops up after a log-in. */
    loginPopups: (language: string) =>
      queryOptions({
        queryKey: [OWN_KEY, "login-popups", language],
        queryFn: ({ signal }) => call("GET /api/v1/announcements/popular", { signal }),
        staleTime: 5 * MINUTE_MS,
      }),
    wallet: () =>
      queryOptions({
        queryKey: WALLET_KEY,
        queryFn: async ({ signal, client }) => {
          const shown = () => client.getQueryData<Reply<"GET /api/v1/member/wallet">>(WALLET_KEY);
          const before = shown()?.version;
          const wallet = await call("GET /api/v1/member/wallet", { signal });
          // One that came over the socket meanwhile may be newer.
          const now = shown();
          return now && now.version !== before && now.version > wallet.version ? now : wallet;
        },
        staleTime: MINUTE_MS,
      }),
    memberInfo: () =>
      queryOptions({
        queryKey: [OWN_KEY, "info"],
        queryFn: ({ signal }) => call("GET /api/v1/member/info", { signal }),
        staleTime: 5 * MINUTE_MS,
      }),
    /** Node ids of all favourites, a hundred a request (games §7). */
    favouriteIds: () =>
      queryOptions({
        queryKey: FAVOURITE_IDS_KEY,
        queryFn: async ({ signal }) => {
          const ids: number[] = [];
          for (let pageNo = 1; ids.length === (pageNo - 1) * FAVOURITE_IDS_SIZE; pageNo++) {
            const query = { pageNo, pageSize: FAVOURITE_IDS_SIZE };
            const { list } = await call("GET /api/v1/member/favourite-ids", { query, signal });
            ids.push(...list);
          }
          return ids;
        },
        staleTime: 5 * MINUTE_MS,
      }),
    /** Pages as those of `games`. */
    favourites: (language: string, filter: PlayerGameFilter, firstPage = 1) =>
      infiniteQueryOptions({
        queryKey: [...FAVOURITES_KEY, language, filter, firstPage],
        queryFn: async ({ pageParam, signal }) => {
          const query = { ...OWN_CALL, ...filter, pageNo: pageParam, language };
          const page = await call("GET /api/v1/member/favourites", { query, signal });
          return { games: page.content, pageNum: pageParam, totalPages: page.totalPages };
        },
        ...numberedPages(firstPage),
        staleTime: MINUTE_MS,
      }),
    /** Pages as those of `games`. */
    recentGames: (language: string, filter: PlayerGameFilter, firstPage = 1) =>
      infiniteQueryOptions({
        queryKey: [...RECENT_GAMES_KEY, language, filter, firstPage],
        queryFn: async ({ pageParam, signal }) => {
          const query = {
            ...OWN_CALL,
            ...filter,
            clientType: "2",
            page: pageParam,
            language,
          } as const;
          const page = await call("GET /api/v1/member/recent-games", { query, signal });
          return { games: page.list, pageNum: pageParam, totalPages: page.totalPages };
        },
        ...numberedPages(firstPage),
        // Another game may have been opened since.
        staleTime: 0,
      }),
    /** The menus of lotteries stand under the keys that the specification keeps them by (games §7). */
    lotteryMenu: (prizeMode: LotteryMenu) =>
      queryOptions({
        queryKey: [MENU_KEYS[prizeMode]],
        queryFn: ({ signal }) =>
          call("GET /api/v1/lottery/menus", { query: { prizeMode }, signal }),
        staleTime: 5 * MINUTE_MS,
      }),
  };
}

export type ItemOf<K extends AnyCallKey> =
  Reply<K> extends { items: readonly (infer Item)[] } ? Item : never;
