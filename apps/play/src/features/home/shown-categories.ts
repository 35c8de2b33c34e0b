import { type GameType, typeLabel } from "../../parts/games/game-types.ts";
import type { MessageId } from "../../shell/text.ts";

export interface Category {
  readonly key: string;
  readonly label: MessageId;
  /** Lies within another category, so scrolling past does not light it up. */
  readonly passedBy?: true;
}

/**
 * The categories of home in their order: hot games, those of the brand's vendors, the player's own
 * (games §2.6), then the rest. Home itself is a tab of the bar below.
 */
export function shownCategories(types: readonly GameType[]): Category[] {
  return [
    { key: "HOT", label: "games.hot_short" },
    ...types.map((type) => ({ key: type, label: typeLabel(type) })),
    { key: "FAV", label: "games.favourites" },
    { key: "RECENT", label: "games.recent" },
    { key: "NEW", label: "games.new" },
    { key: "PROVIDERS", label: "games.providers" },
    { key: "WINNERS", label: "home.winners_short" },
    { key: "PROMOTION", label: "shell.tab_promotion", passedBy: true },
  ];
}
