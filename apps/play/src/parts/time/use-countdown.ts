import { useEffect, useState } from "react";
import { COUNTDOWN_TICK_MS } from "../../shell/timing.ts";

/** Whole seconds until an instant of the server's clock; 0 when it has come or is null. */
export function useCountdown(untilMs: number | null, serverNow: () => number): number {
  const [left, setLeft] = useState(0);
  useEffect(() => countDown(untilMs, serverNow, setLeft), [untilMs, serverNow]);
  return left;
}

/**
 * Reports the whole seconds left, at once and until none is left; returns how to stop it. A server
 * waits whole seconds, so a fraction above them at the start is the clock's error: a wait of 60 s
 * never begins at 61.
 */
export function countDown(
  untilMs: number | null,
  serverNow: () => number,
  tell: (leftS: number) => void,
): () => void {
  const leftMs = () => (untilMs === null ? 0 : untilMs - serverNow());
  const wholeS = Math.max(1, Math.round(leftMs() / 1_000));
  const look = () => {
    const ms = leftMs();
    tell(Math.max(0, Math.min(wholeS, Math.ceil(ms / 1_000))));
    return ms > 0;
  };
  if (!look()) return () => undefined;
  const timer = setInterval(() => {
    if (!look()) clearInterval(timer);
  }, COUNTDOWN_TICK_MS);
  return () => clearInterval(timer);
}
