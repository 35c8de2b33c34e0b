import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { Api, Query } from "../api.ts";
import { OWN_KEY } from "../own-key.ts";
import { cursor, keyset } from "./keyset-pages.ts";

export type TransactionKind = NonNullable<Query<"GET /api/v1/transactions">["kind"]>;

export function recordQueries({ call }: Api) {
  return {
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
