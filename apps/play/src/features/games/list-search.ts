import { type GameType, gameTypeOf } from "../../parts/games/game-types.ts";
import {
  code,
  type Given,
  laterPage,
  matching,
  nameOf,
  oneOf,
  present,
} from "../../shell/search-fields.ts";

const LIST_TABS = ["hot", "recent", "fav", "filter"] as const;
const SEARCH_TABS = ["all", "hot", "recent", "fav"] as const;

export interface ListSearch {
  gameType?: GameType;
  type?: string;
  vassalage?: string;
  name?: string;
  minBet?: string;
  tab?: (typeof LIST_TABS)[number];
  page?: number;
}

export function readListSearch(given: Given): ListSearch {
  return present({
    gameType: gameTypeOf(given),
    type: code(given.type),
    vassalage: code(given.vassalage),
    name: nameOf(given.name),
    minBet: matching(/^\d{1,9}(\.\d{1,2})?$/, String(given.minBet)),
    tab: oneOf(LIST_TABS, given.tab),
    page: laterPage(given.page),
  });
}

/** Whether the list is the player's own; a guest is redirected to the log-in (games §2.7). */
export function isOwnList({ tab, type }: Pick<ListSearch, "tab" | "type">): boolean {
  return ["recent", "fav"].includes(tab ?? type?.toLowerCase() ?? "");
}

export function readNameSearch(given: Given) {
  return present<{ q?: string; tab?: (typeof SEARCH_TABS)[number]; page?: number }>({
    q: nameOf(given.q),
    tab: oneOf(SEARCH_TABS, given.tab),
    page: laterPage(given.page),
  });
}
