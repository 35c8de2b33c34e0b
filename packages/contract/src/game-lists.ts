/** Which game list each address of the list centre shows (specification, games §2.1, §2.7). */
import type { Game } from "./catalogue.ts";

type GameType = Game["gameType"];

/** In the order of the menus; the compiler refuses a page that is missing from the record below. */
export const LIST_PAGES = {
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

export function pageOfType(type: GameType): (typeof LIST_PAGES)[GameType] {
  return LIST_PAGES[type];
}

export interface GameList {
  readonly gameType: GameType;
  readonly classify?: string;
  readonly vendor?: string;
}

const LISTS: Readonly<Record<string, GameList>> = {
  "/m/slot-games": { gameType: "RNG" },
  "/m/provider": { gameType: "RNG" },
  "/m/live-games": { gameType: "LIVE" },
  "/m/poker-games": { gameType: "PVP" },
  "/m/fishing-games": { gameType: "FISH" },
  "/m/sport-games": { gameType: "SPORTS" },
  "/m/lott": { gameType: "LOTT" },
  "/m/elott": { gameType: "ELOTT" },
  "/m/roulette": { gameType: "LIVE", classify: "ROU" },
  "/m/baccarat": { gameType: "LIVE", classify: "BAC" },
  "/m/inHouse": { gameType: "RNG", vendor: "BGS" },
  "/m/pg-soft": { gameType: "RNG", vendor: "PGE" },
};

export const FIXED_LIST_PATHS: readonly string[] = Object.keys(LISTS);

/** The list that a path fixes, whatever its query says; undefined where the query decides. */
export function fixedList(pathname: string): GameList | undefined {
  return LISTS[pathname];
}

/**
 * The list that the path fixes, else that of the type in the query, where e-sports and cockfights
 * count as sports. Without a type it is slots, or sports in the game centre.
 */
export function listOf(pathname: string, gameType: GameType | undefined): GameList {
  const fixed = fixedList(pathname);
  if (fixed !== undefined) return fixed;
  if (pathname === "/m/cockfight") return { gameType: gameType ?? "SPORTS" };
  return { gameType: listedAs(gameType ?? "RNG") };
}

/** The type under which the list centre lists a game: e-sports and cockfights count as sports. */
export function listedAs(gameType: GameType): GameType {
  return gameType === "ESPORTS" || gameType === "COCKFIGHT" ? "SPORTS" : gameType;
}

/** Whether the path alone fixes the list, so that its screen offers no other type. */
export function fixesType(pathname: string): boolean {
  return pathname in LISTS || pathname === "/m/cockfight";
}
