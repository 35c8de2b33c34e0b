import { OWN_KEY } from "@perya/client/queries";
import { queryOptions } from "@tanstack/react-query";
import { api } from "../../shell/server.ts";

export const SEED_KEY = [OWN_KEY, "fairness", "seed"] as const;

/** The player's current seed pair. */
export function seedQuery() {
  return queryOptions({
    queryKey: SEED_KEY,
    queryFn: ({ signal }) => api.call("GET /api/v1/fairness/seed", { signal }),
  });
}
