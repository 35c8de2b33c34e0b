import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { keepDraws } from "../../parts/proofs/shown-here.ts";
import { screenQueries } from "../../shell/screen-queries.ts";
import { api, queryClient } from "../../shell/server.ts";
import { nextLookMs } from "./next-look.ts";

/** The brand's lotteries with their draws, read again at the second of each draw. */
export function useLotteries() {
  const list = useQuery({
    ...screenQueries.lotteryList(),
    refetchInterval: ({ state }) => nextLookMs(state.data?.list ?? [], api.serverNow()),
  });
  const lotteries = list.data?.list;
  useEffect(() => keepDraws(lotteries ?? []), [lotteries]);
  const held = lotteries?.map(({ last }) => last?.id ?? "").join(" ");
  useEffect(() => {
    if (held === undefined) return;
    // New numbers: their lists are read again; tickets poll for their own settlement.
    for (const queryKey of [
      ["lottery", "draws"],
      ["lottery", "numero"],
    ]) {
      void queryClient.invalidateQueries({ queryKey });
    }
  }, [held]);
  return list;
}
