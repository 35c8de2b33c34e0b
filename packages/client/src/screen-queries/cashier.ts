import { MINUTE_MS } from "@perya/kernel/instant";
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { Api } from "../api.ts";
import { OWN_KEY } from "../own-key.ts";
import { cursor, keyset } from "./keyset-pages.ts";

export function cashierQueries({ call }: Api) {
  return {
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
  };
}
