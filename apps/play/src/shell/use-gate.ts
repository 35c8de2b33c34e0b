import { notify } from "@perya/ui/notify";
import { TOAST_MS } from "@perya/ui/toast-times";
import { type Gate, refusalAt } from "./access.ts";
import { usePopups } from "./popups.ts";
import { useSession } from "./session.ts";
import { textOf } from "./text.ts";

export interface Gated {
  readonly to: string;
  readonly gate: Gate;
  /** How a guest is asked to log in: over the current page, or on the log-in's own path. */
  readonly guests?: "popup" | "page";
}

/** What a tap does instead of going there; null where the player may go (accounts §6). */
export function useGate(): (entry: Gated) => (() => void) | null {
  const popups = usePopups();
  const session = useSession((state) => state.session);
  return ({ to, gate, guests = "popup" }) => {
    const refusal = refusalAt(gate, session);
    if (refusal === null) return null;
    if (refusal === "free_reject") return sayFreeReject;
    if (guests === "popup") return () => popups.open("login", { next: to });
    return () => popups.leaveTo(`/m/login?${new URLSearchParams({ next: to })}`);
  };
}

/** Says that the action needs a real account (specification, accounts §6). */
export function sayFreeReject(): void {
  notify.info(textOf("error.free_reject"), TOAST_MS.freeReject);
}

/** For a link: its tap is refused where the gate is shut; empty for a player who may go. */
export function useGatedLink(): (entry: Gated) => {
  readonly preload?: false;
  readonly onClick?: (event: Pick<Event, "preventDefault">) => void;
} {
  const gateOf = useGate();
  return (entry) => {
    const refusal = gateOf(entry);
    if (refusal === null) return {};
    return {
      preload: false,
      onClick: (event) => {
        event.preventDefault();
        refusal();
      },
    };
  };
}
