import { useEffect, useState } from "react";

const TICK_MS = 500;

/** Whole seconds until an instant of the server's clock; 0 when it has come or is null. */
export function useCountdown(untilMs: number | null, serverNow: () => number): number {
  const [left, setLeft] = useState(0);
  useEffect(() => {
    const look = () => {
      const ms = untilMs === null ? 0 : untilMs - serverNow();
      setLeft(Math.max(0, Math.ceil(ms / 1_000)));
      return ms > 0;
    };
    if (!look()) return;
    const timer = setInterval(() => {
      if (!look()) clearInterval(timer);
    }, TICK_MS);
    return () => clearInterval(timer);
  }, [untilMs, serverNow]);
  return left;
}
