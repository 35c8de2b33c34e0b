/**
 * The interface of a game of one player against the house, for the game server and the fairness
 * page: choices in, outcome and payout back, decided by the draws alone.
 */
import { moneyReplacer } from "@perya/kernel/money";
import { ok, type Result } from "@perya/kernel/result";
import type { DrawStream } from "./fairness.ts";
import type { GameTerms } from "./house-game.ts";
import type { FieldErrors } from "./stake.ts";

export interface Played<Outcome> {
  /** Plain JSON: `JSON.parse(JSON.stringify(…))` gives it back unchanged. */
  readonly outcome: Outcome;
  /** Everything that goes back to the player, including the stakes of winning bets. */
  readonly payoutMinor: bigint;
}

export interface SoloRules<Choices, Outcome> extends GameTerms {
  readonly id: string;
  /** Reads plain JSON, which has amounts as decimal strings. Every error names its field. */
  readonly parseChoices: (raw: unknown) => Result<Choices, FieldErrors>;
  /** The cost of the round: the sum of its bets. */
  readonly stakeMinor: (choices: Choices) => bigint;
  readonly play: (stream: DrawStream, choices: Choices) => Played<Outcome>;
  /** The largest payout of a round with these choices: what the house must be able to cover. */
  readonly maxPayoutMinor: (choices: Choices) => bigint;
  /** Choices that are in order. What is drawn does not depend on the stakes. */
  readonly sampleChoices: Choices;
  /** What was drawn, in lines that a reader compares by eye. */
  readonly drawnLines: (outcome: Outcome) => readonly string[];
}

/** A round whose choices were accepted; nothing is drawn until `play`. */
interface OpenRound<Outcome> {
  /** The accepted ones as plain JSON; `open` of it opens the same round. */
  readonly choices: Readonly<Record<string, unknown>>;
  readonly stakeMinor: bigint;
  readonly maxPayoutMinor: bigint;
  readonly play: (stream: DrawStream) => Played<Outcome>;
}

export interface SoloGame<Choices, Outcome> extends SoloRules<Choices, Outcome> {
  /** For callers that know a game only by its id and need not know its types. */
  readonly open: (raw: unknown) => Result<OpenRound<Outcome>, FieldErrors>;
  /** What the draws give, in lines. */
  readonly draw: (stream: DrawStream) => readonly string[];
}

export function soloGame<Choices, Outcome>(
  rules: SoloRules<Choices, Outcome>,
): SoloGame<Choices, Outcome> {
  return {
    ...rules,
    draw: (stream) => rules.drawnLines(rules.play(stream, rules.sampleChoices).outcome),
    open: (raw) => {
      const parsed = rules.parseChoices(raw);
      if (!parsed.ok) return parsed;
      const choices = parsed.value;
      return ok({
        choices: JSON.parse(JSON.stringify(choices, moneyReplacer)),
        stakeMinor: rules.stakeMinor(choices),
        maxPayoutMinor: rules.maxPayoutMinor(choices),
        play: (stream: DrawStream) => rules.play(stream, choices),
      });
    },
  };
}
