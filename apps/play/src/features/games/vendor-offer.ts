import type { Reply } from "@perya/client/api";
import { listedAs } from "@perya/contract/game-lists";
import type { GameType } from "../../parts/games/game-types.ts";

export type VendorGameTypes = Reply<"GET /api/v1/games/types">["gameTypes"];

/** Selections that every list has (specification, games §2.7); empty is all. */
const SELECTIONS = ["", "NEW", "HOT", "FAV", "RECENT"] as const;

/**
 * A vendor's number of games by selection and classification, in the server's order, without the
 * player's favourites and recent games.
 */
export type VendorOffer = ReadonlyMap<string, number>;

export function offerOf(gameTypes: VendorGameTypes, gameType: GameType): VendorOffer {
  const offer = new Map<string, number>();
  const add = (key: string, count: number) => offer.set(key, (offer.get(key) ?? 0) + count);
  for (const one of gameTypes.filter((each) => listedAs(each.gameType) === listedAs(gameType))) {
    add("", one.gameCount);
    add("NEW", one.newCount);
    add("HOT", one.hotCount);
    for (const { key, gameCount } of one.gameClassify) add(key, gameCount);
  }
  return offer;
}

/** The panel's choices of these classifications: all, or those with games of the vendor. */
export function selectionsOf(offer: VendorOffer | undefined, classes: readonly string[]): string[] {
  const all = [...new Set([...SELECTIONS, ...classes])];
  if (offer === undefined) return all;
  return all.filter((one) => one === "" || !isCounted(one) || (offer.get(one) ?? 0) > 0);
}

/** The number of games of a choice in the panel; undefined where unknown. */
export function countOf(offer: VendorOffer | undefined, selection: string): number | undefined {
  return isCounted(selection) ? offer?.get(selection) : undefined;
}

function isCounted(selection: string): boolean {
  return selection !== "FAV" && selection !== "RECENT";
}

/** The types that the list centre offers beside a vendor: those of its games. */
export function typesWithGames(gameTypes: VendorGameTypes): GameType[] {
  const some = gameTypes.filter(({ gameCount }) => gameCount > 0);
  return [...new Set(some.map(({ gameType }) => listedAs(gameType)))];
}
