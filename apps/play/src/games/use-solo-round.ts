import { freshId } from "@perya/client/ids";
import { OWN_KEY } from "@perya/client/queries";
import { ApiRefusal, NetworkFailure } from "@perya/client/refused";
import type { RefusalCode } from "@perya/contract/refusal";
import type { Round } from "@perya/contract/rounds";
import { fromWire, type Money, type MoneyWire, subtract } from "@perya/kernel/money";
import { useCallback, useEffect, useReducer, useRef, useState } from "react";
import { sayFault } from "../shell/fault.ts";
import { api, queryClient } from "../shell/server.ts";
import { useSession } from "../shell/session.ts";
import { showWallet, useWallet } from "../shell/wallet.ts";
import { tabStore } from "./kept-text.ts";
import {
  dropPending,
  keepPending,
  type PendingRound,
  readPending,
  type SoloGameId,
} from "./pending-round.ts";
import { resendAfterMs, roundIdOf, SOLO_START, type SoloState, soloReducer } from "./solo-round.ts";

/** Refusals after which nobody knows yet whether the round was dealt: it is asked for again. */
const UNKNOWN: readonly RefusalCode[] = ["internal", "busy", "provider_unavailable"];
const NEEDS_LOGIN: readonly RefusalCode[] = ["session_ended", "not_logged_in"];

const store = tabStore();

export interface SoloTable {
  readonly state: SoloState;
  /** What the player has, as far as it was shown: a win comes in when its round was shown. */
  readonly balance: Money | null;
  readonly roundId: string | null;
  /** Plays a round unless one is under way; answers whether it was begun. */
  play(choices: Readonly<Record<string, unknown>>): boolean;
  replay(round: Round): void;
  /** The client has shown the round to its end. */
  shown(id: string): void;
}

export interface SoloOptions {
  /** The house said no; nothing was staked. */
  readonly onRefused: (code: RefusalCode | null) => void;
}

export function useSoloRound(gameId: SoloGameId, { onRefused }: SoloOptions): SoloTable {
  const [state, dispatch] = useReducer(soloReducer, SOLO_START);
  const session = useSession((held) => held.session);
  const wallet = useWallet();
  const refused = useRef(onRefused);
  refused.current = onRefused;
  const userName = session?.userName ?? null;
  const token = session?.token ?? null;

  useEffect(() => {
    if (userName === null) return;
    const kept = readPending(store, gameId, userName);
    if (kept !== null) {
      dispatch({ type: "play", pending: kept });
      return;
    }
    const stop = new AbortController();
    api
      .call("GET /api/v1/rounds/last", { query: { gameId }, signal: stop.signal })
      .then(({ round }) => dispatch({ type: "last", round }))
      .catch(() => {
        if (!stop.signal.aborted) dispatch({ type: "last", round: null });
      });
    return () => stop.abort();
  }, [gameId, userName]);

  const { phase } = state;
  const pending = "pending" in state ? state.pending : null;
  const attempt = "attempt" in state ? state.attempt : 0;

  useEffect(() => {
    if (phase !== "sending" || pending === null) return;
    let left = false;
    send(pending)
      .then((reply) => {
        if (!left) dispatch({ type: "answered", id: pending.id, reply });
      })
      .catch((error: unknown) => {
        if (left) return;
        const code = error instanceof ApiRefusal ? error.problem.code : null;
        if (error instanceof NetworkFailure || (code !== null && isOpen(code))) {
          dispatch({ type: "lost", id: pending.id });
          return;
        }
        dropPending(store, pending);
        dispatch({ type: "refused", id: pending.id });
        if (code !== "insufficient_funds") sayFault(error);
        refused.current(code);
      });
    return () => {
      left = true;
    };
  }, [phase, pending]);

  useEffect(() => {
    // Without a session there is nobody to answer; a log-in sends the round again.
    if (phase !== "waiting" || token === null || pending?.userName !== userName) return;
    const again = () => dispatch({ type: "again" });
    const timer = setTimeout(again, resendAfterMs(attempt));
    addEventListener("online", again);
    return () => {
      clearTimeout(timer);
      removeEventListener("online", again);
    };
  }, [phase, attempt, token, pending, userName]);

  const live = wallet.data === undefined ? null : fromWire(wallet.data.available);
  const balance = useSteadyBalance(state, live);

  const play = useCallback(
    (choices: Readonly<Record<string, unknown>>) => {
      if (userName === null || phase !== "rest") return false;
      const fresh: PendingRound = { id: freshId("round"), gameId, choices, userName };
      keepPending(store, fresh);
      dispatch({ type: "play", pending: fresh });
      return true;
    },
    [gameId, phase, userName],
  );

  const shown = useCallback(
    (id: string) => {
      if (state.phase === "showing" && state.pending.id === id) {
        dropPending(store, state.pending);
        const { available, walletVersion } = state.reply;
        const held = wallet.data?.held ?? { minor: "0", currency: available.currency };
        showWallet({ available, held }, walletVersion);
        void queryClient.invalidateQueries({ queryKey: [OWN_KEY, "game-records"] });
      }
      dispatch({ type: "shown", id });
    },
    [state, wallet.data?.held],
  );

  const replay = useCallback((round: Round) => dispatch({ type: "replay", round }), []);
  return { state, balance, roundId: roundIdOf(state), play, replay, shown };
}

function send({ id, gameId, choices }: PendingRound) {
  return api.call("POST /api/v1/rounds", { body: { id, gameId, choices: { ...choices } } });
}

function isOpen(code: RefusalCode): boolean {
  return UNKNOWN.includes(code) || NEEDS_LOGIN.includes(code);
}

/**
 * The socket tells bet and win at once, but a win must not be read off the balance before its
 * round was shown: until then it stays at what it was, less the stake once the house has it.
 */
function useSteadyBalance(state: SoloState, live: Money | null): Money | null {
  const [kept, setKept] = useState<Money | null>(live);
  const steady = state.phase === "rest" || state.phase === "loading" || state.phase === "replaying";
  if (steady && live !== null && (kept?.minor !== live.minor || kept.currency !== live.currency)) {
    setKept(live);
  }
  if (state.phase === "showing") return afterBet(state.reply.available, state.reply.round.payout);
  return steady ? live : kept;
}

function afterBet(available: MoneyWire, payout: MoneyWire): Money {
  return subtract(fromWire(available), fromWire(payout));
}
