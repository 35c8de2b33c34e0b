import { useMutation } from "@tanstack/react-query";
import { sayFault } from "../shell/fault.ts";
import { api } from "../shell/server.ts";
import { startSession } from "../shell/session.ts";

/** Starts free play: a trial account with trial credit, logged in at once. */
export function useFreeTrial() {
  const trial = useMutation({
    mutationFn: () => api.call("POST /api/v1/auth/test-play", { body: {} }),
    onSuccess: startSession,
    onError: sayFault,
  });
  return {
    startTrial: (then?: () => void) =>
      trial.mutate(undefined, then === undefined ? {} : { onSuccess: then }),
    starting: trial.isPending,
  };
}
