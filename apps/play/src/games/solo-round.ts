import type { Reply } from "@perya/client/api";
import type { Round } from "@perya/contract/rounds";
import type { PendingRound } from "./pending-round.ts";

export type PlayedReply = Reply<"POST /api/v1/rounds">;

/**
 * One table, one round at a time. `waiting` is a round whose answer was lost and that is sent
 * again soon; `showing` has its answer and plays it; `replaying` shows a past round.
 */
export type SoloState =
  | { readonly phase: "loading" }
  | { readonly phase: "rest"; readonly round: Round | null }
  | { readonly phase: "sending"; readonly pending: PendingRound; readonly attempt: number }
  | { readonly phase: "waiting"; readonly pending: PendingRound; readonly attempt: number }
  | { readonly phase: "showing"; readonly pending: PendingRound; readonly reply: PlayedReply }
  | { readonly phase: "replaying"; readonly round: Round };

export type SoloEvent =
  | { readonly type: "play"; readonly pending: PendingRound }
  | { readonly type: "last"; readonly round: Round | null }
  | { readonly type: "answered"; readonly id: string; readonly reply: PlayedReply }
  | { readonly type: "lost"; readonly id: string }
  | { readonly type: "again" }
  | { readonly type: "refused"; readonly id: string }
  | { readonly type: "replay"; readonly round: Round }
  | { readonly type: "shown"; readonly id: string };

export const SOLO_START: SoloState = { phase: "loading" };

/** Events that do not fit the state change nothing: a double tap, a late answer. */
export function soloReducer(state: SoloState, event: SoloEvent): SoloState {
  switch (event.type) {
    case "play":
      return state.phase === "rest" || state.phase === "loading"
        ? { phase: "sending", pending: event.pending, attempt: 1 }
        : state;
    case "last":
      return state.phase === "loading" ? { phase: "rest", round: event.round } : state;
    case "answered":
      return isUnderWay(state) && state.pending.id === event.id
        ? { phase: "showing", pending: state.pending, reply: event.reply }
        : state;
    case "lost":
      return state.phase === "sending" && state.pending.id === event.id
        ? { ...state, phase: "waiting" }
        : state;
    case "again":
      return state.phase === "waiting"
        ? { ...state, phase: "sending", attempt: state.attempt + 1 }
        : state;
    case "refused":
      return isUnderWay(state) && state.pending.id === event.id
        ? { phase: "rest", round: null }
        : state;
    case "replay":
      return state.phase === "rest" ? { phase: "replaying", round: event.round } : state;
    case "shown":
      if (state.phase === "showing" && state.pending.id === event.id) {
        return { phase: "rest", round: state.reply.round };
      }
      if (state.phase === "replaying" && state.round.id === event.id) {
        return { phase: "rest", round: state.round };
      }
      return state;
  }
}

function isUnderWay(
  state: SoloState,
): state is Extract<SoloState, { phase: "sending" | "waiting" }> {
  return state.phase === "sending" || state.phase === "waiting";
}

const BACKOFF_MS = [1_000, 2_000, 4_000, 8_000] as const;

/** How long after a lost attempt (from 1) the round is sent again. */
export function resendAfterMs(attempt: number): number {
  return BACKOFF_MS[Math.min(attempt, BACKOFF_MS.length) - 1] ?? BACKOFF_MS[0];
}

/** The round that the table is about, for tests and the history. */
export function roundIdOf(state: SoloState): string | null {
  switch (state.phase) {
    case "loading":
      return null;
    case "rest":
    case "replaying":
      return state.round?.id ?? null;
    default:
      return state.pending.id;
  }
}
