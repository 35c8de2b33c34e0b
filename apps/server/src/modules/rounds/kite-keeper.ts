import { elapsedAtMs, flightEndsAtMs } from "@perya/games/saranggola";
import { CLOCKS_APART_MS, type Clock } from "@perya/kernel/instant";
import type { Kept, Pace } from "../../platform/keeper.ts";
import { CRASHED_MS, type Saranggola } from "./saranggola.ts";

/**
 * Flies one kite after another. What is paid follows from the seed, the stored take-off and the
 * instants at which calls came in, not from when the keeper woke.
 */
export function keptKite(saranggola: Saranggola, clock: Clock): Kept {
  async function fly({ until, wait }: Pace): Promise<void> {
    const flight = await saranggola.prepare();
    const startsAt = flight.starts_at.getTime();
    if (!(await until(startsAt))) return;
    const bets = await saranggola.takeOff(flight);
    const targets = bets
      .flatMap((bet) =>
        bet.auto_cash_out !== null && bet.auto_cash_out <= flight.crash_at
          ? [{ bet, target: bet.auto_cash_out }]
          : [],
      )
      .sort((a, b) => a.target - b.target);
    for (const { bet, target } of targets) {
      if (!(await until(startsAt + elapsedAtMs(target)))) return;
      await saranggola.pay(bet, target);
    }
    // Nobody hears of the end while it is still to come by the clock that judges a cash-out.
    if (!(await until(startsAt + flightEndsAtMs(flight.crash_at) + CLOCKS_APART_MS))) return;
    await saranggola.crash(flight, wait);
    await until(clock.now() + CRASHED_MS);
  }

  return {
    watch: () => saranggola.watch(),
    async takeOver({ until }) {
      const voided = await saranggola.voidInterrupted();
      await saranggola.settleEnded();
      // The next kite takes the voided one off the screens, and with it the word of refunds.
      if (voided) await until(clock.now() + CRASHED_MS);
    },
    round: fly,
  };
}
