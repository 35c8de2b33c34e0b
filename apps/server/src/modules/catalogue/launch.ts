import { REAL_TYPES } from "@perya/contract/call";
import { type Refusal, refusal } from "@perya/contract/refusal";
import type { GameRow } from "./catalogue.store.ts";

/**
 * Why a player of this type may not play a game now; null where they may. Accounts of no real
 * money play what can be played for free (reading 33).
 */
export function admission(game: GameRow | null, type: number): Refusal | null {
  if (game === null) return refusal("not_found");
  if (playPath(game) === null) return refusal("maintenance");
  const free = game.support_play || game.freeplay;
  return free || REAL_TYPES.includes(type) ? null : refusal("real_account_needed");
}

/** Null in maintenance; a game that our own server does not deal has no line to its vendor. */
export function playPath(game: GameRow): string | null {
  if (game.house_game === null || game.vendor_status === "maintenance") return null;
  return `/m/play/${game.house_game}`;
}
