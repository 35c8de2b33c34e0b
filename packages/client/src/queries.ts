import type { ContractKind } from "@perya/contract/agents";
import type { AnyCallKey } from "@perya/contract/calls";
import type { GameType } from "@perya/contract/catalogue";
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

const OWN_CALL = { vendor: "", clientType: "2" } as const;

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

const MINUTE = 60_000;
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
const CONTRACT_CALLS = {
  daily: "GET /api/v1/agent/contract-requests/daily-salary",
  hourly: "GET /api/v1/agent/contract-requests/hourly-salary",
  dividend: "GET /api/v1/agent/contract-requests/dividend",
} as const;
/** Of home: promotions are long, and asked for by who shows them. */
const HOME_TYPES = "H";

export interface OwnGameFilter {
  readonly gameType?: GameType;
  readonly vendor?: string;
  readonly pageSize: number;
}

interface OwnGamePage {
  readonly pageNum: number;
  readonly totalPages: number;
}

const ownPages = {
  initialPageParam: 1,
  getNextPageParam: ({ pageNum, totalPages }: OwnGamePage) =>
    pageNum < totalPages ? pageNum + 1 : undefined,
};

/**
 * Options for every query of the player app; `language` is part of the key of what the server
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
        staleTime: 5 * MINUTE,
      }),
    /** By what the brand's people are reached, for who looks for them. */
    serviceLink: () =>
      queryOptions({
        queryKey: ["service-link"],
        queryFn: async ({ signal }) => (await call("GET /api/v1/service-link", { signal })).version,
        staleTime: 5 * MINUTE,
      }),
    domainRoutes: () =>
      queryOptions({
        queryKey: ["domain-routes"],
        queryFn: ({ signal }) =>
          call("GET /api/v1/domain-routes", { query: { device: "0" }, signal }),
        staleTime: 5 * MINUTE,
      }),
    vendors: (language: string) =>
      queryOptions({
        queryKey: ["vendors", language],
        queryFn: ({ signal }) => call("GET /api/v1/vendors", { query: { language }, signal }),
        staleTime: 10 * MINUTE,
      }),
    /** What a vendor has for the brand, whose code must be known by then. */
    vendorGameTypes: (vassalage: string) =>
      queryOptions({
        queryKey: ["games", "types", vassalage],
        queryFn: async ({ signal }) => {
          const query = { typeId: vassalage, merchant_code: merchantCode() ?? "" };
          return (await call("GET /api/v1/games/types", { query, signal })).gameTypes;
        },
        staleTime: 5 * MINUTE,
      }),
    hot: (language: string) =>
      queryOptions({
        queryKey: ["games", "hot", language],
        queryFn: ({ signal }) =>
          call("GET /api/v1/games/hot", {
            query: { isPlatform: "2", platform: "html5", language, merchantCode: merchantCode() },
            signal,
          }),
        staleTime: 5 * MINUTE,
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
        initialPageParam: firstPage,
        getNextPageParam: ({ pageNum, totalPages }) =>
          pageNum < totalPages ? pageNum + 1 : undefined,
        placeholderData: keepPreviousData,
        staleTime: 5 * MINUTE,
      }),
    /** Who is on the air at live tables now. */
    liveModels: () =>
      queryOptions({
        queryKey: ["live-models"],
        queryFn: ({ signal }) => {
          const query = { active: "true", streaming: "true" } as const;
          return call("GET /api/v1/live-models", { query, signal });
        },
        staleTime: MINUTE,
      }),
    game: (nodeId: number) =>
      queryOptions({
        queryKey: ["games", "one", nodeId],
        queryFn: ({ signal }) => call("GET /api/v1/games/{nodeId}", { params: { nodeId }, signal }),
        staleTime: 10 * MINUTE,
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
        staleTime: 5 * MINUTE,
      }),
    /** The banners of the list centre, one a game type. */
    listBanners: (language: string) =>
      queryOptions({
        queryKey: ["announcements", "lists", language],
        queryFn: async ({ signal }) => {
          const query = { ...home(), groupName: "m_game", language, types: "B" } as const;
          return (await call("GET /api/v1/announcements", { query, signal })).banners;
        },
        staleTime: 10 * MINUTE,
      }),
    /** `flush` asks anew whatever is cached. */
    promotions: (language: string, { flush = false } = {}) =>
      queryOptions({
        queryKey: ["announcements", "promotions", language],
        queryFn: async ({ signal }) => {
          const query = { ...home(), language, types: "PR" };
          return (await call("GET /api/v1/announcements", { query, signal })).promotion;
        },
        staleTime: flush ? 0 : 5 * MINUTE,
      }),
    /** The player's own applications for promotions. */
    applications: (language: string) =>
      queryOptions({
        queryKey: [...APPLICATIONS_KEY, language],
        queryFn: async ({ signal }) =>
          (await call("GET /api/v1/promotions/applications", { signal })).list,
        staleTime: MINUTE,
      }),
    redRain: () =>
      queryOptions({
        queryKey: [OWN_KEY, "red-rain"],
        queryFn: ({ signal }) => call("GET /api/v1/red-rain", { signal }),
        staleTime: 0,
      }),
    /** A picture of the player's own as an address of its own bytes; it never changes. */
    sentPicture: (id: string) =>
      queryOptions({
        queryKey: [OWN_KEY, "sent-picture", id],
        queryFn: async ({ signal }) => {
          const key = "GET /api/v1/promotions/uploads/{id}";
          const { type, data } = await call(key, { params: { id }, signal });
          return `data:${type};base64,${data}`;
        },
        staleTime: Number.POSITIVE_INFINITY,
      }),
    notices: (language: string) =>
      queryOptions({
        queryKey: [...NOTICES_KEY, language],
        queryFn: ({ signal }) => call("GET /api/v1/notices", { signal }),
        staleTime: MINUTE,
      }),
    /** What waits in the player's inbox; not for free play to ask (games §6). */
    inboxUnread: () =>
      queryOptions({ queryKey: INBOX_UNREAD_KEY, queryFn: countInbox, staleTime: MINUTE }),
    /** What the brand tells its agents, with what was read of it. */
    agentNotices: (language: string) =>
      queryOptions({
        queryKey: [...NOTICES_KEY, "agents", language],
        queryFn: ({ signal }) => {
          const query = { types: "A", groupName: "m_home", merchantCode: merchantCode() } as const;
          return call("GET /api/v1/agent/announcements", { query, signal });
        },
        staleTime: MINUTE,
      }),
    /** Which kinds of contract wait for the agent's word; asked for once a visit (games §2.9). */
    contractInfo: () =>
      queryOptions({
        queryKey: [...CONTRACTS_KEY, "info"],
        queryFn: ({ signal }) => call("GET /api/v1/agent/contract-info", { signal }),
        staleTime: Number.POSITIVE_INFINITY,
      }),
    contractRequests: (kind: ContractKind) =>
      queryOptions({
        queryKey: [...CONTRACTS_KEY, kind],
        queryFn: async ({ signal }) => (await call(CONTRACT_CALLS[kind], { signal })).list,
        staleTime: 0,
      }),
    /** What pops up after a log-in. */
    loginPopups: (language: string) =>
      queryOptions({
        queryKey: [OWN_KEY, "login-popups", language],
        queryFn: ({ signal }) => call("GET /api/v1/announcements/popular", { signal }),
        staleTime: 5 * MINUTE,
      }),
    /** Each switch of language reads the entries anew (accounts §2.12). */
    help: (language: string) =>
      queryOptions({
        queryKey: ["help", language],
        queryFn: ({ signal }) => call("GET /api/v1/help", { query: { lang: language }, signal }),
        placeholderData: keepPreviousData,
        staleTime: 0,
        refetchOnWindowFocus: false,
      }),
    winners: () =>
      queryOptions({
        queryKey: ["winners"],
        queryFn: ({ signal }) => call("GET /api/v1/winners", { signal }),
        staleTime: MINUTE,
      }),
    registerSettings: () =>
      queryOptions({
        queryKey: ["register-settings"],
        queryFn: ({ signal }) => call("GET /api/v1/auth/register-settings", { signal }),
        staleTime: 10 * MINUTE,
      }),
    usernameAvailability: (username: string) =>
      queryOptions({
        queryKey: ["username-availability", username],
        queryFn: ({ signal }) =>
          call("GET /api/v1/auth/username-availability", { query: { username }, signal }),
        staleTime: MINUTE,
        retry: false,
      }),
    wallet: () =>
      queryOptions({
        queryKey: WALLET_KEY,
        queryFn: ({ signal }) => call("GET /api/v1/member/wallet", { signal }),
        staleTime: MINUTE,
      }),
    memberInfo: () =>
      queryOptions({
        queryKey: [OWN_KEY, "info"],
        queryFn: ({ signal }) => call("GET /api/v1/member/info", { signal }),
        staleTime: 5 * MINUTE,
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
        staleTime: 5 * MINUTE,
      }),
    favourites: (language: string, filter: OwnGameFilter) =>
      infiniteQueryOptions({
        queryKey: [...FAVOURITES_KEY, language, filter],
        queryFn: async ({ pageParam, signal }) => {
          const query = { vendor: "", ...filter, pageNo: pageParam, language };
          const page = await call("GET /api/v1/member/favourites", { query, signal });
          return { games: page.content, pageNum: pageParam, totalPages: page.totalPages };
        },
        ...ownPages,
        staleTime: MINUTE,
      }),
    recentGames: (language: string, filter: OwnGameFilter) =>
      infiniteQueryOptions({
        queryKey: [...RECENT_GAMES_KEY, language, filter],
        queryFn: async ({ pageParam, signal }) => {
          const query = { ...OWN_CALL, ...filter, page: pageParam, language };
          const page = await call("GET /api/v1/member/recent-games", { query, signal });
          return { games: page.list, pageNum: pageParam, totalPages: page.totalPages };
        },
        ...ownPages,
        // Another game may have been opened since.
        staleTime: 0,
      }),
    invitation: () =>
      queryOptions({
        queryKey: [OWN_KEY, "invitation"],
        queryFn: ({ signal }) => call("GET /api/v1/member/invitation", { signal }),
        staleTime: Number.POSITIVE_INFINITY,
      }),
    security: () =>
      queryOptions({
        queryKey: [OWN_KEY, "security"],
        queryFn: ({ signal }) => call("GET /api/v1/member/security", { signal }),
        staleTime: MINUTE,
      }),
    externalAccounts: () =>
      queryOptions({
        queryKey: [OWN_KEY, "security", "external"],
        queryFn: ({ signal }) => call("GET /api/v1/member/external-accounts", { signal }),
        staleTime: MINUTE,
      }),
    sessions: () =>
      queryOptions({
        queryKey: [OWN_KEY, "security", "sessions"],
        queryFn: ({ signal }) => call("GET /api/v1/member/sessions", { signal }),
        // Another device may have logged in since.
        staleTime: 0,
      }),
    logins: () =>
      infiniteQueryOptions({
        queryKey: [OWN_KEY, "security", "logins"],
        queryFn: ({ pageParam, signal }) =>
          call("GET /api/v1/member/logins", { query: cursor(pageParam), signal }),
        ...keyset,
        staleTime: 0,
      }),
    /** The menus of lotteries stand under the keys that the specification keeps them by (games §7). */
    lotteryMenu: (prizeMode: LotteryMenu) =>
      queryOptions({
        queryKey: [MENU_KEYS[prizeMode]],
        queryFn: ({ signal }) =>
          call("GET /api/v1/lottery/menus", { query: { prizeMode }, signal }),
        staleTime: 5 * MINUTE,
      }),
    lotteryList: () =>
      queryOptions({
        queryKey: ["lottery", "list"],
        queryFn: ({ signal }) => call("GET /api/v1/lottery/list", { signal }),
        staleTime: 0,
      }),
    lotteryVietnam: () =>
      queryOptions({
        queryKey: ["lottery", "vietnam"],
        queryFn: ({ signal }) => call("GET /api/v1/lottery/vietnam", { signal }),
        staleTime: 5 * MINUTE,
      }),
    lotteryPopularGames: () =>
      queryOptions({
        queryKey: ["lottery", "popular-games"],
        queryFn: ({ signal }) => call("GET /api/v1/lottery/popular-games", { signal }),
        staleTime: 5 * MINUTE,
      }),
    lotteryPopular: (gameCode: string) =>
      queryOptions({
        queryKey: ["lottery", "popular", gameCode],
        queryFn: ({ signal }) =>
          call("GET /api/v1/lottery/popular-numbers", { query: { gameCode }, signal }),
        staleTime: MINUTE,
      }),
    lotteryNumero: (gameCode: string) =>
      queryOptions({
        queryKey: ["lottery", "numero", gameCode],
        queryFn: ({ signal }) =>
          call("GET /api/v1/lottery/numero", { query: { gameCode }, signal }),
      }),
    lotteryDraws: (gameCode: string) =>
      infiniteQueryOptions({
        queryKey: ["lottery", "draws", gameCode],
        queryFn: ({ pageParam, signal }) =>
          call("GET /api/v1/lottery/draws", {
            query: { ...cursor(pageParam), gameCode },
            signal,
          }),
        ...keyset,
      }),
    /** Of a match that is over, so it never changes. */
    cockfightMatch: (id: string) =>
      queryOptions({
        queryKey: ["cockfight", "match", id],
        queryFn: ({ signal }) =>
          call("GET /api/v1/cockfight/matches/{id}", { params: { id }, signal }),
        staleTime: Number.POSITIVE_INFINITY,
      }),
    lotteryWinners: () =>
      queryOptions({
        queryKey: ["lottery", "winners"],
        queryFn: ({ signal }) => call("GET /api/v1/lottery/winners", { signal }),
        staleTime: MINUTE,
      }),
    lotteryTickets: () =>
      infiniteQueryOptions({
        queryKey: [OWN_KEY, "lottery", "tickets"],
        queryFn: ({ pageParam, signal }) =>
          call("GET /api/v1/lottery/tickets", { query: cursor(pageParam), signal }),
        ...keyset,
      }),
    /** As it stood when it was asked for; the channel of sports keeps it. */
    sportsBoard: () =>
      queryOptions({
        queryKey: SPORTS_BOARD_KEY,
        queryFn: ({ signal }) => call("GET /api/v1/sports/board", { signal }),
        staleTime: 0,
      }),
    sportsResults: (sport: "football" | "esports") =>
      infiniteQueryOptions({
        queryKey: ["sports", "results", sport],
        queryFn: ({ pageParam, signal }) =>
          call("GET /api/v1/sports/results", { query: { ...cursor(pageParam), sport }, signal }),
        ...keyset,
      }),
    sportsBets: () =>
      infiniteQueryOptions({
        queryKey: SPORTS_BETS_KEY,
        queryFn: ({ pageParam, signal }) =>
          call("GET /api/v1/sports/bets", { query: cursor(pageParam), signal }),
        ...keyset,
      }),
    cashierMethods: () =>
      queryOptions({
        queryKey: [OWN_KEY, "cashier", "methods"],
        queryFn: ({ signal }) => call("GET /api/v1/cashier/methods", { signal }),
        staleTime: MINUTE,
      }),
    deposits: () =>
      infiniteQueryOptions({
        queryKey: [OWN_KEY, "cashier", "deposits"],
        queryFn: ({ pageParam, signal }) =>
          call("GET /api/v1/cashier/deposits", { query: cursor(pageParam), signal }),
        ...keyset,
      }),
    deposit: (id: string) =>
      queryOptions({
        queryKey: [OWN_KEY, "cashier", "deposit", id],
        queryFn: ({ signal }) =>
          call("GET /api/v1/cashier/deposits/{id}", { params: { id }, signal }),
      }),
    withdrawals: () =>
      infiniteQueryOptions({
        queryKey: [OWN_KEY, "cashier", "withdrawals"],
        queryFn: ({ pageParam, signal }) =>
          call("GET /api/v1/cashier/withdrawals", { query: cursor(pageParam), signal }),
        ...keyset,
      }),
    withdrawal: (id: string) =>
      queryOptions({
        queryKey: [OWN_KEY, "cashier", "withdrawal", id],
        queryFn: ({ signal }) =>
          call("GET /api/v1/cashier/withdrawals/{id}", { params: { id }, signal }),
      }),
    transactions: (kind: TransactionKind) =>
      infiniteQueryOptions({
        queryKey: [OWN_KEY, "transactions", kind],
        queryFn: ({ pageParam, signal }) =>
          call("GET /api/v1/transactions", { query: { ...cursor(pageParam), kind }, signal }),
        ...keyset,
      }),
    gameRecords: (gameId?: string) =>
      infiniteQueryOptions({
        queryKey: [OWN_KEY, "game-records", gameId ?? ""],
        queryFn: ({ pageParam, signal }) =>
          call("GET /api/v1/game-records", {
            query: { ...cursor(pageParam), ...(gameId === undefined ? {} : { gameId }) },
            signal,
          }),
        ...keyset,
      }),
    round: (id: string) =>
      queryOptions({
        queryKey: [OWN_KEY, "round", id],
        queryFn: ({ signal }) => call("GET /api/v1/rounds/{id}", { params: { id }, signal }),
      }),
  };
}

interface KeysetPage {
  readonly nextCursor: string | null;
}

const keyset = {
  initialPageParam: "",
  getNextPageParam: (page: KeysetPage) => page.nextCursor ?? undefined,
};

function cursor(pageParam: string) {
  return pageParam === "" ? {} : { cursor: pageParam };
}

export type ItemOf<K extends AnyCallKey> =
  Reply<K> extends { items: readonly (infer Item)[] } ? Item : never;
