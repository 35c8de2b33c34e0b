import { cockfight } from "./cockfight.manifest.ts";
import { colorGame } from "./color-game.manifest.ts";
import { parolFortune } from "./parol-fortune.manifest.ts";
import { saranggola } from "./saranggola.manifest.ts";

/** Every game of our own server, in the order of the lists. */
export const HOUSE_GAMES = [parolFortune, colorGame, saranggola, cockfight] as const;

export type HouseGameId = (typeof HOUSE_GAMES)[number]["id"];
export type SoloManifest = Extract<(typeof HOUSE_GAMES)[number], { readonly kind: "solo" }>;

export const SOLO_GAMES = HOUSE_GAMES.filter((game) => game.kind === "solo");

/** The manifest by its id; undefined for a name that is no game's. */
export function houseGame(id: string): (typeof HOUSE_GAMES)[number] | undefined {
  return HOUSE_GAMES.find((game) => game.id === id);
}
