import { SENT_AT_MAX_MS } from "@perya/contract/call";
import { OUTCOMES, type Outcome } from "@perya/contract/refusal";
import type { TextStore } from "./browser-storage.ts";
import { INTENTION_PREFIX, type Intention, isIntention } from "./kept-intentions.ts";
import { ApiRefusal, EndUnknown, NetworkFailure, NotSent, SessionChanged } from "./refused.ts";

export interface Asking {
  readonly now: () => number;
  /** Ends after so many ms, when the network is back, or with the signal. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  /** The end is unknown; called after each answer that leaves it open. */
  readonly onDoubt: (error: unknown) => void;
  /** Ends the asking, not the command. */
  readonly signal: AbortSignal;
  /** When it was sent by a page that closed before the answer; null for never. */
  readonly lostAt: number | null;
  /** When the player pressed; now by default. */
  readonly pressedAt?: number;
  /** Waits after each answer that leaves it open; the last one repeats. */
  readonly pausesMs?: readonly number[];
}

/**
 * How long an unanswered request may still be running on the server: until the last moment at which
 * it may begin, plus its longest statement, plus a margin. Before that, a refusal of a repeat
 * proves nothing about the first request.
 */
export const REQUEST_LIFE_MS = SENT_AT_MAX_MS + 20_000;
/**
 * How long a press counts as a wish: no repeat is sent later, or it could stake hours after a phone
 * went to sleep. Longer than an outage that a player waits for.
 */
const WISH_LIFE_MS = 10 * 60_000;
const PAUSES_MS = [600, 1_800, 4_000, 8_000, 8_000, 15_000, 30_000] as const;

/**
 * Asks, with pauses, until it is known that it happened or that it did not.
 * @throws ApiRefusal or NotSent when nothing happened; EndUnknown when the press is too old to ask
 *   again; the signal's reason when the asking was ended
 */
export async function askUntilDefinite<R>(ask: () => Promise<R>, asking: Asking): Promise<R> {
  const { now, pause, onDoubt, signal, pausesMs = PAUSES_MS } = asking;
  let doubt = asking.lostAt !== null;
  let aliveUntil = asking.lostAt === null ? 0 : asking.lostAt + REQUEST_LIFE_MS;
  let pressedAt = asking.pressedAt ?? now();
  for (let attempt = 0; ; attempt++) {
    const sentAt = now();
    // For a clock that was set back: no request lives longer than one that was sent just now.
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
      // For a clock that was set back: the press is not later than now.
      pressedAt = Math.min(pressedAt, now());
      if (!isWished(pressedAt, now())) throw new EndUnknown("not asked for any more");
    }
  }
}

/** Whether a press of that time may still be sent; true after a clock was set back. */
export function isWished(pressedAt: number, now: number): boolean {
  return now - pressedAt < WISH_LIFE_MS;
}

/** The storage key of a player's intention of one kind; it shows no name. */
export function slotOf(account: string, purpose: string): string {
  return `${INTENTION_PREFIX}${labelOf(account)}:${purpose}`;
}

export function readIntention(store: TextStore, slot: string): Intention | null {
  try {
    const kept: unknown = JSON.parse(store.getItem(slot) ?? "null");
    return isIntention(kept) ? kept : null;
  } catch {
    return null;
  }
}

export function keepIntention(store: TextStore, slot: string, intention: Intention): void {
  store.setItem(slot, JSON.stringify(intention));
}

/** Only if it still exists: a sign-out meanwhile deleted its content. */
export function markAnswered(store: TextStore, slot: string, id: string): void {
  const kept = readIntention(store, slot);
  if (kept?.id === id) keepIntention(store, slot, { ...kept, answered: true });
}

/** Forgets this one only: another that was begun meanwhile stays. */
export function dropIntention(store: TextStore, slot: string, id: string): void {
  if (readIntention(store, slot)?.id === id) store.removeItem(slot);
}

/** What this failure means for the command; null for a defect before it was sent. */
function outcomeOf(error: unknown): Outcome | null {
  if (error instanceof NotSent) return "unheard";
  if (error instanceof NetworkFailure) return "unknown";
  // The same player's is sent in the new session; another player's is no longer asked about.
  if (error instanceof SessionChanged) return "unknown";
  // A server newer than this page may use codes that the page does not know.
  if (error instanceof ApiRefusal) return OUTCOMES[error.problem.code] ?? "unknown";
  return null;
}

/** FNV-1a: distinguishes the accounts of one phone. It is a label, and a guess can reverse it. */
function labelOf(account: string): string {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(account.toLowerCase())) {
    hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  }
  return hash.toString(36);
}
