import type { Reply } from "@perya/client/api";
import { OWN_KEY } from "@perya/client/queries";
import { queryOptions, useMutation, useQuery } from "@tanstack/react-query";
import { sayFault } from "../../shell/fault.ts";
import { api, queryClient } from "../../shell/server.ts";

const SEED_KEY = [OWN_KEY, "fairness-seed"] as const;

export type Revealed = Reply<"POST /api/v1/fairness/seed">["revealed"];

const seedQuery = queryOptions({
  queryKey: SEED_KEY,
  queryFn: ({ signal }) => api.call("GET /api/v1/fairness/seed", { signal }),
  staleTime: 0,
});

export function useSeed() {
  return useQuery(seedQuery);
}

/** Replaces the pair in use, which reveals the server seed of the old one. */
export function useSeedChange(done?: (revealed: Revealed) => void) {
  const change = useMutation({
    mutationFn: async (clientSeed: string) => {
      const { seedId } = await queryClient.ensureQueryData(seedQuery);
      return api.call("POST /api/v1/fairness/seed", { body: { clientSeed, replaces: seedId } });
    },
    onSuccess: ({ current, revealed }) => {
      queryClient.setQueryData(SEED_KEY, current);
      void queryClient.invalidateQueries({ queryKey: [OWN_KEY, "round"] });
      done?.(revealed);
    },
    onError: (error) => {
      // Replaced in another tab meanwhile: show what is in use now.
      void queryClient.invalidateQueries({ queryKey: SEED_KEY });
      sayFault(error);
    },
  });
  return { change: change.mutate, changing: change.isPending, revealed: change.data?.revealed };
}
