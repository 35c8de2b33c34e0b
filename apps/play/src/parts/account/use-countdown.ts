import { useEffect, useState } from "react";
import { COUNTDOWN_TICK_MS } from "../../shell/timing.ts";

/** Whole seconds until an instant of the server's clock; 0 when it has come or is null. */
export function useCountdown(untilMs: number | null, serverNow: () => number): number {
  const [left, setLeft] = useState(0);
  useEffect(() => countDown(untilMs, serverNow, setLeft), [untilMs, serverNow]);
  return left;
}

/** Tells the whole seconds that are left, at once and until none is; answers how to stop it. */
export function countDown(
  untilMs: number | null,
  serverNow: () => number,
  tell: (leftS: number) => void,
): () => void {
  const look = () => {
    const ms = untilMs === null ? 0 : untilMs - serverNow();
    tell(Math.max(0, Math.ceil(ms / 1_000)));
    return ms > 0;
  };
  if (!look()) return () => undefined;
  const timer = setInterval(() => {
    if (!look()) clearInterval(timer);
  }, COUNTDOWN_TICK_MS);
  return () => clearInterval(timer);
}
