import { GAME_TYPES, type GameType } from "../../parts/games/game-types.ts";
import { type Given, oneOf, present } from "../../shell/search-fields.ts";

export function readHomeSearch({ cat }: Given): { cat?: GameType } {
  return present({ cat: oneOf(GAME_TYPES, cat) });
}
