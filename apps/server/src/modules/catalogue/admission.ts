import { REAL_TYPES } from "@perya/contract/call";
import { type Refusal, refusal } from "@perya/contract/refusal";
import type { GameRow } from "./catalogue.store.ts";

/**
 * Why a player of this type may not play a game now; null if they may. Accounts without real money
 * play what can be played for free.
 */
export function admission(game: GameRow | null, type: number): Refusal | null {
  if (game === null) return refusal("not_found");
  if (game.vendor_status === "maintenance") return refusal("maintenance");
  return isFree(game) || REAL_TYPES.includes(type) ? null : refusal("real_account_needed");
}

export function isFree(game: GameRow): boolean {
  return game.support_play || game.freeplay;
}
