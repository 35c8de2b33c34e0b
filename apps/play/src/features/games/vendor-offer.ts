import type { Reply } from "@perya/client/api";
import { listedAs } from "@perya/contract/game-lists";
import type { GameType } from "../../parts/games/game-types.ts";

/** What the server tells of a vendor. */
export type VendorGameTypes = Reply<"GET /api/v1/games/types">["gameTypes"];

/** Selections that every list has (specification, games §2.7); empty is all. */
const SELECTIONS = ["", "NEW", "HOT", "FAV", "RECENT"] as const;

/**
 * How many games of a list a vendor has by selection and classification, in the server's order;
 * what a player keeps or opened is not counted.
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

/** What the panel offers of these classifications: all, or what a vendor has games of. */
export function selectionsOf(offer: VendorOffer | undefined, classes: readonly string[]): string[] {
  const all = [...new Set([...SELECTIONS, ...classes])];
  if (offer === undefined) return all;
  return all.filter((one) => one === "" || !isCounted(one) || (offer.get(one) ?? 0) > 0);
}

/** How many games stand behind a choice of the panel; undefined where that is not known. */
export function countOf(offer: VendorOffer | undefined, selection: string): number | undefined {
  return isCounted(selection) ? offer?.get(selection) : undefined;
}

function isCounted(selection: string): boolean {
  return selection !== "FAV" && selection !== "RECENT";
}

/** Types that the list centre offers beside a vendor: those that it has games of. */
export function typesWithGames(gameTypes: VendorGameTypes): GameType[] {
  const some = gameTypes.filter(({ gameCount }) => gameCount > 0);
  return [...new Set(some.map(({ gameType }) => listedAs(gameType)))];
}
