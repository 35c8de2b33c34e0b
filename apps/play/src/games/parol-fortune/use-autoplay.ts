import { useCallback, useEffect, useRef, useState } from "react";
import {
  type Autoplay,
  type AutoplayPlan,
  afterSpin,
  mayPlay,
  startAutoplay,
} from "../autoplay.ts";
import type { SoloState } from "../solo-round.ts";

const PAUSE_MS = { normal: 700, quick: 250 } as const;

/** Spins again after each round until the plan, a refusal, the player or a hidden page ends it. */
export function useAutoplay(
  state: SoloState,
  stakeMinor: bigint,
  quick: boolean,
  spin: () => boolean,
) {
  const [run, setRun] = useState<Autoplay | null>(null);
  const counted = useRef<string | null>(null);
  const spinNow = useRef(spin);
  spinNow.current = spin;
  const { phase } = state;
  const round = state.phase === "rest" ? state.round : null;
  const stop = useCallback(() => setRun(null), []);

  useEffect(() => {
    // A lost connection ends the run too: no game plays for a player who cannot see it.
    if (run !== null && phase === "waiting") setRun(null);
    if (run === null || phase !== "rest") return;
    if (round !== null && counted.current !== null && counted.current !== round.id) {
      counted.current = round.id;
      const after = afterSpin(run, {
        stakeMinor: round.stake.minor,
        payoutMinor: round.payout.minor,
      });
      setRun(after.end === null ? after.run : null);
      return;
    }
    counted.current = round?.id ?? "";
    if (!mayPlay(run, stakeMinor)) {
      setRun(null);
      return;
    }
    const first = run.left === run.plan.count;
    const timer = setTimeout(
      () => {
        if (!spinNow.current()) setRun(null);
      },
      first ? 0 : PAUSE_MS[quick ? "quick" : "normal"],
    );
    return () => clearTimeout(timer);
  }, [run, phase, round, stakeMinor, quick]);

  useEffect(() => {
    if (run === null) return;
    const hidden = () => document.hidden && setRun(null);
    document.addEventListener("visibilitychange", hidden);
    addEventListener("offline", stop);
    return () => {
      document.removeEventListener("visibilitychange", hidden);
      removeEventListener("offline", stop);
    };
  }, [run, stop]);

  const start = useCallback((plan: AutoplayPlan) => {
    counted.current = null;
    setRun(startAutoplay(plan));
  }, []);
  return { run, start, stop };
}
