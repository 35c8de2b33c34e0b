import { MINUTE_MS } from "@perya/kernel/instant";
import { queryOptions } from "@tanstack/react-query";
import type { Api } from "../api.ts";
import { OWN_KEY } from "../own-key.ts";
import { readsOf } from "../queries/reads.ts";

export const APPLICATIONS_KEY = [OWN_KEY, "applications"] as const;

export function promotionQueries(api: Api) {
  const { call } = api;
  const read = readsOf(api);
  return {
    applications: (language: string) =>
      queryOptions({
        queryKey: [...APPLICATIONS_KEY, language],
        queryFn: async ({ signal }) =>
          (await call("GET /api/v1/promotions/applications", { signal })).list,
        staleTime: MINUTE_MS,
      }),
    /** A player's own picture as an address of its own bytes; it never changes. */
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
    redRain: () => read("GET /api/v1/red-rain", [OWN_KEY, "red-rain"], 0),
  };
}
