import { useMutation } from "@tanstack/react-query";
import { sayFault } from "../../shell/fault.ts";
import { api } from "../../shell/server.ts";
import { startSession } from "../../shell/session.ts";
import { requestTrial } from "./trial-request.ts";

/** Starts free play: a trial account with trial credit, logged in at once. See `requestTrial`. */
export function useFreeTrial({ module = true } = {}) {
  const trial = useMutation({
    mutationFn: () => requestTrial(api, module),
    onSuccess: startSession,
    onError: sayFault,
  });
  return {
    startTrial: (then?: () => void) => trial.mutate(undefined, { onSuccess: () => then?.() }),
    starting: trial.isPending,
  };
}
