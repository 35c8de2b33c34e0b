import { OWN_KEY } from "@perya/client/own-key";
import type { Round } from "@perya/contract/rounds";
import type { SoloGameId } from "@perya/games/solo-games";
import { type Money, subtract, zero } from "@perya/kernel/money";
import { useCallback, useEffect, useReducer, useState } from "react";
import { showWallet, useWallet } from "../parts/money/wallet.ts";
import { chooseOwnSeed } from "../parts/proofs/own-seed.ts";
import { keepPairs } from "../parts/proofs/shown-here.ts";
import { useCommand } from "../shell/command.tsx";
import { api, queryClient } from "../shell/server.ts";
import { useSession } from "../shell/session.ts";
import { roundIdOf, SOLO_START, type SoloState, soloReducer } from "./solo-round.ts";
import { tellRefusal } from "./tell-refusal.ts";

export interface SoloTable {
  readonly state: SoloState;
  /** The balance as far as it was shown: a win is added after its round was shown. */
  readonly balance: Money | null;
  readonly roundId: string | null;
  /** Plays a round unless one is under way; returns whether it began. */
  play(choices: Readonly<Record<string, unknown>>): boolean;
  replay(round: Round): void;
  /** The client has shown the round to its end. */
  shown(id: string): void;
}

export interface SoloOptions {
  /** The house refused; nothing was staked. */
  readonly onRefused: () => void;
  readonly onNoFunds: () => void;
}

export function useSoloRound(gameId: SoloGameId, options: SoloOptions): SoloTable {
  const [state, dispatch] = useReducer(soloReducer, SOLO_START);
  const userName = useSession(({ session }) => session?.userName ?? null);
  const wallet = useWallet();
  // Until its result was shown, a reload asks for the round again and shows it from the start.
  const { view, send, release } = useCommand("POST /api/v1/rounds", {
    purpose: gameId,
    held: true,
    onDone: (reply, { id }) => {
      keepRound(reply.round);
      dispatch({ type: "answered", id, reply });
    },
    onRefused: (error, { id }) => {
      dispatch({ type: "refused", id });
      options.onRefused();
      tellRefusal(error, options.onNoFunds);
    },
  });

  useEffect(() => {
    if (userName === null) return;
    dispatch({ type: "enter" });
    const stop = new AbortController();
    // The next opening repeats a failed choice; proofs of rounds until then name whose seed dealt
    // them.
    const seed = chooseOwnSeed(stop.signal).catch(() => undefined);
    const last = api
      .call("GET /api/v1/rounds/last", { query: { gameId }, signal: stop.signal })
      .then(({ round }) => round)
      .catch(() => null);
    // No round begins before both are settled: the house alone would have chosen its seeds.
    void Promise.all([last, seed]).then(([round]) => {
      if (stop.signal.aborted) return;
      if (round !== null) keepRound(round);
      dispatch({ type: "last", round });
    });
    return () => stop.abort();
  }, [gameId, userName]);

  useEffect(() => {
    if (view.phase === "rest") return;
    const { id, content } = view.sent;
    dispatch({ type: "play", id, choices: content.choices });
    if (view.phase === "checking") dispatch({ type: "lost", id });
  }, [view]);

  const live = wallet.data?.available ?? null;
  const balance = useSteadyBalance(state, live);

  const { phase } = state;
  const play = useCallback(
    (choices: Readonly<Record<string, unknown>>) => {
      const id = phase === "rest" ? send({ gameId, choices: { ...choices } }) : null;
      if (id !== null) dispatch({ type: "play", id, choices });
      return id !== null;
    },
    [gameId, phase, send],
  );

  const shown = useCallback(
    (id: string) => {
      if (state.phase === "showing" && state.id === id) {
        release(id);
        const { available, walletVersion } = state.reply;
        const held = wallet.data?.held ?? zero(available.currency);
        showWallet({ available, held }, walletVersion);
        void queryClient.invalidateQueries({ queryKey: [OWN_KEY, "game-records"] });
      }
      dispatch({ type: "shown", id });
    },
    [state, wallet.data?.held, release],
  );

  const replay = useCallback((round: Round) => dispatch({ type: "replay", round }), []);
  return { state, balance, roundId: roundIdOf(state), play, replay, shown };
}

/** Later rounds of its pair are checked against the hash that came with this one. */
function keepRound({ fairness }: Round): void {
  if (fairness.serverSeed === null) keepPairs(fairness);
}

/**
 * The socket reports bet and win at once, but the balance must not reveal a win before its round
 * was shown: until then it keeps its value, less the stake once the house has it.
 */
function useSteadyBalance(state: SoloState, live: Money | null): Money | null {
  const [kept, setKept] = useState<Money | null>(live);
  const steady = state.phase === "rest" || state.phase === "loading" || state.phase === "replaying";
  if (steady && live !== null && (kept?.minor !== live.minor || kept.currency !== live.currency)) {
    setKept(live);
  }
  if (state.phase === "showing") {
    return subtract(state.reply.available, state.reply.round.payout);
  }
  return steady ? live : kept;
}
