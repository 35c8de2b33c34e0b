import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { Api } from "../api.ts";
import { OWN_KEY } from "../own-key.ts";
import { cursor, keyset } from "./keyset-pages.ts";

export const SPORTS_BOARD_KEY = ["sports", "board"] as const;
export const SPORTS_BETS_KEY = [OWN_KEY, "sports", "bets"] as const;

export function sportsQueries({ call }: Api) {
  return {
    /** The board when it was asked for; the channel of sports keeps it up to date. */
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
  };
}
