import type { Round } from "@perya/contract/rounds";
import { describe, expect, it } from "vitest";
import { colorOutcome } from "./color-game/read-outcome.ts";
import { OPENING_SPIN, parolOutcome } from "./parol-fortune/read-outcome.ts";

/** No other part of a round is read. */
function round(outcome: unknown): Round {
  return { outcome } as Round;
}

const NOTHING = [null, undefined, "spins", 7, {}];

describe("a stored outcome", () => {
  it("belongs to Parol Fortune where it has spins, each with its stops, its grid and its wins", () => {
    const outcome = { spins: [OPENING_SPIN, OPENING_SPIN] };
    expect(parolOutcome(round(outcome))).toBe(outcome);
    const { stops, grid, lineWins } = OPENING_SPIN;
    const bad = [
      ...[null, 7, "spin", {}],
      ...[
        { grid, lineWins },
        { stops, lineWins },
        { stops, grid },
      ],
      { stops: stops.slice(1), grid, lineWins },
      { stops: "12345", grid, lineWins },
      { stops, grid: {}, lineWins },
      { stops, grid, lineWins: {} },
    ];
    for (const spin of bad) {
      expect(parolOutcome(round({ spins: [OPENING_SPIN, spin] }))).toBeNull();
    }
    for (const other of [...NOTHING, { spins: [] }, { spins: "spins" }, { spins: {} }]) {
      expect(parolOutcome(round(other))).toBeNull();
    }
  });

  it("belongs to Color Game where it has three dice of its colours and the winnings of each colour", () => {
    const outcome = { dice: ["red", "blue", "red"], perColour: {} };
    expect(colorOutcome(round(outcome))).toBe(outcome);
    const { dice, perColour } = outcome;
    const bad = [
      ...[{ dice }, { perColour }, { dice, perColour: null }, { dice, perColour: 7 }],
      { dice: ["red", "blue"], perColour },
      { dice: ["red", "blue", "mauve"], perColour },
      { dice: ["red", "blue", 7], perColour },
      { dice: { length: 3, every: () => true }, perColour },
    ];
    for (const other of [...NOTHING, ...bad]) expect(colorOutcome(round(other))).toBeNull();
  });
});
