import type { Reply } from "@perya/client/api";
import { OWN_KEY } from "@perya/client/own-key";
import type { Rain } from "@perya/contract/red-rain";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useReducer, useState } from "react";
import { useCommand } from "../../shell/command.tsx";
import { screenQueries } from "../../shell/screen-queries.ts";
import { api, queryClient } from "../../shell/server.ts";
import { nextLookMs, phaseLeftMs, phaseOf, type RainPhase } from "./rain-phase.ts";

/** A timer may fire a moment before its time. */
const LATE_MS = 20;
/** The longest delay of a browser's timer. */
const TIMER_MAX_MS = 2 ** 31 - 1;

/** The server's rains, read again when something changes. */
export function useRedRain() {
  return useQuery({
    ...screenQueries.redRain(),
    refetchInterval: ({ state }) => nextLookMs(state.data?.rain ?? null, api.serverNow()),
  });
}

/** A rain's phase by the server's clock; changes at its second. */
export function useRainPhase(rain: Rain | null): RainPhase {
  const [, turn] = useReducer((turns: number) => turns + 1, 0);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const awaitNext = () => {
      const leftMs = phaseLeftMs(rain, api.serverNow());
      if (leftMs === null) return;
      timer = setTimeout(
        () => {
          turn();
          awaitNext();
        },
        Math.min(leftMs + LATE_MS, TIMER_MAX_MS),
      );
    };
    awaitNext();
    return () => clearTimeout(timer);
  }, [rain]);
  return phaseOf(rain, api.serverNow());
}

/** Catches packets of this rain. Nothing is won before the server has named the amount. */
export function useCatch(rainId: string) {
  const [caught, setCaught] = useState<Reply<"POST /api/v1/red-rain/catches"> | null>(null);
  // The catch and the rest, in the rain, the wallet and the record.
  const reread = () => void queryClient.invalidateQueries({ queryKey: [OWN_KEY] });
  const { view, send } = useCommand("POST /api/v1/red-rain/catches", {
    purpose: rainId,
    onDone: (reply) => {
      setCaught(reply);
      reread();
    },
    onRefused: reread,
  });
  return { view, caught, catchOne: () => send({ rainId }) !== null };
}
