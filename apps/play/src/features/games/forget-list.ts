import type { GameFilter } from "@perya/client/queries/catalogue";
import type { PlayerGameFilter } from "@perya/client/queries/player-games";
import { queries, queryClient } from "../../shell/server.ts";

/** A list by its tab, and what it asks the server for; the hot games are kept, and ask for nothing. */
export type ListAsked =
  | { readonly tab: "all" | "filter"; readonly filter: GameFilter }
  | { readonly tab: "fav" | "recent"; readonly filter: PlayerGameFilter }
  | { readonly tab: "hot" };

/**
 * A list that is chosen begins empty and loads again, however lately it was read (games §2.7, §2.8);
 * on the way back to it, it stands as it was left.
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
