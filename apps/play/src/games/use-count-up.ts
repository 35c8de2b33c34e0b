import { divideRounded } from "@perya/kernel/money";
import { useEffect, useState } from "react";
import { countTick } from "./sound.ts";

/** A win plays 1.2 s at most (look and feel, motion). */
const COUNT_MS = 1_100;
const TICK_MS = 90;

/**
 * Counts an amount of minor units up from zero and ends exactly on it.
 * @param running false shows the amount at once: a skip, reduced motion, no win.
 */
export function useCountUp(minor: bigint, running: boolean): bigint {
  const [shown, setShown] = useState(minor);
  useEffect(() => {
    if (!running || minor === 0n) {
      setShown(minor);
      return;
    }
    const startMs = performance.now();
    let tickedMs = 0;
    let frame = 0;
    const draw = (nowMs: number) => {
      // A frame may carry a time from before this began.
      const share = Math.min(1, Math.max(0, (nowMs - startMs) / COUNT_MS));
      const eased = 1 - (1 - share) ** 3;
      // A share of the amount for the eye alone; the last frame shows the amount itself.
      setShown(
        share === 1
          ? minor
          : divideRounded(minor * BigInt(Math.round(eased * 10_000)), 10_000n, "down"),
      );
      if (nowMs - tickedMs > TICK_MS && share < 1) {
        tickedMs = nowMs;
        countTick(eased);
      }
      if (share < 1) frame = requestAnimationFrame(draw);
    };
    frame = requestAnimationFrame(draw);
    return () => cancelAnimationFrame(frame);
  }, [minor, running]);
  return running ? shown : minor;
}
