import type { Round } from "@perya/contract/rounds";
import { type ColorOutcome, DICE, isColour } from "@perya/games/color-game";

/** A round's outcome as the server stored it, or null when it is not one of Color Game. */
export function colorOutcome({ outcome }: Round): ColorOutcome | null {
  if (typeof outcome !== "object" || outcome === null) return null;
  if (!("dice" in outcome) || !("perColour" in outcome)) return null;
  const { dice, perColour } = outcome;
  if (!Array.isArray(dice) || dice.length !== DICE) return null;
  if (!dice.every((die) => typeof die === "string" && isColour(die))) return null;
  if (typeof perColour !== "object" || perColour === null) return null;
  // The dice were checked one by one; the server's own tests check the rest of the shape.
  return outcome as ColorOutcome;
}
