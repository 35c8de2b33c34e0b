/** When a run of automatic spins ends: always by a count, and by the player's other limits. */
export interface AutoplayPlan {
  /** Spins to play: at least one. */
  readonly count: number;
  readonly stopOnWin: boolean;
  /** The most that the run may cost on balance, in minor units; null for no limit of its own. */
  readonly lossLimitMinor: bigint | null;
}

export interface Autoplay {
  readonly plan: AutoplayPlan;
  readonly left: number;
  /** Stakes less payouts so far; below zero when the run is ahead. */
  readonly lostMinor: bigint;
}

export const AUTOPLAY_COUNTS = [10, 25, 50, 100] as const;

export type AutoplayEnd = "count" | "win" | "loss_limit";

export function startAutoplay(plan: AutoplayPlan): Autoplay {
  return { plan, left: plan.count, lostMinor: 0n };
}

/** Whether the next spin may be played: the limit holds even if that spin loses it all. */
export function mayPlay({ plan, left, lostMinor }: Autoplay, stakeMinor: bigint): boolean {
  if (left <= 0) return false;
  return plan.lossLimitMinor === null || lostMinor + stakeMinor <= plan.lossLimitMinor;
}

/** A win pays more than its stake. */
export function afterSpin(
  run: Autoplay,
  spin: { readonly stakeMinor: bigint; readonly payoutMinor: bigint },
): { readonly run: Autoplay; readonly end: AutoplayEnd | null } {
  const { stakeMinor, payoutMinor } = spin;
  const next: Autoplay = {
    plan: run.plan,
    left: run.left - 1,
    lostMinor: run.lostMinor + stakeMinor - payoutMinor,
  };
  if (run.plan.stopOnWin && payoutMinor > stakeMinor) return { run: next, end: "win" };
  if (next.left <= 0) return { run: next, end: "count" };
  return { run: next, end: mayPlay(next, stakeMinor) ? null : "loss_limit" };
}
