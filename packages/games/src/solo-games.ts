import { colorGame } from "./color-game.ts";
import { parolFortune } from "./parol-fortune.ts";

/** Every solo game by its id, for the game server and for the verifier in the browser. */
export const soloGames = {
  "parol-fortune": parolFortune,
  "color-game": colorGame,
} as const;

export type SoloGameId = keyof typeof soloGames;

export function isSoloGameId(id: string): id is SoloGameId {
  return Object.hasOwn(soloGames, id);
}
