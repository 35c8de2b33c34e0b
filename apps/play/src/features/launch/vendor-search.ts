import { type GameType, gameTypeOf } from "../../parts/games/game-types.ts";
import { code, type Given, present } from "../../shell/search-fields.ts";

/** A vendor rather than one of its games (games §2.2). */
export interface VendorSearch {
  vassalage?: string;
  gameType?: GameType;
}

export function readVendorSearch(given: Given): VendorSearch {
  return present({ vassalage: code(given.vassalage), gameType: gameTypeOf(given) });
}
