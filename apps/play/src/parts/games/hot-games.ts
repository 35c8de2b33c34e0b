import { useQuery } from "@tanstack/react-query";
import { queries } from "../../shell/server.ts";
import { useSettledLanguage } from "../browser/use-debounced.ts";

/** The one store of hot games, which every list of them reads; loaded again with the language. */
export function useHotGames() {
  return useQuery(queries.hot(useSettledLanguage()));
}
