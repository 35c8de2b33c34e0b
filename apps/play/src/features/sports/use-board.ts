import { SPORTS_BOARD_KEY } from "@perya/client/screen-queries/sports";
import type { SportsBoardState } from "@perya/contract/sports";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { keepFixtures } from "../../parts/proofs/shown-here.ts";
import { screenQueries } from "../../shell/screen-queries.ts";
import { live, queryClient } from "../../shell/server.ts";
import { boardAfter } from "./board.ts";
import { repricedBy, useSlip } from "./slip.ts";

/** The matches from their channel; the slip's odds follow them. */
export function useBoard() {
  const board = useQuery({ ...screenQueries.sportsBoard(), refetchOnWindowFocus: false });
  useEffect(
    () =>
      live.subscribe("sports", {
        onSnapshot: (data) => queryClient.setQueryData(SPORTS_BOARD_KEY, data),
        onEvent: (event) =>
          queryClient.setQueryData<SportsBoardState>(SPORTS_BOARD_KEY, (old) =>
            old === undefined ? old : boardAfter(old, event),
          ),
      }),
    [],
  );
  const fixtures = board.data?.fixtures;
  useEffect(() => {
    if (fixtures === undefined) return;
    keepFixtures(fixtures);
    useSlip.setState((slip) => repricedBy(slip, fixtures), true);
  }, [fixtures]);
  return board;
}
