import { parsed } from "./browser-storage.ts";

/**
 * A player's intention: one command under one id, asked about until its end is known. Its id is
 * minted before it is first sent and stays in the tab's storage until then, so that neither a lost
 * answer, nor a reload, nor a second tap can make two of one.
 */
export interface Intention {
  readonly id: string;
  /** When it was last sent, in milliseconds. */
  readonly sentAt: number;
  /** When the player pressed; absent once that is no longer needed. */
  readonly pressedAt?: number;
  /** As it is sent, without the id; absent after a sign-out, because it was the player's own. */
  readonly content?: unknown;
  /** It happened; its result is still to be shown to a player who was away when the answer came. */
  readonly answered?: boolean;
}

export const INTENTION_PREFIX = "MC_INTENTION:";

/**
 * Empties a tab's storage at a sign-out. For an intention with an unknown end the id stays, so that
 * the same account cannot do it twice; its content is deleted.
 */
export function leaveTab(storage: Storage): void {
  const open = Object.entries(storage).flatMap(([slot, text]) => {
    if (!slot.startsWith(INTENTION_PREFIX)) return [];
    const kept = parsed(text);
    return isIntention(kept) && kept.answered !== true ? [{ slot, kept }] : [];
  });
  storage.clear();
  for (const { slot, kept } of open) {
    storage.setItem(slot, JSON.stringify({ id: kept.id, sentAt: kept.sentAt }));
  }
}

export function isIntention(value: unknown): value is Intention {
  return (
    typeof value === "object" &&
    value !== null &&
    "id" in value &&
    typeof value.id === "string" &&
    "sentAt" in value &&
    typeof value.sentAt === "number"
  );
}
