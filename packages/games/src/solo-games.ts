import { SOLO_GAMES, type SoloManifest } from "./house-games.ts";

export type SoloGameId = SoloManifest["id"];

type RulesOf<Id> = Awaited<ReturnType<Extract<SoloManifest, { readonly id: Id }>["rules"]>>;
type SoloGames = { readonly [Id in SoloGameId]: RulesOf<Id> };

/** The rules of every solo game by its id, for the game server and for the browser's verifier. */
export const soloGames = Object.fromEntries(
  await Promise.all(SOLO_GAMES.map(async ({ id, rules }) => [id, await rules()] as const)),
  // Each manifest's id stands beside its own rules.
) as SoloGames;

export function isSoloGameId(id: string): id is SoloGameId {
  return Object.hasOwn(soloGames, id);
}
