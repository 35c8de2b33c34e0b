import type { ChannelState } from "@perya/client/live-channel";
import { OWN_KEY } from "@perya/client/own-key";
import { elapsedAtMs } from "@perya/games/saranggola";
import { type Id, isId } from "@perya/kernel/ids";
import type { Currency } from "@perya/kernel/money";
import { type Dispatch, useCallback, useEffect, useReducer, useState } from "react";
import { keepFlight } from "../../parts/proofs/shown-here.ts";
import { useCommand } from "../../shell/command.tsx";
import { sayFault } from "../../shell/fault.ts";
import { api, live, queryClient } from "../../shell/server.ts";
import { useSession } from "../../shell/session.ts";
import { advanceClock } from "../advance-clock.ts";
import { tellRefusal } from "../tell-refusal.ts";
import {
  type BetWish,
  EMPTY_TABLE,
  type FlightEvent,
  type FlightTable,
  flightReducer,
} from "./flight-table.ts";

/** A cash-out whose answer was lost is sent again soon: the kite does not wait. */
const CASH_AGAIN_MS = [400, 400, 400, 800, 2_000];
/** Automatic cash-outs may be paid up to a second after the crash. */
const LATE_PAY_MS = 1_600;
/** By then an event has told listed bets that their target was reached; unlisted ones ask. */
const PAID_MS = 1_000;
const NO_WISH = { type: "queue", wish: null } as const;

export interface OwnFlight {
  readonly table: FlightTable;
  readonly line: ChannelState;
  readonly sending: boolean;
  /** Whether the bet or the cash-out was taken is not known yet. */
  readonly checking: boolean;
  /** The cash-out of the bet is under way. */
  readonly cashing: boolean;
  /** Bets now when the kite waits, else on the next one; not while the connection is lost. */
  bet(wish: BetWish): void;
  cancel(): void;
  cashOut(): void;
}

export interface FlightOptions {
  readonly currency: Currency;
  readonly onNoFunds: () => void;
}

export function useFlight({ currency, onNoFunds }: FlightOptions): OwnFlight {
  const userName = useSession((held) => held.session?.userName ?? null);
  const [table, dispatch] = useReducer(flightReducer, EMPTY_TABLE);
  const line = useFlights(userName, dispatch);
  const readMine = useOwnBets(userName, table, line, dispatch);
  const { flight, bet, queued } = table;
  const roundId = flight?.roundId ?? null;
  const phase = flight?.phase ?? null;

  const placing = useCommand("POST /api/v1/saranggola/bets", {
    onDone: (placed) => dispatch({ type: "bet", bet: placed }),
    onRefused: (error) => tellRefusal(error, onNoFunds),
  });
  const { send } = placing;
  const sending = placing.view.phase !== "rest";
  const place = useCallback(
    ({ stakeMinor, autoHundredths }: BetWish, flightId: Id<"round">) => {
      const stake = { minor: `${stakeMinor}`, currency };
      send({ roundId: flightId, stake, autoCashOut: autoHundredths });
    },
    [currency, send],
  );

  const open = phase === "waiting" && bet === null && !sending && line === "live";
  useEffect(() => {
    if (!open || queued === null || roundId === null || !isId("round", roundId)) return;
    dispatch(NO_WISH);
    place(queued, roundId);
  }, [open, queued, roundId, place]);

  const cashOut = useCommand("POST /api/v1/saranggola/cash-outs", {
    // Per bet: an unknown end of the last cash-out does not block the next one.
    purpose: bet?.id ?? "",
    pausesMs: CASH_AGAIN_MS,
    onDone: (paid) => dispatch({ type: "bet", bet: paid }),
    onRefused: (error) => {
      sayFault(error);
      readMine();
    },
  });
  const flying = phase === "flying";

  return {
    table,
    line,
    sending,
    checking: placing.view.phase === "checking" || cashOut.view.phase === "checking",
    cashing: cashOut.view.phase !== "rest",
    bet: (wish) => {
      if (open && roundId !== null && isId("round", roundId)) place(wish, roundId);
      else if (line === "live") dispatch({ type: "queue", wish });
    },
    cancel: () => dispatch(NO_WISH),
    cashOut: () => {
      if (bet?.state === "placed" && flying) cashOut.send({ betId: bet.id });
    },
  };
}

/** Follows the flights, and drops what waits for the next one where the player cannot see it. */
function useFlights(userName: string | null, dispatch: Dispatch<FlightEvent>): ChannelState {
  const [line, setLine] = useState<ChannelState>("connecting");
  useEffect(
    () =>
      live.subscribe("saranggola", {
        onSnapshot: (state) => {
          if (state === null) return;
          advanceClock(state.now);
          keepFlight(state);
          dispatch({ type: "snapshot", state });
        },
        onEvent: (event) => {
          if (event.type === "phase") {
            advanceClock(event.state.now);
            keepFlight(event.state);
          }
          dispatch({ type: "live", event });
        },
        onState: (state) => {
          setLine(state);
          if (state !== "live") dispatch(NO_WISH);
        },
      }),
    [dispatch],
  );

  // No bet is placed for a player who cannot see it, or for the next player on this phone.
  useEffect(() => {
    dispatch(NO_WISH);
    if (userName === null) return;
    const hidden = () => document.hidden && dispatch(NO_WISH);
    document.addEventListener("visibilitychange", hidden);
    return () => document.removeEventListener("visibilitychange", hidden);
  }, [userName, dispatch]);
  return line;
}

/** Asks for the player's bet when only the server knows its state; returns how to ask again. */
function useOwnBets(
  userName: string | null,
  { flight, bet }: FlightTable,
  line: ChannelState,
  dispatch: Dispatch<FlightEvent>,
): () => void {
  const roundId = flight?.roundId ?? null;
  const phase = flight?.phase ?? null;
  const readMine = useCallback(() => {
    if (userName === null) return;
    api
      .call("GET /api/v1/saranggola/bets/mine")
      .then(({ bets }) => dispatch({ type: "mine", bets }))
      // The next flight or the next reconnect asks again.
      .catch(() => undefined);
  }, [userName, dispatch]);

  // After a reload or a gap the server names the bet of the running flight.
  useEffect(() => {
    if (line === "live" && roundId !== null) readMine();
  }, [line, roundId, readMine]);

  useEffect(() => {
    if (phase !== "crashed" && phase !== "voided") return;
    const timer = setTimeout(() => {
      readMine();
      void queryClient.invalidateQueries({ queryKey: [OWN_KEY, "game-records"] });
    }, LATE_PAY_MS);
    return () => clearTimeout(timer);
  }, [phase, readMine]);

  const target = bet?.state === "placed" ? bet.autoCashOut : null;
  const startsAt = flight?.startsAt ?? 0;
  useEffect(() => {
    if (phase !== "flying" || target === null || line !== "live") return;
    let timer: ReturnType<typeof setTimeout>;
    const lookIn = (ms: number) => {
      timer = setTimeout(() => {
        readMine();
        lookIn(PAID_MS);
      }, ms);
    };
    lookIn(Math.max(0, startsAt + elapsedAtMs(target) - api.serverNow()) + PAID_MS);
    return () => clearTimeout(timer);
  }, [phase, line, startsAt, target, readMine]);
  return readMine;
}
