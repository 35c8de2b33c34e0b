import { OWN_KEY } from "@perya/client/own-key";
import { useEffect } from "react";
import { live, queryClient } from "../../shell/server.ts";

/** Reads payments again when the server reports a change. */
export function useLiveCashier(): void {
  useEffect(() => {
    const refresh = () => void queryClient.invalidateQueries({ queryKey: [OWN_KEY, "cashier"] });
    // A snapshot comes at the beginning, and after events that may have been lost.
    return live.subscribe("cashier", { onSnapshot: refresh, onEvent: refresh });
  }, []);
}

/** A payment under way is also polled: a socket can be blocked. */
export const POLL_MS = 3_000;
