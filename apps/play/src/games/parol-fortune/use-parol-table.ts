import type { ParolSpin } from "@perya/games/parol-fortune";
import { moneyLabel } from "@perya/ui/money-text";
import { useReducedMotion } from "@perya/ui/reduced-motion";
import { useEffect, useRef, useState } from "react";
import { useText } from "../../shell/text.ts";
import { useKeptFlag, useKeptStake } from "../kept-stake.ts";
import { celebrate, isWin, type SoloResult, soloResult } from "../solo-stage.tsx";
import { announce, play } from "../sound.ts";
import { PAROL_LADDER } from "../stake-ladder.ts";
import { useShow } from "../use-show.ts";
import { useSoloRound } from "../use-solo-round.ts";
import { OPENING_SPIN, parolOutcome } from "./read-outcome.ts";
import { createReelsStage, type ReelsStage } from "./reels-stage.ts";
import { NO_SHOW, reveal, type Show } from "./reveal.ts";
import { useAutoplay } from "./use-autoplay.ts";

/** From this many stakes on, a win fills the whole stage for its moment. */
const BIG_WIN = 10n;

export type ParolTable = ReturnType<typeof useParolTable>;

export function useParolTable(onNoFunds: () => void) {
  const { t } = useText();
  const [quick, setQuick] = useKeptFlag("MC_QUICK_SPIN");
  const stake = useKeptStake("parol", PAROL_LADDER, 1_000n);
  const [show, setShow] = useState<Show>(NO_SHOW);
  const [result, setResult] = useState<SoloResult | null>(null);
  const [grid, setGrid] = useState<ParolSpin>(OPENING_SPIN);
  const { stage, ...reels } = useReels();
  const solo = useSoloRound("parol-fortune", {
    onNoFunds,
    onRefused: () => {
      auto.stop();
      stage.current?.giveUp();
    },
  });
  const { state } = solo;
  const { phase } = state;

  const clear = () => {
    setResult(null);
    setShow(NO_SHOW);
  };
  const spin = () => {
    clear();
    play("spin");
    return solo.play({ stakeMinor: `${stake.minor}` });
  };
  const auto = useAutoplay(state, stake.minor, quick, spin);

  useEffect(() => {
    if (phase === "sending") stage.current?.spin();
  }, [phase, stage]);

  const atRest = state.phase === "rest" ? state.round : null;
  useEffect(() => {
    const last = atRest === null ? undefined : parolOutcome(atRest)?.spins.at(-1);
    if (atRest === null || last === undefined) return;
    setGrid(last);
    setResult((known) => {
      if (known?.id === atRest.id) return known;
      stage.current?.rest(last);
      return soloResult(atRest, false);
    });
  }, [atRest, stage]);

  const { showing, skip } = useShow(solo, async (round, steps, replaying) => {
    const outcome = parolOutcome(round);
    if (outcome === null || stage.current === null) return;
    clear();
    // The reels of a sent round turn already; those of a replay or after a reload do not yet.
    if (replaying) stage.current.spin();
    await reveal(outcome, stage.current, steps, quick ? "quick" : "normal", setShow);
    if (steps.stopped) return;
    const end = soloResult(round, true);
    setGrid((known) => outcome.spins.at(-1) ?? known);
    setShow((now) => ({ ...now, card: null }));
    setResult(end);
    if (isBig(end)) announce(sayResult(t, end));
    await celebrate(end, steps, isBig(end) ? "bigWin" : "win");
  });

  const said = result?.fresh === true ? sayResult(t, result) : "";
  const unit = showing === null ? stake.minor : showing.stake.minor;
  const big = phase !== "rest" && result?.fresh === true && isBig(result);
  return {
    ...{ solo, stake, quick, setQuick, show, result, grid, reels, auto, spin, skip },
    ...{ said, unit, big },
  };
}

function useReels() {
  const reduced = useReducedMotion();
  const [painter, setPainter] = useState("");
  const host = useRef<HTMLDivElement>(null);
  const stage = useRef<ReelsStage | null>(null);
  useEffect(() => {
    if (host.current === null) return;
    const made = createReelsStage(host.current, setPainter);
    stage.current = made;
    made.rest(OPENING_SPIN);
    return () => {
      stage.current = null;
      made.destroy();
    };
  }, []);
  useEffect(() => stage.current?.calm(reduced), [reduced]);
  return { host, stage, painter };
}

function isBig({ payoutMinor, stakeMinor }: SoloResult): boolean {
  return payoutMinor >= stakeMinor * BIG_WIN;
}

function sayResult(t: ReturnType<typeof useText>["t"], result: SoloResult): string {
  const amount = moneyLabel({ minor: result.payoutMinor, currency: result.currency });
  if (result.payoutMinor === 0n) return t("games.said_nothing");
  return t(isWin(result) ? "games.said_win" : "games.said_back", { amount });
}
