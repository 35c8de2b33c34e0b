import type { ContractKind } from "@perya/contract/agents";
import { MINUTE_MS } from "@perya/kernel/instant";
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { Api } from "./api.ts";
import {
  APPLICATIONS_KEY,
  CONTRACTS_KEY,
  NOTICES_KEY,
  OWN_KEY,
  SPORTS_BETS_KEY,
  SPORTS_BOARD_KEY,
  type TransactionKind,
} from "./queries.ts";

const CONTRACT_CALLS = {
  daily: "GET /api/v1/agent/contract-requests/daily-salary",
  hourly: "GET /api/v1/agent/contract-requests/hourly-salary",
  dividend: "GET /api/v1/agent/contract-requests/dividend",
} as const;

/** Options for the queries of one screen or another, as `createQueries` for those of all. */
export function createScreenQueries({ call }: Api, merchantCode: () => string | undefined) {
  return {
    /** By what the brand's people are reached, for who looks for them. */
    serviceLink: () =>
      queryOptions({
        queryKey: ["service-link"],
        queryFn: async ({ signal }) => (await call("GET /api/v1/service-link", { signal })).version,
        staleTime: 5 * MINUTE_MS,
      }),
    domainRoutes: () =>
      queryOptions({
        queryKey: ["domain-routes"],
        queryFn: ({ signal }) =>
          call("GET /api/v1/domain-routes", { query: { device: "0" }, signal }),
        staleTime: 5 * MINUTE_MS,
      }),
    /** What a vendor has for the brand, whose code must be known by then. */
    vendorGameTypes: (vassalage: string) =>
      queryOptions({
        queryKey: ["games", "types", vassalage],
        queryFn: async ({ signal }) => {
          const query = { typeId: vassalage, merchant_code: merchantCode() ?? "" };
          return (await call("GET /api/v1/games/types", { query, signal })).gameTypes;
        },
        staleTime: 5 * MINUTE_MS,
      }),
    /** Who is on the air at live tables now. */
    liveModels: () =>
      queryOptions({
        queryKey: ["live-models"],
        queryFn: ({ signal }) => {
          const query = { active: "true", streaming: "true" } as const;
          return call("GET /api/v1/live-models", { query, signal });
        },
        staleTime: MINUTE_MS,
      }),
    game: (nodeId: number) =>
      queryOptions({
        queryKey: ["games", "one", nodeId],
        queryFn: ({ signal }) => call("GET /api/v1/games/{nodeId}", { params: { nodeId }, signal }),
        staleTime: 10 * MINUTE_MS,
      }),
    /** The player's own applications for promotions. */
    applications: (language: string) =>
      queryOptions({
        queryKey: [...APPLICATIONS_KEY, language],
        queryFn: async ({ signal }) =>
          (await call("GET /api/v1/promotions/applications", { signal })).list,
        staleTime: MINUTE_MS,
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
        staleTime: MINUTE_MS,
      }),
    /** What the brand tells its agents, with what was read of it. */
    agentNotices: (language: string) =>
      queryOptions({
        queryKey: [...NOTICES_KEY, "agents", language],
        queryFn: ({ signal }) => {
          const query = { types: "A", groupName: "m_home", merchantCode: merchantCode() } as const;
          return call("GET /api/v1/agent/announcements", { query, signal });
        },
        staleTime: MINUTE_MS,
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
        staleTime: MINUTE_MS,
      }),
    usernameAvailability: (username: string) =>
      queryOptions({
        queryKey: ["username-availability", username],
        queryFn: ({ signal }) =>
          call("GET /api/v1/auth/username-availability", { query: { username }, signal }),
        staleTime: MINUTE_MS,
        retry: false,
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
        staleTime: MINUTE_MS,
      }),
    externalAccounts: () =>
      queryOptions({
        queryKey: [OWN_KEY, "security", "external"],
        queryFn: ({ signal }) => call("GET /api/v1/member/external-accounts", { signal }),
        staleTime: MINUTE_MS,
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
        staleTime: 5 * MINUTE_MS,
      }),
    lotteryPopularGames: () =>
      queryOptions({
        queryKey: ["lottery", "popular-games"],
        queryFn: ({ signal }) => call("GET /api/v1/lottery/popular-games", { signal }),
        staleTime: 5 * MINUTE_MS,
      }),
    lotteryPopular: (gameCode: string) =>
      queryOptions({
        queryKey: ["lottery", "popular", gameCode],
        queryFn: ({ signal }) =>
          call("GET /api/v1/lottery/popular-numbers", { query: { gameCode }, signal }),
        staleTime: MINUTE_MS,
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
        staleTime: MINUTE_MS,
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
        staleTime: MINUTE_MS,
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
