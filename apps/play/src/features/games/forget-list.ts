import type { GameFilter } from "@perya/client/queries/catalogue";
import type { PlayerGameFilter } from "@perya/client/queries/player-games";
import { queries, queryClient } from "../../shell/server.ts";

/** A list by its tab, with its request; the hot games are stored and need no request. */
export type ListAsked =
  | { readonly tab: "all" | "filter"; readonly filter: GameFilter }
  | { readonly tab: "fav" | "recent"; readonly filter: PlayerGameFilter }
  | { readonly tab: "hot" };

/**
 * A chosen list begins empty and loads again, however fresh it is (games §2.7, §2.8). The way back
 * to it shows it as it was left.
 */
export function forgetList(language: string, asked: ListAsked): void {
  if (asked.tab === "hot") return;
  queryClient.removeQueries({ queryKey: keyOf(language, asked), exact: true });
}

function keyOf(language: string, asked: Exclude<ListAsked, { tab: "hot" }>) {
  if (asked.tab === "fav") return queries.favourites(language, asked.filter).queryKey;
  if (asked.tab === "recent") return queries.recentGames(language, asked.filter).queryKey;
  return queries.games(language, asked.filter).queryKey;
}
