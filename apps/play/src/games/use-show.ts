import type { Round } from "@perya/contract/rounds";
import { useCallback, useEffect, useRef } from "react";
import { createSkipper, type Skipper } from "./skipper.ts";
import type { SoloTable } from "./use-solo-round.ts";

/**
 * Shows a round that was answered or is played again.
 * @param show ends when the round was shown to its end; after each wait it looks whether `steps`
 *   has stopped, because the player left
 */
export function useShow(
  { state, shown }: SoloTable,
  show: (round: Round, steps: Skipper, replaying: boolean) => Promise<void>,
) {
  const replaying = state.phase === "replaying";
  const answered = state.phase === "showing" ? state.reply.round : null;
  const showing = replaying ? state.round : answered;
  const latest = useRef({ show, shown });
  latest.current = { show, shown };
  const steps = useRef<Skipper | null>(null);
  useEffect(() => {
    if (showing === null) return;
    const mine = createSkipper();
    steps.current = mine;
    void latest.current.show(showing, mine, replaying).then(() => {
      if (!mine.stopped) latest.current.shown(showing.id);
    });
    return () => mine.stop();
  }, [showing, replaying]);
  return { showing, skip: useCallback(() => steps.current?.skip(), []) };
}
