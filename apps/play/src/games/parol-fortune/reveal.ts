import type { ParolOutcome, ParolSpin } from "@perya/games/parol-fortune";
import type { Skipper } from "../skipper.ts";
import { play } from "../sound.ts";
import type { Pace } from "./reel-motion.ts";
import type { ReelsStage } from "./reels-stage.ts";

/** The texts around the reels while a round is shown. */
export interface Show {
  readonly spin: ParolSpin | null;
  /** Line bets won so far, including this spin once its reels stop. */
  readonly units: number;
  /** Free spins: the number of this one, and of all so far; null in the paid spin. */
  readonly free: { readonly number: number; readonly of: number } | null;
  readonly card: ShowCard | null;
}

type ShowCard =
  | { readonly kind: "awarded"; readonly spins: number; readonly more: boolean }
  | { readonly kind: "total"; readonly units: number };

export const NO_SHOW: Show = { spin: null, units: 0, free: null, card: null };

const CARD_MS = 2_000;
const BETWEEN_MS = { normal: 420, quick: 160 } as const;
const WIN_MS = { normal: 1_000, quick: 500 } as const;

/** Plays a round from its first landing to its last; the reels of the paid spin turn already. */
export async function reveal(
  outcome: ParolOutcome,
  stage: ReelsStage,
  skipper: Skipper,
  pace: Pace,
  tell: (show: Show) => void,
): Promise<void> {
  let units = 0;
  let awarded = 0;
  for (const [index, spin] of outcome.spins.entries()) {
    const free = index === 0 ? null : { number: index, of: awarded };
    if (index > 0) {
      stage.spin();
      tell({ spin: null, units, free, card: null });
      await skipper.wait(BETWEEN_MS[pace]);
    }
    await skipper.during(stage.land(spin, pace), stage.hurry);
    if (skipper.stopped) return;
    units += spin.payUnits;
    tell({ spin, units, free, card: null });
    if (spin.payUnits > 0 && outcome.spins.length > 1) play("win");
    const last = index === outcome.spins.length - 1;
    if (spin.freeSpinsAwarded > 0) {
      awarded += spin.freeSpinsAwarded;
      play("free");
      await skipper.wait(WIN_MS[pace]);
      const card = { kind: "awarded", spins: spin.freeSpinsAwarded, more: index > 0 } as const;
      tell({ spin, units, free, card });
      await skipper.wait(CARD_MS);
    } else if (!last) {
      await skipper.wait(spin.payUnits > 0 ? WIN_MS[pace] : BETWEEN_MS[pace]);
    }
    if (skipper.stopped) return;
  }
  if (outcome.spins.length > 1) {
    const free = { number: outcome.spins.length - 1, of: awarded };
    tell({ spin: null, units, free, card: { kind: "total", units } });
    await skipper.wait(CARD_MS);
  }
}
