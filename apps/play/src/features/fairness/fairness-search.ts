import { type Given, ID_MAX } from "../../shell/search-fields.ts";

export function readFairnessSearch({ round }: Given): { round?: string } {
  return typeof round === "string" ? { round: round.slice(0, ID_MAX) } : {};
}
