import { MINUTE_MS } from "@perya/kernel/instant";
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { Api } from "../api.ts";
import { OWN_KEY } from "../own-key.ts";
import { cursor, keyset } from "./keyset-pages.ts";

export function lotteryQueries({ call }: Api) {
  return {
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
  };
}
