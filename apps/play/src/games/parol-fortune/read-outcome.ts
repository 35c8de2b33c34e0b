import type { Round } from "@perya/contract/rounds";
import { gridAt, type ParolOutcome, type ParolSpin } from "@perya/games/parol-fortune";
import { REELS } from "@perya/games/parol-reels";

/** A round's outcome as the server stored it, or null when it is not one of Parol Fortune. */
export function parolOutcome(round: Round): ParolOutcome | null {
  const { outcome } = round;
  if (typeof outcome !== "object" || outcome === null || !("spins" in outcome)) return null;
  const { spins } = outcome;
  if (!Array.isArray(spins) || spins.length === 0 || !spins.every(isSpin)) return null;
  // Its spins were checked one by one; the server's own tests check the rest of the shape.
  return outcome as ParolOutcome;
}

/** The table's picture before the first round. */
export const OPENING_SPIN: ParolSpin = (() => {
  const stops = [16, 11, 0, 15, 22];
  return {
    kind: "base",
    stops,
    grid: gridAt(stops),
    lineWins: [],
    scatters: 0,
    multiplier: 1,
    payUnits: 0,
    freeSpinsAwarded: 0,
    freeSpinsLeft: 0,
  };
})();

function isSpin(spin: unknown): boolean {
  return (
    typeof spin === "object" &&
    spin !== null &&
    "stops" in spin &&
    Array.isArray(spin.stops) &&
    spin.stops.length === REELS &&
    "grid" in spin &&
    Array.isArray(spin.grid) &&
    "lineWins" in spin &&
    Array.isArray(spin.lineWins)
  );
}
