/**
 * The position of each reel at each moment. A position is the strip index in the top row; it falls
 * while a reel turns, because the symbols move down. Times are milliseconds, speeds symbols per
 * second.
 */
import type { ParolSymbol } from "@perya/games/parol-reels";

export type ReelMotion =
  | { readonly kind: "rest"; readonly stop: number }
  | { readonly kind: "spin"; readonly from: number; readonly startMs: number }
  | {
      readonly kind: "brake";
      readonly stop: number;
      /** Symbols that still pass before it stops. */
      readonly travel: number;
      readonly startMs: number;
      readonly lengthMs: number;
    };

const SPEED = 24;
const SPIN_UP_MS = 160;
/** How far the brake swings past its stop before it settles. */
const SWING = 0.9;

export function positionAt(motion: ReelMotion, nowMs: number): number {
  if (motion.kind === "rest") return motion.stop;
  if (motion.kind === "spin") return motion.from - travelled(nowMs - motion.startMs);
  const share = Math.min(1, Math.max(0, (nowMs - motion.startMs) / motion.lengthMs));
  return motion.stop + motion.travel * (1 - brakeCurve(share));
}

/** 0 at rest to 1 at full speed, for the blur. */
export function blurAt(motion: ReelMotion, nowMs: number): number {
  if (motion.kind === "rest") return 0;
  const passedMs = Math.max(0, nowMs - motion.startMs);
  if (motion.kind === "spin") return Math.min(1, passedMs / SPIN_UP_MS);
  return Math.max(0, 1 - (passedMs / motion.lengthMs) * 2.2);
}

/**
 * Brakes a reel to a stop. It keeps its part of a symbol, so nothing jumps that the eye could
 * follow at this speed, and comes to rest exactly on the stop.
 */
export function brake(
  motion: ReelMotion,
  stop: number,
  nowMs: number,
  lengthMs: number,
): ReelMotion {
  const at = positionAt(motion, nowMs);
  const wanted = (SPEED * lengthMs) / 1_000 / (SWING + 3);
  const part = at - Math.floor(at);
  const travel = Math.max(1, Math.round(wanted)) + part;
  return { kind: "brake", stop, travel, startMs: nowMs, lengthMs };
}

export function isStanding(motion: ReelMotion, nowMs: number): boolean {
  if (motion.kind === "rest") return true;
  return motion.kind === "brake" && nowMs >= motion.startMs + motion.lengthMs;
}

function travelled(ms: number): number {
  if (ms <= 0) return 0;
  const seconds = ms / 1_000;
  const spinUp = SPIN_UP_MS / 1_000;
  return seconds < spinUp ? (SPEED * seconds ** 2) / (2 * spinUp) : SPEED * (seconds - spinUp / 2);
}

/** Fast at first, a little beyond the end, and back to it. */
function brakeCurve(share: number): number {
  const rest = share - 1;
  return 1 + (SWING + 1) * rest ** 3 + SWING * rest ** 2;
}

export interface Landing {
  /** When each reel starts to brake, after the result is known. */
  readonly brakeAtMs: readonly number[];
  readonly brakeMs: number;
  /** Reels that turn longer, because two scatters have landed and a third would count. */
  readonly teased: readonly boolean[];
}

const PACES = {
  normal: { firstMs: 320, betweenMs: 170, brakeMs: 460, teaseMs: 900 },
  quick: { firstMs: 40, betweenMs: 45, brakeMs: 260, teaseMs: 350 },
} as const;
export type Pace = keyof typeof PACES;

/** Reels stop from left to right; tension only where a free spin is still possible. */
export function landingOf(grid: readonly (readonly ParolSymbol[])[], pace: Pace): Landing {
  const { firstMs, betweenMs, brakeMs, teaseMs } = PACES[pace];
  const brakeAtMs: number[] = [];
  const teased: boolean[] = [];
  let atMs = firstMs;
  let scatters = 0;
  for (const reel of grid) {
    const tease = scatters >= 2;
    if (tease) atMs += teaseMs;
    brakeAtMs.push(atMs);
    teased.push(tease);
    atMs += betweenMs;
    if (reel.includes("scatter")) scatters += 1;
  }
  return { brakeAtMs, brakeMs, teased };
}
