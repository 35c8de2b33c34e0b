import type { Api } from "../api.ts";
import { readsOf } from "../queries/reads.ts";

export function cockfightQueries(api: Api) {
  const read = readsOf(api);
  return {
    /** A finished match, which never changes. */
    cockfightMatch: (id: string) =>
      read(
        "GET /api/v1/cockfight/matches/{id}",
        ["cockfight", "match", id],
        Number.POSITIVE_INFINITY,
        { params: { id } },
      ),
  };
}
