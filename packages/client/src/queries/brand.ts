import { MINUTE_MS } from "@perya/kernel/instant";
import { queryOptions } from "@tanstack/react-query";
import type { Api } from "../api.ts";

export function brandQueries({ call }: Api) {
  return {
    status: () =>
      queryOptions({
        queryKey: ["status"],
        queryFn: ({ signal }) => call("GET /api/v1/status", { signal }),
        staleTime: 5 * MINUTE_MS,
      }),
  };
}
