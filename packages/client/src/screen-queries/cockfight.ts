import { queryOptions } from "@tanstack/react-query";
import type { Api } from "../api.ts";

export function cockfightQueries({ call }: Api) {
  return {
    /** A finished match, which never changes. */
    cockfightMatch: (id: string) =>
      queryOptions({
        queryKey: ["cockfight", "match", id],
        queryFn: ({ signal }) =>
          call("GET /api/v1/cockfight/matches/{id}", { params: { id }, signal }),
        staleTime: Number.POSITIVE_INFINITY,
      }),
  };
}
