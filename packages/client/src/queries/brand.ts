import { MINUTE_MS } from "@perya/kernel/instant";
import type { Api } from "../api.ts";
import { readsOf } from "./reads.ts";

export function brandQueries(api: Api) {
  const read = readsOf(api);
  return {
    status: () => read("GET /api/v1/status", ["status"], 5 * MINUTE_MS),
  };
}
