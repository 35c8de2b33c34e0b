import { MINUTE_MS } from "@perya/kernel/instant";
import { queryOptions } from "@tanstack/react-query";
import type { Api } from "../api.ts";
import { readsOf } from "../queries/reads.ts";

export function gameQueries(api: Api, merchantCode: () => string | undefined) {
  const { call } = api;
  const read = readsOf(api);
  return {
    game: (nodeId: number) =>
      read("GET /api/v1/games/{nodeId}", ["games", "one", nodeId], 10 * MINUTE_MS, {
        params: { nodeId },
      }),
    /** A vendor's game types for the brand, whose code must be known by then. */
    vendorGameTypes: (vassalage: string) =>
      queryOptions({
        queryKey: ["games", "types", vassalage],
        queryFn: async ({ signal }) => {
          const query = { typeId: vassalage, merchant_code: merchantCode() ?? "" };
          return (await call("GET /api/v1/games/types", { query, signal })).gameTypes;
        },
        staleTime: 5 * MINUTE_MS,
      }),
    /** The dealers on the air at live tables now. */
    liveModels: () =>
      queryOptions({
        queryKey: ["live-models"],
        queryFn: ({ signal }) => {
          const query = { active: "true", streaming: "true" } as const;
          return call("GET /api/v1/live-models", { query, signal });
        },
        staleTime: MINUTE_MS,
      }),
    winners: () => read("GET /api/v1/winners", ["winners"], MINUTE_MS),
  };
}
