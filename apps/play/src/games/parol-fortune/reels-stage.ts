import type { ParolSpin } from "@perya/games/parol-fortune";
import { REELS, STRIPS } from "@perya/games/parol-reels";
import { play } from "../sound.ts";
import { canvasPainter } from "./canvas-painter.ts";
import {
  blurAt,
  brake,
  isStanding,
  type Landing,
  landingOf,
  type Pace,
  positionAt,
  type ReelMotion,
} from "./reel-motion.ts";
import { litCells, type ReelsPainter, type ReelsView, shownLine } from "./reels-view.ts";
import { type SymbolPictures, symbolPictures } from "./symbol-pictures.ts";

export interface ReelsStage {
  /** Shows an old result, without movement. */
  rest(spin: ParolSpin): void;
  /** The reels turn until `land`. */
  spin(): void;
  /** Stops on a result; resolves when all reels have stopped. */
  land(spin: ParolSpin, pace: Pace): Promise<void>;
  /** The turning reels stop at once. */
  hurry(): void;
  /** The round was refused: the reels return to their earlier stops. */
  giveUp(): void;
  calm(reduced: boolean): void;
  destroy(): void;
}

const FADE_MS = 240;
const LINE_MS = 260;
/** After all lines together, each is shown alone for this long. */
const EACH_LINE_MS = 1_100;
const LOST_MAX = 3;

interface Shown {
  readonly spin: ParolSpin;
  readonly sinceMs: number;
}

/** The reels' own clock and picture; the caller decides what they show. */
export function createReelsStage(host: HTMLElement, onKind: (kind: string) => void): ReelsStage {
  let motions: ReelMotion[] = STRIPS.map(() => ({ kind: "rest", stop: 0 }));
  let painter: ReelsPainter | null = null;
  let pictures: SymbolPictures | null = null;
  let before: readonly number[] = STRIPS.map(() => 0);
  let wins: Shown | null = null;
  let landing: (Landing & { readonly startMs: number; readonly spin: ParolSpin }) | null = null;
  let landed: (() => void) | null = null;
  let stopped = 0;
  let fadeMs: number | null = null;
  let free = false;
  let reduced = false;
  let frame = 0;
  let losses = 0;
  let gone = false;

  async function build(): Promise<void> {
    pictures ??= await symbolPictures();
    if (gone) return;
    // The plain canvas is ready at once; WebGL replaces it when its code has loaded.
    use(canvasPainter(host, pictures));
    if (losses >= LOST_MAX || !hasWebgl()) return;
    try {
      const { pixiPainter } = await import("./pixi-painter.ts");
      const made = await pixiPainter(host, pictures, () => {
        losses += 1;
        void build();
      });
      if (gone) made.destroy();
      else use(made);
    } catch {
      // The driver failed after all: the plain canvas goes on drawing the same picture.
    }
  }

  function use(next: ReelsPainter): void {
    painter?.destroy();
    painter = next;
    onKind(next.kind);
    fit();
    wake();
  }

  function fit(): void {
    const { width, height } = host.getBoundingClientRect();
    if (painter === null || width === 0 || height === 0) return;
    painter.resize(width, height);
    wake();
  }

  function wake(): void {
    if (frame === 0 && !gone) frame = requestAnimationFrame(tick);
  }

  function tick(nowMs: number): void {
    frame = 0;
    advance(nowMs);
    painter?.draw(viewAt(nowMs));
    const moving = motions.some((motion) => !isStanding(motion, nowMs)) || fadeMs !== null;
    if (moving || landing !== null || (wins !== null && !reduced)) wake();
  }

  /** Lets reels brake and stop whose time has come. */
  function advance(nowMs: number): void {
    if (landing === null) return;
    if (reduced) {
      if (fadeMs !== null && nowMs < fadeMs + FADE_MS) return;
      fadeMs = null;
      stand();
      return;
    }
    const { brakeAtMs, brakeMs, startMs, spin, teased } = landing;
    motions = motions.map((motion, reel) => {
      const due = startMs + (brakeAtMs[reel] ?? 0);
      if (motion.kind !== "spin" || nowMs < due) return motion;
      if (teased[reel + 1] === true && teased[reel] !== true) play("tease");
      return brake(motion, spin.stops[reel] ?? 0, nowMs, brakeMs);
    });
    while (stopped < REELS) {
      const motion = motions[stopped];
      // The knock comes with the first touch of the stop, before the swing has settled.
      if (motion?.kind !== "brake" || nowMs < motion.startMs + motion.lengthMs * 0.6) break;
      play(spin.grid[stopped]?.includes("scatter") ? "scatter" : "stop");
      stopped += 1;
    }
    if (motions.every((motion) => motion.kind === "brake" && isStanding(motion, nowMs))) stand();
  }

  function stand(): void {
    const spin = landing?.spin;
    if (spin === undefined) return;
    motions = spin.stops.map((stop) => ({ kind: "rest", stop }));
    landing = null;
    wins = { spin, sinceMs: performance.now() };
    landed?.();
    landed = null;
  }

  function viewAt(nowMs: number): ReelsView {
    const shown = wins === null ? null : winsAt(wins, nowMs);
    const teased = motions.map(
      (motion, reel) => motion.kind !== "rest" && landing?.teased[reel] === true && stopped >= 2,
    );
    return {
      positions: motions.map((motion) => positionAt(motion, nowMs)),
      blurs: motions.map((motion) => blurAt(motion, nowMs)),
      teased,
      lit: shown?.lit ?? null,
      lines: shown?.lines ?? [],
      pulse: shown?.pulse ?? 0,
      alpha: fadeMs === null ? 1 : Math.max(0.15, 1 - (nowMs - fadeMs) / FADE_MS),
      free,
    };
  }

  function winsAt({ spin, sinceMs }: Shown, nowMs: number) {
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

  const sizes = new ResizeObserver(fit);
  sizes.observe(host);
  void build();

  return {
    rest(spin) {
      free = spin.kind === "free";
      motions = spin.stops.map((stop) => ({ kind: "rest", stop }));
      wins = { spin, sinceMs: performance.now() };
      wake();
    },
    spin() {
      const nowMs = performance.now();
      wins = null;
      stopped = 0;
      before = motions.map((motion) => positionAt(motion, nowMs));
      if (reduced) fadeMs = nowMs;
      else {
        motions = before.map((from, reel) => ({ kind: "spin", from, startMs: nowMs + reel * 30 }));
      }
      wake();
    },
    land(spin, pace) {
      free = spin.kind === "free";
      landing = { ...landingOf(spin.grid, pace), startMs: performance.now(), spin };
      wake();
      return new Promise((done) => {
        landed = done;
      });
    },
    hurry() {
      if (landing === null) return;
      const now = performance.now();
      landing = {
        ...landing,
        brakeAtMs: landing.brakeAtMs.map((_, reel) => now - landingStart(landing) + reel * 20),
        teased: landing.teased.map(() => false),
        brakeMs: 200,
      };
    },
    giveUp() {
      landing = null;
      fadeMs = null;
      motions = before.map((stop) => ({ kind: "rest", stop: Math.round(stop) }));
      wake();
    },
    calm(next) {
      reduced = next;
      wake();
    },
    destroy() {
      gone = true;
      cancelAnimationFrame(frame);
      sizes.disconnect();
      painter?.destroy();
      painter = null;
      landed?.();
    },
  };
}

function landingStart(landing: { readonly startMs: number } | null): number {
  return landing?.startMs ?? 0;
}

/** Software WebGL is slower than the plain canvas, so it does not count. */
function hasWebgl(): boolean {
  const probe = document.createElement("canvas");
  const context = probe.getContext("webgl2", { failIfMajorPerformanceCaveat: true });
  context?.getExtension("WEBGL_lose_context")?.loseContext();
  return context !== null;
}
