import type { Rain } from "@perya/contract/red-rain";

/** `over`: it has ended, and the next rain has not been read yet. */
export type RainPhase = "none" | "before" | "falling" | "over";

type Times = Pick<Rain, "startsAt" | "endsAt">;

const FALLING_LOOK_MS = 3_000;
const OVER_LOOK_MS = 1_500;
/** A moment after the second itself, which the server's clock must have reached. */
const AFTER_MS = 300;
const LONGEST_MS = 60_000;

export function phaseOf(rain: Times | null, nowMs: number): RainPhase {
  if (rain === null) return "none";
  if (nowMs < rain.startsAt) return "before";
  return nowMs < rain.endsAt ? "falling" : "over";
}

/** Milliseconds until the phase changes by itself, or null. */
export function phaseLeftMs(rain: Times | null, nowMs: number): number | null {
  if (rain === null || nowMs >= rain.endsAt) return null;
  return (nowMs < rain.startsAt ? rain.startsAt : rain.endsAt) - nowMs;
}

/** Milliseconds until the next read of the rains. */
export function nextLookMs(rain: Times | null, nowMs: number): number {
  const phase = phaseOf(rain, nowMs);
  if (phase === "over") return OVER_LOOK_MS;
  const most = phase === "falling" ? FALLING_LOOK_MS : LONGEST_MS;
  return Math.min(most, (phaseLeftMs(rain, nowMs) ?? LONGEST_MS) + AFTER_MS);
}
