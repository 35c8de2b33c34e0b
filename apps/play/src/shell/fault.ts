import { ApiRefusal, NetworkFailure } from "@perya/client/refused";
import { notify } from "./notify.ts";
import { textOf } from "./text.ts";

/** One sentence for what went wrong: the server's own, or ours when it could not be asked. */
export function faultText(error: unknown): string {
  if (error instanceof ApiRefusal) {
    const { fields, detail } = error.problem;
    return fields?.[0] !== undefined ? fields[0].message : detail;
  }
  if (error instanceof NetworkFailure) {
    return textOf(navigator.onLine && error.slow ? "error.slow" : "error.offline");
  }
  return textOf("error.unknown");
}

/** A session that ended has said so already. */
export function sayFault(error: unknown): void {
  if (error instanceof ApiRefusal && error.problem.code === "session_ended") return;
  notify.error(() => faultText(error), "fault");
}
