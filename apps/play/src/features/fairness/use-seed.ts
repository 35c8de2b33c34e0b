import { OWN_KEY } from "@perya/client/own-key";
import { queryOptions, useMutation, useQuery } from "@tanstack/react-query";
import { readSeed, replaceSeed } from "../../parts/proofs/own-seed.ts";
import { sayFault } from "../../shell/fault.ts";
import { queryClient } from "../../shell/server.ts";

const SEED_KEY = [OWN_KEY, "fairness-seed"] as const;

const seedQuery = queryOptions({
  queryKey: SEED_KEY,
  queryFn: ({ signal }) => readSeed(signal),
  staleTime: 0,
});

export function useSeed() {
  return useQuery(seedQuery);
}

/** Replaces the pair in use by the next, which reveals the server seed of the old one. */
export function useSeedChange(done?: () => void) {
  const change = useMutation({
    // The next hash is read before the client seed leaves this device.
    mutationFn: async (clientSeed: string) =>
      replaceSeed(await queryClient.ensureQueryData(seedQuery), clientSeed),
    onSuccess: ({ current }) => {
      queryClient.setQueryData(SEED_KEY, current);
      void queryClient.invalidateQueries({ queryKey: [OWN_KEY, "round"] });
      done?.();
    },
    onError: (error) => {
      // Replaced in another tab meanwhile: show the pair in use now.
      void queryClient.invalidateQueries({ queryKey: SEED_KEY });
      sayFault(error);
    },
  });
  return { change: change.mutate, changing: change.isPending, changed: change.data };
}
