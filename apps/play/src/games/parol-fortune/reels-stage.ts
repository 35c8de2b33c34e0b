import type { ParolSpin } from "@perya/games/parol-fortune";
import { createPainterHost } from "./painter-host.ts";
import { landingOf, type Pace, positionAt } from "./reel-motion.ts";
import { advance, isMoving, restingReels, viewAt } from "./reels.ts";

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

/** The reels' own clock and picture; the caller decides what they show. */
export function createReelsStage(host: HTMLElement, onKind: (kind: string) => void): ReelsStage {
  const reels = restingReels();
  let before: readonly number[] = reels.motions.map(() => 0);
  let frame = 0;
  let gone = false;
  const painter = createPainterHost(host, onKind, wake);

  function wake(): void {
    if (frame === 0 && !gone) frame = requestAnimationFrame(tick);
  }

  function tick(nowMs: number): void {
    frame = 0;
    advance(reels, nowMs);
    painter.draw(viewAt(reels, nowMs));
    if (isMoving(reels, nowMs)) wake();
  }

  return {
    rest(spin) {
      reels.motions = spin.stops.map((stop) => ({ kind: "rest", stop }));
      reels.wins = { spin, sinceMs: performance.now() };
      wake();
    },
    spin() {
      const nowMs = performance.now();
      reels.wins = null;
      reels.stopped = 0;
      before = reels.motions.map((motion) => positionAt(motion, nowMs));
      if (reels.reduced) reels.fadeMs = nowMs;
      else {
        const start = (from: number, reel: number) =>
          ({ kind: "spin", from, startMs: nowMs + reel * 30 }) as const;
        reels.motions = before.map(start);
      }
      wake();
    },
    land(spin, pace) {
      reels.landing = { ...landingOf(spin.grid, pace), startMs: performance.now(), spin };
      wake();
      return new Promise((done) => {
        reels.landed = done;
      });
    },
    hurry() {
      const { landing } = reels;
      if (landing === null) return;
      const sinceMs = performance.now() - landing.startMs;
      reels.landing = {
        ...landing,
        brakeAtMs: landing.brakeAtMs.map((_, reel) => sinceMs + reel * 20),
        teased: landing.teased.map(() => false),
        brakeMs: 200,
      };
    },
    giveUp() {
      reels.landing = null;
      reels.fadeMs = null;
      reels.motions = before.map((stop) => ({ kind: "rest", stop: Math.round(stop) }));
      wake();
    },
    calm(next) {
      reels.reduced = next;
      wake();
    },
    destroy() {
      gone = true;
      cancelAnimationFrame(frame);
      painter.destroy();
      reels.landed?.();
    },
  };
}
