import type { Reply } from "@perya/client/api";
import type { Round } from "@perya/contract/rounds";

interface SentRound {
  readonly id: string;
  readonly choices: Readonly<Record<string, unknown>>;
}

export type PlayedReply = Reply<"POST /api/v1/rounds">;

/**
 * One table, one round at a time. `waiting` is a round whose answer was lost and which is asked for
 * again automatically; `showing` has its answer and plays it; `replaying` shows a past round.
 */
export type SoloState =
  | { readonly phase: "loading" }
  | { readonly phase: "rest"; readonly round: Round | null }
  | ({ readonly phase: "sending" | "waiting" } & SentRound)
  | { readonly phase: "showing"; readonly id: string; readonly reply: PlayedReply }
  | { readonly phase: "replaying"; readonly round: Round };

export type SoloEvent =
  /** The next player starts without any state. */
  | { readonly type: "enter" }
  | ({ readonly type: "play" } & SentRound)
  | { readonly type: "last"; readonly round: Round | null }
  | { readonly type: "answered"; readonly id: string; readonly reply: PlayedReply }
  | { readonly type: "lost"; readonly id: string }
  | { readonly type: "refused"; readonly id: string }
  | { readonly type: "replay"; readonly round: Round }
  | { readonly type: "shown"; readonly id: string };

export const SOLO_START: SoloState = { phase: "loading" };

/** Events that do not fit the state change nothing: a double tap, a late answer. */
export function soloReducer(state: SoloState, event: SoloEvent): SoloState {
  switch (event.type) {
    case "enter":
      return SOLO_START;
    case "play":
      return state.phase === "rest" || state.phase === "loading"
        ? { phase: "sending", id: event.id, choices: event.choices }
        : state;
    case "last":
      return state.phase === "loading" ? { phase: "rest", round: event.round } : state;
    case "answered":
      return isUnderWay(state) && state.id === event.id
        ? { phase: "showing", id: event.id, reply: event.reply }
        : state;
    case "lost":
      return state.phase === "sending" && state.id === event.id
        ? { ...state, phase: "waiting" }
        : state;
    case "refused":
      return isUnderWay(state) && state.id === event.id ? { phase: "rest", round: null } : state;
    case "replay":
      return state.phase === "rest" ? { phase: "replaying", round: event.round } : state;
    case "shown":
      if (state.phase === "showing" && state.id === event.id) {
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

/** The table's current round, for tests and the history. */
export function roundIdOf(state: SoloState): string | null {
  switch (state.phase) {
    case "loading":
      return null;
    case "rest":
    case "replaying":
      return state.round?.id ?? null;
    default:
      return state.id;
  }
}
