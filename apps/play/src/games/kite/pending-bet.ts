import { type Id, isId } from "@perya/kernel/ids";
import { readJson, type TextStore } from "../kept-text.ts";

/** A bet on the kite from before it is sent until the server has answered. */
export interface PendingBet {
  readonly id: Id<"bet">;
  readonly roundId: Id<"round">;
  /** As on the wire; a repeat must be the same to the letter. */
  readonly stake: { readonly minor: string; readonly currency: "PHP" | "FUN" };
  readonly autoCashOut: number | null;
  readonly userName: string;
}

const KEY = "MC_PENDING_BET";

export function keepBet(store: TextStore, bet: PendingBet): void {
  store.setItem(KEY, JSON.stringify(bet));
}

export function readBet(store: TextStore, userName: string | null): PendingBet | null {
  const kept = readJson(store, KEY);
  return isBet(kept) && kept.userName === userName ? kept : null;
}

export function dropBet(store: TextStore): void {
  store.removeItem(KEY);
}

function isBet(value: unknown): value is PendingBet {
  return (
    typeof value === "object" &&
    value !== null &&
    "id" in value &&
    typeof value.id === "string" &&
    isId("bet", value.id) &&
    "roundId" in value &&
    typeof value.roundId === "string" &&
    isId("round", value.roundId) &&
    "stake" in value &&
    typeof value.stake === "object" &&
    "autoCashOut" in value &&
    "userName" in value
  );
}
