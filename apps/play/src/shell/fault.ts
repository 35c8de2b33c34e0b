import { ENDED, faultText as faultTextIn, isSessionOver } from "@perya/client/faults";
import { ApiRefusal } from "@perya/client/refused";
import { notify } from "@perya/ui/notify";
import { useSession } from "./session.ts";
import { textOf } from "./text.ts";

/** One sentence about a fault, in the player's language. */
export function faultText(error: unknown): string {
  return faultTextIn(error, textOf);
}

/**
 * Shows a fault, except the end of a session, which was shown already or was the player's own
 * sign-out. A visitor who needs a log-in sees it here.
 */
export function sayFault(error: unknown): void {
  const { session, lapsed } = useSession.getState();
  const left = session === null && error instanceof ApiRefusal && error.problem.code === ENDED;
  if (left || (lapsed && isSessionOver(error))) return;
  notify.error(() => faultText(error), "fault");
}
