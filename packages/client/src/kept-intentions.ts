/**
 * A player's intention: one command under one id, asked for until it is known how it ended. Its
 * id is minted before it is first sent and stands in the tab's storage until then, so that neither
 * a lost answer, nor a reload, nor a second tap can make two of one.
 */
export interface Intention {
  readonly id: string;
  /** When it was last sent, in milliseconds. */
  readonly sentAt: number;
  /** When the player pressed; absent where that is of no use any more. */
  readonly pressedAt?: number;
  /** As it is sent, without the id; absent where it was the player's own and they signed out. */
  readonly content?: unknown;
  /** It happened, and waits only to be shown to who was away when its answer came. */
  readonly answered?: boolean;
}

export const INTENTION_PREFIX = "MC_INTENTION:";

/**
 * Empties a tab's storage at a sign-out. Of an intention whose end nobody knows its id stays, so
 * that the same account cannot do it twice; what it said goes.
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

function parsed(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return null;
  }
}
