import { freshId } from "@perya/client/ids";
import type { ChannelState } from "@perya/client/live";
import { OWN_KEY } from "@perya/client/queries";
import { ApiRefusal, NetworkFailure } from "@perya/client/refused";
import type { RefusalCode } from "@perya/contract/refusal";
import { type Id, isId } from "@perya/kernel/ids";
import type { Currency } from "@perya/kernel/money";
import { useCallback, useEffect, useReducer, useRef, useState } from "react";
import { sayFault } from "../../shell/fault.ts";
import { api, live, queryClient } from "../../shell/server.ts";
import { useSession } from "../../shell/session.ts";
import { tabStore } from "../kept-text.ts";
import { resendAfterMs } from "../solo-round.ts";
import { type BetWish, EMPTY_TABLE, type KiteTable, kiteReducer } from "./kite-table.ts";
import { dropBet, keepBet, type PendingBet, readBet } from "./pending-bet.ts";

const store = tabStore();
/** A cash-out whose answer was lost is sent again soon: the kite does not wait. */
const CASH_AGAIN_MS = 400;
/** Automatic cash-outs may be paid up to a second after the crash. */
const LATE_PAY_MS = 1_600;

export interface Kite {
  readonly table: KiteTable;
  readonly line: ChannelState;
  readonly sending: PendingBet | null;
  /** The bet whose cash-out is on its way. */
  readonly cashing: string | null;
  /** Bets now when the kite waits, else on the next one. */
  bet(wish: BetWish): void;
  cancel(): void;
  cashOut(): void;
}

export interface KiteOptions {
  readonly currency: Currency;
  readonly onRefused: (code: RefusalCode) => void;
}

export function useKite({ currency, onRefused }: KiteOptions): Kite {
  const session = useSession((held) => held.session);
  const userName = session?.userName ?? null;
  const [table, dispatch] = useReducer(kiteReducer, EMPTY_TABLE);
  const [line, setLine] = useState<ChannelState>("connecting");
  const [sending, setSending] = useState(() => readBet(store, userName));
  const [cashing, setCashing] = useState<string | null>(null);
  const refused = useRef(onRefused);
  refused.current = onRefused;

  const { flight, bet, queued } = table;
  const roundId = flight?.roundId ?? null;
  const phase = flight?.phase ?? null;

  useEffect(
    () =>
      live.subscribe("saranggola", {
        onSnapshot: (state) => {
          neverBehind(state.now);
          dispatch({ type: "snapshot", state });
        },
        onEvent: (event) => {
          if (event.type === "phase") neverBehind(event.state.now);
          dispatch({ type: "live", event });
        },
        onState: setLine,
      }),
    [],
  );

  const readMine = useCallback(() => {
    if (userName === null) return;
    api
      .call("GET /api/v1/saranggola/bets/mine")
      .then(({ bets }) => dispatch({ type: "mine", bets }))
      // The next flight or the next reconnect asks again.
      .catch(() => undefined);
  }, [userName]);

  // After a reload or a gap the bet of the running flight is the server's to tell.
  useEffect(() => {
    if (line === "live" && roundId !== null) readMine();
  }, [line, roundId, readMine]);

  useEffect(() => {
    if (phase !== "crashed") return;
    const timer = setTimeout(() => {
      readMine();
      void queryClient.invalidateQueries({ queryKey: [OWN_KEY, "game-records"] });
    }, LATE_PAY_MS);
    return () => clearTimeout(timer);
  }, [phase, readMine]);

  useEffect(() => {
    if (sending === null || userName !== sending.userName) return;
    let left = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const attempt = (count: number) => {
      const { id, roundId: flightId, stake, autoCashOut } = sending;
      api
        .call("POST /api/v1/saranggola/bets", {
          body: { id, roundId: flightId, stake, autoCashOut },
        })
        .then((placed) => {
          dropBet(store);
          if (left) return;
          dispatch({ type: "bet", bet: placed });
          setSending(null);
        })
        .catch((error: unknown) => {
          if (left) return;
          if (isUnknown(error)) {
            timer = setTimeout(() => attempt(count + 1), resendAfterMs(count));
            return;
          }
          dropBet(store);
          setSending(null);
          if (!(error instanceof ApiRefusal)) return;
          const { code } = error.problem;
          if (code !== "insufficient_funds") sayFault(error);
          refused.current(code);
        });
    };
    attempt(1);
    return () => {
      left = true;
      clearTimeout(timer);
    };
  }, [sending, userName]);

  const place = useCallback(
    (wish: BetWish, flightId: Id<"round">) => {
      if (userName === null) return;
      const pending: PendingBet = {
        id: freshId("bet"),
        roundId: flightId,
        stake: { minor: `${wish.stakeMinor}`, currency },
        autoCashOut: wish.autoHundredths,
        userName,
      };
      keepBet(store, pending);
      setSending(pending);
    },
    [currency, userName],
  );

  const open = phase === "waiting" && bet === null && sending === null && line === "live";
  useEffect(() => {
    if (!open || queued === null || roundId === null || !isId("round", roundId)) return;
    dispatch({ type: "queue", wish: null });
    place(queued, roundId);
  }, [open, queued, roundId, place]);

  const betId = bet?.id ?? null;
  const flying = phase === "flying";
  useEffect(() => {
    if (cashing === null) return;
    if (cashing !== betId || !flying) {
      setCashing(null);
      return;
    }
    let left = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const attempt = () => {
      api
        .call("POST /api/v1/saranggola/cash-outs", { body: { betId: cashing } })
        .then((paid) => {
          if (left) return;
          dispatch({ type: "bet", bet: paid });
          setCashing(null);
        })
        .catch((error: unknown) => {
          if (left) return;
          if (error instanceof NetworkFailure) {
            timer = setTimeout(attempt, CASH_AGAIN_MS);
            return;
          }
          setCashing(null);
          sayFault(error);
          readMine();
        });
    };
    attempt();
    return () => {
      left = true;
      clearTimeout(timer);
    };
  }, [cashing, betId, flying, readMine]);

  return {
    table,
    line,
    sending,
    cashing,
    bet: (wish) => {
      if (open && roundId !== null && isId("round", roundId)) place(wish, roundId);
      else dispatch({ type: "queue", wish });
    },
    cancel: () => dispatch({ type: "queue", wish: null }),
    cashOut: () => {
      if (bet?.state === "placed" && flying) setCashing(bet.id);
    },
  };
}

/** The heartbeat aligns the clock; before its first answer this keeps it from lagging behind. */
function neverBehind(serverNowMs: number): void {
  if (serverNowMs > api.serverNow()) api.alignClock(serverNowMs);
}

/** Nobody knows whether the bet was taken: it is asked for again with the same id. */
function isUnknown(error: unknown): boolean {
  if (error instanceof NetworkFailure) return true;
  if (!(error instanceof ApiRefusal)) return false;
  return ["internal", "busy", "session_ended", "not_logged_in"].includes(error.problem.code);
}
