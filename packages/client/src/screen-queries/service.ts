import { MINUTE_MS } from "@perya/kernel/instant";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { Api } from "../api.ts";
import { readsOf } from "../queries/reads.ts";

export function serviceQueries(api: Api) {
  const { call } = api;
  const read = readsOf(api);
  return {
    /** The brand's contacts, for a player who looks for them. */
    serviceLink: () =>
      queryOptions({
        queryKey: ["service-link"],
        queryFn: async ({ signal }) => (await call("GET /api/v1/service-link", { signal })).version,
        staleTime: 5 * MINUTE_MS,
      }),
    domainRoutes: () =>
      read("GET /api/v1/domain-routes", ["domain-routes"], 5 * MINUTE_MS, {
        query: { device: "0" },
      }),
    /** Each switch of language reads the entries again (accounts §2.12). */
    help: (language: string) =>
      queryOptions({
        queryKey: ["help", language],
        queryFn: ({ signal }) => call("GET /api/v1/help", { query: { lang: language }, signal }),
        placeholderData: keepPreviousData,
        staleTime: 0,
        refetchOnWindowFocus: false,
      }),
  };
}
