import type { ParolSpin } from "@perya/games/parol-fortune";
import { REELS, STRIPS } from "@perya/games/parol-reels";
import { play } from "../sound.ts";
import {
  blurAt,
  brake,
  isStanding,
  type Landing,
  positionAt,
  type ReelMotion,
} from "./reel-motion.ts";
import { litCells, type ReelsView, shownLine } from "./reels-view.ts";

const FADE_MS = 240;
const LINE_MS = 260;
/** After all lines together, each is shown alone for this long. */
const EACH_LINE_MS = 1_100;

interface Shown {
  readonly spin: ParolSpin;
  readonly sinceMs: number;
}

export interface Reels {
  motions: ReelMotion[];
  wins: Shown | null;
  landing: (Landing & { readonly startMs: number; readonly spin: ParolSpin }) | null;
  /** Is called when all reels have stopped. */
  landed: (() => void) | null;
  /** Reels that have stopped, from the left. */
  stopped: number;
  /** When a cross-fade began, for players who want less motion. */
  fadeMs: number | null;
  reduced: boolean;
}

export function restingReels(): Reels {
  return {
    ...{ motions: STRIPS.map(() => ({ kind: "rest", stop: 0 })), wins: null },
    ...{ landing: null, landed: null, stopped: 0, fadeMs: null, reduced: false },
  };
}

export function isMoving(
  { motions, landing, wins, fadeMs, reduced }: Reels,
  nowMs: number,
): boolean {
  const turns = motions.some((motion) => !isStanding(motion, nowMs)) || fadeMs !== null;
  return turns || landing !== null || (wins !== null && !reduced);
}

/** Lets reels brake and stop whose time has come. */
export function advance(reels: Reels, nowMs: number): void {
  if (reels.landing === null) return;
  if (reels.reduced) {
    if (reels.fadeMs !== null && nowMs < reels.fadeMs + FADE_MS) return;
    reels.fadeMs = null;
    stand(reels);
    return;
  }
  const { brakeAtMs, brakeMs, startMs, spin, teased } = reels.landing;
  reels.motions = reels.motions.map((motion, reel) => {
    const due = startMs + (brakeAtMs[reel] ?? 0);
    if (motion.kind !== "spin" || nowMs < due) return motion;
    if (teased[reel + 1] === true && teased[reel] !== true) play("tease");
    return brake(motion, spin.stops[reel] ?? 0, nowMs, brakeMs);
  });
  while (reels.stopped < REELS) {
    const motion = reels.motions[reels.stopped];
    // The knock comes with the first touch of the stop, before the swing has settled.
    if (motion?.kind !== "brake" || nowMs < motion.startMs + motion.lengthMs * 0.6) break;
    play(spin.grid[reels.stopped]?.includes("scatter") ? "scatter" : "stop");
    reels.stopped += 1;
  }
  if (reels.motions.every((motion) => motion.kind === "brake" && isStanding(motion, nowMs)))
    stand(reels);
}

function stand(reels: Reels): void {
  const spin = reels.landing?.spin;
  if (spin === undefined) return;
  reels.motions = spin.stops.map((stop) => ({ kind: "rest", stop }));
  reels.landing = null;
  reels.wins = { spin, sinceMs: performance.now() };
  reels.landed?.();
  reels.landed = null;
}

export function viewAt(reels: Reels, nowMs: number): ReelsView {
  const shown = reels.wins === null ? null : winsAt(reels.wins, reels.reduced, nowMs);
  const teased = reels.motions.map(
    (motion, reel) =>
      motion.kind !== "rest" && reels.landing?.teased[reel] === true && reels.stopped >= 2,
  );
  return {
    positions: reels.motions.map((motion) => positionAt(motion, nowMs)),
    blurs: reels.motions.map((motion) => blurAt(motion, nowMs)),
    teased,
    lit: shown?.lit ?? null,
    lines: shown?.lines ?? [],
    pulse: shown?.pulse ?? 0,
    alpha: reels.fadeMs === null ? 1 : Math.max(0.15, 1 - (nowMs - reels.fadeMs) / FADE_MS),
  };
}

function winsAt({ spin, sinceMs }: Shown, reduced: boolean, nowMs: number) {
  const passedMs = nowMs - sinceMs;
  const { lineWins } = spin;
  const turn = Math.floor((passedMs - EACH_LINE_MS) / EACH_LINE_MS);
  const alone = !reduced && turn >= 0 && lineWins.length > 1;
  const now = alone ? lineWins.slice(turn % lineWins.length).slice(0, 1) : lineWins;
  const pulse = reduced ? 0 : (1 - Math.cos((passedMs / 600) * Math.PI)) / 2;
  const drawn = reduced ? 1 : Math.min(1, passedMs / LINE_MS);
  const lines = now.map((win) => shownLine(win, drawn));
  return { lit: litCells(spin, now), lines, pulse };
}
