import type { Game } from "@perya/contract/catalogue";
import { LIST_PAGES } from "@perya/contract/game-lists";
import type { MessageId } from "../../shell/text.ts";

export type GameType = Game["gameType"];

/** In the order of the menus: the keys of a closed record are exactly the game types. */
export const GAME_TYPES = Object.keys(LIST_PAGES) as readonly GameType[];

/** The type in an address; the specification writes e-sports both ways (games §3). */
export function gameTypeOf(given: Readonly<Record<string, unknown>>): GameType | undefined {
  const wanted = String(given.gameType).toUpperCase();
  return GAME_TYPES.find((type) => type === wanted || type === `${wanted}S`);
}

export function typeLabel(type: GameType): MessageId {
  return `type.${type}`;
}

/** Vendors of these types need a log-in to open (specification, games §6). */
export function wantsSession(type: GameType | null): boolean {
  return type === "SPORTS" || type === "ESPORTS" || type === "LOTT" || type === "ELOTT";
}
