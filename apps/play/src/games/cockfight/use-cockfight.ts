import type { ChannelState } from "@perya/client/live-channel";
import { OWN_KEY } from "@perya/client/own-key";
import type { CockfightSide } from "@perya/games/cockfight";
import type { Currency } from "@perya/kernel/money";
import { useCallback, useEffect, useReducer, useState } from "react";
import { keepFight } from "../../parts/proofs/shown-here.ts";
import { useCommand } from "../../shell/command.tsx";
import { api, live, queryClient } from "../../shell/server.ts";
import { useSession } from "../../shell/session.ts";
import { advanceClock } from "../advance-clock.ts";
import { tellRefusal } from "../tell-refusal.ts";
import { EMPTY_RING, type RingTable, ringReducer } from "./cockfight-table.ts";

interface RingWish {
  readonly side: CockfightSide;
  readonly stakeMinor: bigint;
}

export interface Ring {
  readonly table: RingTable;
  readonly line: ChannelState;
  readonly sending: boolean;
  /** Whether the bet was taken is not known yet. */
  readonly checking: boolean;
  /** Bets on the shown match; the server refuses it once bets are closed. */
  bet(wish: RingWish): void;
}

export interface RingOptions {
  readonly currency: Currency;
  readonly onNoFunds: () => void;
}

export function useCockfight({ currency, onNoFunds }: RingOptions): Ring {
  const userName = useSession((held) => held.session?.userName ?? null);
  const [table, dispatch] = useReducer(ringReducer, EMPTY_RING);
  const [line, setLine] = useState<ChannelState>("connecting");
  const matchId = table.match?.matchId ?? null;
  const phase = table.match?.phase ?? null;

  useEffect(
    () =>
      live.subscribe("cockfight", {
        onSnapshot: (state) => {
          advanceClock(state?.now ?? 0);
          if (state !== null) keepFight(state);
          dispatch({ type: "snapshot", state });
        },
        onEvent: (event) => {
          if (event.type === "phase") {
            advanceClock(event.state.now);
            keepFight(event.state);
          }
          dispatch({ type: "live", event });
        },
        onState: setLine,
      }),
    [],
  );

  const readMine = useCallback(() => {
    if (userName === null) return;
    api
      .call("GET /api/v1/cockfight/bets/mine")
      .then(({ bets }) => dispatch({ type: "mine", bets }))
      // The next phase or the next reconnect asks again.
      .catch(() => undefined);
  }, [userName]);

  const over = phase === "settled" || phase === "cancelled";
  // After a reload or a gap the server names the bets; by the time of a result each is paid, or
  // owed to a busy wallet.
  useEffect(() => {
    if (line !== "live" || matchId === null) return;
    readMine();
    if (over) void queryClient.invalidateQueries({ queryKey: [OWN_KEY, "game-records"] });
  }, [line, matchId, over, readMine]);

  const { view, send } = useCommand("POST /api/v1/cockfight/bets", {
    onDone: (bet) => dispatch({ type: "bet", bet }),
    onRefused: (error) => {
      readMine();
      tellRefusal(error, onNoFunds);
    },
  });

  return {
    table,
    line,
    sending: view.phase !== "rest",
    checking: view.phase === "checking",
    bet: ({ side, stakeMinor }) => {
      if (matchId === null) return;
      send({ matchId, side, stake: { minor: `${stakeMinor}`, currency } });
    },
  };
}
