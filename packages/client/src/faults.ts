import type { RefusalCode } from "@perya/contract/refusal";
import {
  ApiRefusal,
  EmptyAddress,
  EndUnknown,
  NetworkFailure,
  SessionChanged,
  StrangeAnswer,
} from "./refused.ts";

export const ENDED: RefusalCode = "session_ended";
const LOGIN_NEEDED: readonly RefusalCode[] = ["not_logged_in", ENDED];

/** The texts that an app supplies for faults. */
type FaultTextId = `error.${
  | "unknown"
  | "earlier_done"
  | "slow"
  | "offline"
  | "end_unknown"
  | "session_changed"
  | "empty_url"}`;

/**
 * One sentence about a fault: the server's own, or ours where it did not answer or has none
 * (specification, accounts §8).
 */
export function faultText(error: unknown, textOf: (id: FaultTextId) => string): string {
  if (error instanceof ApiRefusal) {
    const { code, fields, detail } = error.problem;
    if (code === "internal") return textOf("error.unknown");
    // The id belongs to the player's earlier command.
    if (code === "id_reused") return textOf("error.earlier_done");
    return (fields?.[0]?.message ?? detail) || textOf("error.unknown");
  }
  if (error instanceof NetworkFailure) {
    const isStrange = [error, error.cause].some((one) => one instanceof StrangeAnswer);
    if (isStrange && navigator.onLine) return textOf("error.unknown");
    return textOf(navigator.onLine && error.slow ? "error.slow" : "error.offline");
  }
  if (error instanceof EndUnknown) return textOf("error.end_unknown");
  if (error instanceof SessionChanged) return textOf("error.session_changed");
  if (isModuleFault(error)) return textOf(navigator.onLine ? "error.slow" : "error.offline");
  return textOf(error instanceof EmptyAddress ? "error.empty_url" : "error.unknown");
}

/** Code of the app itself that failed to load, in the words of each browser and of the bundler. */
export function isModuleFault(error: unknown): error is Error {
  return (
    error instanceof Error &&
    /dynamically imported module|importing a module|preload/i.test(error.message)
  );
}

/** The server knows no session of ours, or no longer knows it. */
export function isSessionOver(error: unknown): boolean {
  return error instanceof ApiRefusal && LOGIN_NEEDED.includes(error.problem.code);
}
