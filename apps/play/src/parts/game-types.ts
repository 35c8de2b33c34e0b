import type { Game, HouseGame } from "@perya/contract/catalogue";
import type { MessageId } from "../shell/text.ts";

export type GameType = Game["gameType"];

/** In the order of the menus; the compiler refuses one that is missing from the record below. */
const PAGES = {
  RNG: "/m/slot-games",
  LIVE: "/m/live-games",
  PVP: "/m/poker-games",
  FISH: "/m/fishing-games",
  SPORTS: "/m/sport-games",
  ESPORTS: "/m/sport-games",
  COCKFIGHT: "/m/cockfight",
  LOTT: "/m/lott",
  ELOTT: "/m/elott",
} as const satisfies Record<GameType, string>;

// The keys of a closed record are exactly the game types.
export const GAME_TYPES = Object.keys(PAGES) as readonly GameType[];

export function pageOfType(type: GameType): (typeof PAGES)[GameType] {
  return PAGES[type];
}

export function typeLabel(type: GameType): MessageId {
  return `type.${type}`;
}

/** The game type that a path of the game centre fixes; null where the query chooses. */
export function typeOfPath(pathname: string): GameType | null {
  if (pathname === "/m/provider") return "RNG";
  return GAME_TYPES.find((type) => PAGES[type] === pathname) ?? null;
}

/** Vendors of these types are opened by whoever is logged in (specification, games §6). */
export function wantsSession(type: GameType | null): boolean {
  return type === "SPORTS" || type === "ESPORTS" || type === "LOTT" || type === "ELOTT";
}

/** The games that our own server deals; the record names every one of the closed list. */
export const HOUSE_TITLES: Readonly<Record<HouseGame, MessageId>> = {
  "parol-fortune": "games.parol",
  "color-game": "games.color",
  saranggola: "games.saranggola",
};
