import { SENT_AT_MAX_MS } from "@perya/contract/call";
import { OUTCOMES, type Outcome } from "@perya/contract/refusal";
import { INTENTION_PREFIX, type Intention, isIntention } from "./kept-intentions.ts";
import { ApiRefusal, EndUnknown, NetworkFailure, NotSent, SessionChanged } from "./refused.ts";

/** As much of the tab's storage as is used. */
export interface IntentionStore {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

export interface Asking {
  readonly now: () => number;
  /** Ends after so many ms, when the network is back, or with the signal. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Nobody knows how it ended; told after each answer that leaves it open. */
  readonly onDoubt: (error: unknown) => void;
  /** Ends the asking, not what was asked. */
  readonly signal: AbortSignal;
  /** When it was sent by a page that did not live to hear the answer; null for never. */
  readonly lostAt: number | null;
  /** When the player pressed; now unless told. */
  readonly pressedAt?: number;
  /** Waits after each answer that leaves it open; the last one repeats. */
  readonly pausesMs?: readonly number[];
}

/**
 * How long a request may still be at work on the server when no answer came from it: until the last
 * moment at which it is begun, then its longest statement, and some. A refusal of a repeat says
 * nothing of the first one before that.
 */
export const REQUEST_LIFE_MS = SENT_AT_MAX_MS + 20_000;
/**
 * How long a press is a wish: no repeat leaves later, for it could stake hours after a phone went
 * to sleep. Longer than an outage that a player waits for.
 */
const WISH_LIFE_MS = 10 * 60_000;
const PAUSES_MS = [600, 1_800, 4_000, 8_000, 8_000, 15_000, 30_000] as const;

/**
 * Asks, with pauses, until it is known that it happened or that it did not.
 * @throws ApiRefusal or NotSent when nothing happened; EndUnknown when the press is too old to be asked for
 * again; the signal's reason when the asking was ended
 */
export async function askUntilDefinite<R>(ask: () => Promise<R>, asking: Asking): Promise<R> {
  const { now, pause, onDoubt, signal, pausesMs = PAUSES_MS } = asking;
  let doubt = asking.lostAt !== null;
  let aliveUntil = asking.lostAt === null ? 0 : asking.lostAt + REQUEST_LIFE_MS;
  let pressedAt = asking.pressedAt ?? now();
  for (let attempt = 0; ; attempt++) {
    const sentAt = now();
    // Of a clock that was set back: no request lives longer than one that was sent just now.
    aliveUntil = Math.min(aliveUntil, sentAt + REQUEST_LIFE_MS);
    try {
      return await ask();
    } catch (error) {
      const outcome = outcomeOf(error);
      const settled = outcome === "refused" ? sentAt >= aliveUntil : !doubt;
      if (outcome === null || (outcome !== "unknown" && settled)) throw error;
      if (outcome === "unknown") {
        doubt = true;
        if (error instanceof NetworkFailure) aliveUntil = now() + REQUEST_LIFE_MS;
      }
      signal.throwIfAborted();
      onDoubt(error);
      await pause(pausesMs[Math.min(attempt, pausesMs.length - 1)] ?? 0, signal);
      signal.throwIfAborted();
      // Of a clock that was set back: it was pressed by now.
      pressedAt = Math.min(pressedAt, now());
      if (!isWished(pressedAt, now())) throw new EndUnknown("not asked for any more");
    }
  }
}

/** Whether what was pressed then may still be sent; of a clock that was set back, it may. */
export function isWished(pressedAt: number, now: number): boolean {
  return now - pressedAt < WISH_LIFE_MS;
}

/** Where a player's intention of one kind stands; who reads the storage sees no name. */
export function slotOf(account: string, purpose: string): string {
  return `${INTENTION_PREFIX}${labelOf(account)}:${purpose}`;
}

export function readIntention(store: IntentionStore, slot: string): Intention | null {
  try {
    const kept: unknown = JSON.parse(store.getItem(slot) ?? "null");
    return isIntention(kept) ? kept : null;
  } catch {
    return null;
  }
}

export function keepIntention(store: IntentionStore, slot: string, intention: Intention): void {
  store.setItem(slot, JSON.stringify(intention));
}

/** Only as it stands: who has signed out meanwhile took its words along. */
export function markAnswered(store: IntentionStore, slot: string, id: string): void {
  const kept = readIntention(store, slot);
  if (kept?.id === id) keepIntention(store, slot, { ...kept, answered: true });
}

/** Forgets this one only: another that was begun meanwhile stays. */
export function dropIntention(store: IntentionStore, slot: string, id: string): void {
  if (readIntention(store, slot)?.id === id) store.removeItem(slot);
}

/** What it means for the command that it failed so; null for a defect before it was sent. */
function outcomeOf(error: unknown): Outcome | null {
  if (error instanceof NotSent) return "unheard";
  if (error instanceof NetworkFailure) return "unknown";
  // The same player's is sent in the new session; what is another's is asked for no more.
  if (error instanceof SessionChanged) return "unknown";
  // A server that is newer than this page may know codes that it does not.
  if (error instanceof ApiRefusal) return OUTCOMES[error.problem.code] ?? "unknown";
  return null;
}

/** FNV-1a: tells accounts of one phone apart. It is a label and hides nothing from who guesses. */
function labelOf(account: string): string {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(account.toLowerCase())) {
    hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  }
  return hash.toString(36);
}
