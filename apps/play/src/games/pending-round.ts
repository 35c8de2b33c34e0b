import type { SOLO_GAMES } from "@perya/contract/rounds";
import { type Id, isId } from "@perya/kernel/ids";
import { readJson, type TextStore } from "./kept-text.ts";

export type SoloGameId = (typeof SOLO_GAMES)[number];

/**
 * A round from before it is sent until its result was shown. Whatever happens in between, the
 * same id with the same choices is sent again and the server answers the same round.
 */
export interface PendingRound {
  readonly id: Id<"round">;
  readonly gameId: SoloGameId;
  readonly choices: Readonly<Record<string, unknown>>;
  /** A round is its player's alone: another who logs in on this tab must not send it. */
  readonly userName: string;
}

const KEY = "MC_PENDING_ROUND";

export function keepPending(store: TextStore, pending: PendingRound): void {
  store.setItem(keyOf(pending.gameId), JSON.stringify(pending));
}

export function readPending(
  store: TextStore,
  gameId: SoloGameId,
  userName: string,
): PendingRound | null {
  const kept = readJson(store, keyOf(gameId));
  return isPending(kept) && kept.gameId === gameId && kept.userName === userName ? kept : null;
}

/** Forgets this round only: one that was begun meanwhile stays. */
export function dropPending(store: TextStore, { gameId, id }: PendingRound): void {
  const kept = readJson(store, keyOf(gameId));
  if (isPending(kept) && kept.id !== id) return;
  store.removeItem(keyOf(gameId));
}

function keyOf(gameId: SoloGameId): string {
  return `${KEY}:${gameId}`;
}

function isPending(value: unknown): value is PendingRound {
  return (
    typeof value === "object" &&
    value !== null &&
    "id" in value &&
    typeof value.id === "string" &&
    isId("round", value.id) &&
    "gameId" in value &&
    "choices" in value &&
    typeof value.choices === "object" &&
    value.choices !== null &&
    "userName" in value
  );
}
