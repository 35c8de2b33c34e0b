import { GAME_PAGE_SIZE, type GameFilter } from "@perya/client/queries/catalogue";
import type { PlayerGameFilter } from "@perya/client/queries/player-games";
import type { Game } from "@perya/contract/catalogue";
import { fixesType, type GameList, listedAs, listOf } from "@perya/contract/game-lists";
import type { GameType } from "../../parts/games/game-types.ts";
import type { MessageId } from "../../shell/text.ts";
import type { Filters } from "./filter-sheet.tsx";
import type { ListSearch } from "./list-search.ts";

export const FAVOURITES_PATH = "/m/fav-games";
/** Selections that are lists of their own rather than classifications (games §2.7). */
const TAB_OF_SELECTION: Readonly<Record<string, ListSearch["tab"]>> = {
  HOT: "hot",
  FAV: "fav",
  RECENT: "recent",
};
/** Classifications that are no column of their own (specification, validation rules). */
const UNCLASSIFIED = ["NEW", "HOT", "FAV", "RECENT", "ALL"];

export const TABS = ["all", "hot", "recent", "fav"] as const;
export const TAB_LABELS: Readonly<Record<(typeof TABS)[number], MessageId>> = {
  all: "games.all_short",
  hot: "games.hot_short",
  recent: "games.recent",
  fav: "games.favourites",
};
/** The filter panel's result is a list of its own, without a tab. */
export type Tab = (typeof TABS)[number] | "filter";
export type Change = { [K in keyof ListSearch]?: ListSearch[K] | undefined };

/** What the list centre lists at an address. */
export interface ListChoice {
  readonly list: GameList;
  /** A classification, or a selection that is a list of its own. */
  readonly type: string | undefined;
  readonly vassalage: string | undefined;
  readonly tab: Tab;
}

export function choiceOf(pathname: string, search: ListSearch): ListChoice {
  const list = listOf(pathname, search.gameType);
  const type = list.classify ?? search.type;
  const tab = search.tab ?? TAB_OF_SELECTION[type ?? ""] ?? "all";
  return { list, type, vassalage: list.vendor ?? search.vassalage, tab };
}

/** The target of a change of the list: its first page, unless the change names another. */
export function afterChange(
  pathname: string,
  search: ListSearch,
  change: Change,
): { readonly to: "." | "/m/gameList"; readonly search: ListSearch } {
  // The favourites' own path holds that list alone.
  const leaves = pathname === FAVOURITES_PATH && "tab" in change && change.tab !== "fav";
  const next = { ...search, pop: undefined, page: undefined, ...change };
  const entries = Object.entries(next).filter(([, value]) => value !== undefined);
  // Only undefined values are removed.
  return { to: leaves ? "/m/gameList" : ".", search: Object.fromEntries(entries) as ListSearch };
}

/** A tab is a list without classification, name and smallest bet. */
export function chosenTab(tab: Tab): Change {
  return {
    tab: tab === "all" ? undefined : tab,
    type: undefined,
    name: undefined,
    minBet: undefined,
  };
}

/** A vendor, or all vendors, leads back to All and drops the name; a classification stays. */
export function chosenVendor(search: ListSearch, vassalage: string | undefined): Change {
  const isOwnList = TAB_OF_SELECTION[search.type ?? ""] !== undefined;
  const kept = isOwnList ? { type: undefined } : {};
  return { vassalage, tab: undefined, name: undefined, ...kept };
}

export function searched(name: string): Change {
  return { name: orAbsent(name), tab: undefined, type: undefined };
}

export const CLEARED: Change = {
  tab: undefined,
  name: undefined,
  vassalage: undefined,
  type: undefined,
  minBet: undefined,
};

/** Whether the address holds a text that the player typed. */
export function hasWords({ name, minBet }: ListSearch): boolean {
  return name !== undefined || minBet !== undefined;
}

/** The same list for another player, without the typed name or bet and the page. */
export function untyped({ gameType, type, vassalage }: ListSearch): ListSearch {
  const entries = Object.entries({ gameType, type, vassalage });
  // Only undefined values are removed.
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as ListSearch;
}

export function filtersOf(
  { type, vassalage = "", minBet = "", name = "" }: ListSearch,
  { tab }: Pick<ListChoice, "tab">,
): Filters {
  const ownType = tab === "all" || tab === "filter" ? "" : tab.toUpperCase();
  return { vassalage, name, type: type ?? ownType, minBet };
}

export function filtered(filters: Filters): Change {
  const own = TAB_OF_SELECTION[filters.type];
  const some = Object.values(filters).some((one) => one !== "");
  return {
    tab: own ?? (some ? "filter" : undefined),
    type: own === undefined ? orAbsent(filters.type) : undefined,
    vassalage: orAbsent(filters.vassalage),
    name: orAbsent(filters.name),
    minBet: orAbsent(filters.minBet),
  };
}

export function gamesAsked(
  search: ListSearch,
  { list, type, vassalage = "" }: ListChoice,
): GameFilter {
  const { name = "", minBet = "" } = search;
  return {
    pageSize: GAME_PAGE_SIZE.centre,
    gameName: name,
    vassalage,
    gameClassify: type === undefined || UNCLASSIFIED.includes(type) ? "" : type,
    isNew: type === "NEW" ? "1" : "",
    minBet,
    gameType: list.gameType,
  };
}

export function playerGamesAsked(
  pathname: string,
  search: ListSearch,
  { list, vassalage, tab }: ListChoice,
): PlayerGameFilter {
  // The favourites' own path shows those of every type until one is chosen.
  const ofEveryType = pathname === FAVOURITES_PATH && search.gameType === undefined;
  return {
    pageSize: tab === "fav" ? GAME_PAGE_SIZE.centre : GAME_PAGE_SIZE.search,
    ...(ofEveryType ? {} : { gameType: list.gameType }),
    ...(vassalage === undefined ? {} : { vendor: vassalage }),
  };
}

/** Whether a hot game belongs to this list. */
export function isOfList(
  { list, vassalage }: ListChoice,
  game: Pick<Game, "gameType" | "vassalage">,
): boolean {
  return (
    listedAs(game.gameType) === listedAs(list.gameType) &&
    (vassalage === undefined || game.vassalage === vassalage)
  );
}

/**
 * The types that the list's chips offer.
 * @param all those of the brand
 * @param some those in which the vendor has games
 */
export function offeredTypes(
  all: readonly GameType[],
  some: readonly GameType[],
  current: GameType,
): GameType[] {
  return all.filter((one) => listedAs(one) === one && (some.includes(one) || one === current));
}

/** A single type is no choice, and a path that fixes one offers none. */
export function offersTypes(pathname: string, all: readonly GameType[]): boolean {
  return !fixesType(pathname) && all.length > 1;
}

function orAbsent(text: string): string | undefined {
  return text === "" ? undefined : text;
}
