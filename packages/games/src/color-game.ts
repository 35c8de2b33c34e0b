/**
 * Color Game, as played at every Filipino perya: three dice with six coloured faces. A bet on a
 * colour that shows on one, two or three dice wins 1, 2 or 3 times its stake, and the stake comes
 * back too. Of the 216 throws 75 show a given colour once, 15 twice and 1 three times, so a bet
 * returns (75 × 2 + 15 × 3 + 1 × 4) / 216 = 199/216: the house keeps 17/216.
 */
import { assert } from "@perya/kernel/assert";
import { ok, type Result, refuse } from "@perya/kernel/result";
import type { DrawStream } from "./fairness.ts";
import { type Rational, rational } from "./rational.ts";
import { soloGame } from "./solo-game.ts";
import {
  type FieldError,
  type FieldErrors,
  fitsRule,
  MAX_STAKE_MINOR,
  payOutMinor,
  readFields,
  readStake,
  type StakeRule,
} from "./stake.ts";

/** In the order of a die's faces: draw 0 is yellow, draw 5 green. */
export const COLOURS = ["yellow", "white", "pink", "blue", "red", "green"] as const;
export type Colour = (typeof COLOURS)[number];

export const DICE = 3;

/** What a bet of 1 wins besides its stake, by the number of dice that show its colour. */
export const COLOR_GAME_ODDS = [0, 1, 2, 3] as const;

/** Whole pesos per colour. */
const COLOR_GAME_STAKE: StakeRule = {
  minMinor: 100n,
  maxMinor: MAX_STAKE_MINOR,
  stepMinor: 100n,
};

/** Minor units by colour. */
export type ColorBets = Readonly<Partial<Record<Colour, bigint>>>;

export interface ColorChoices {
  /** For one to six colours. */
  readonly bets: ColorBets;
}

export interface ColourResult {
  readonly stakeMinor: string;
  readonly matches: number;
  /** Stake and winnings; "0" for a lost bet. */
  readonly payoutMinor: string;
}

export interface ColorOutcome {
  readonly dice: readonly Colour[];
  readonly perColour: Readonly<Partial<Record<Colour, ColourResult>>>;
}

export const colorGame = soloGame<ColorChoices, ColorOutcome>({
  id: "color-game",
  stake: COLOR_GAME_STAKE,
  parseChoices,
  stakeMinor: ({ bets }) => Object.values(bets).reduce((sum, minor) => sum + minor, 0n),
  play: (stream, { bets }) => playColorGame(stream, bets),
  maxPayoutMinor: ({ bets }) => largestPayout(Object.values(bets)),
  returnToPlayer: colorGameReturn,
  sampleChoices: { bets: { red: 100n } },
  drawnLines: ({ dice }) => [dice.join(" ")],
});

/** @param bets minor units that fit COLOR_GAME_STAKE, for at least one colour. */
export function playColorGame(
  stream: DrawStream,
  bets: ColorBets,
): { outcome: ColorOutcome; payoutMinor: bigint } {
  const dice = Array.from({ length: DICE }, () => face(stream.below(COLOURS.length)));
  return settleColorGame(dice, bets);
}

export function settleColorGame(
  dice: readonly Colour[],
  bets: ColorBets,
): { outcome: ColorOutcome; payoutMinor: bigint } {
  assert(dice.length === DICE, "three dice are thrown");
  const perColour: Partial<Record<Colour, ColourResult>> = {};
  let payoutMinor = 0n;
  for (const colour of COLOURS) {
    const stakeMinor = bets[colour];
    if (stakeMinor === undefined) continue;
    assert(fitsRule(stakeMinor, COLOR_GAME_STAKE), `the stake on ${colour} fits the rule`);
    const matches = dice.filter((die) => die === colour).length;
    const returned = returnedMinor(stakeMinor, matches);
    perColour[colour] = { stakeMinor: `${stakeMinor}`, matches, payoutMinor: `${returned}` };
    payoutMinor += returned;
  }
  return { outcome: { dice, perColour }, payoutMinor };
}

/** Counted over all 216 throws. */
export function colorGameReturn(): Rational {
  const stakeMinor = COLOR_GAME_STAKE.minMinor;
  let returned = 0n;
  let staked = 0n;
  for (const dice of allThrows()) {
    returned += settleColorGame(dice, { red: stakeMinor }).payoutMinor;
    staked += stakeMinor;
  }
  return rational(returned, staked);
}

/** Every throw once, in the order of the faces. */
export function allThrows(): readonly (readonly Colour[])[] {
  return COLOURS.flatMap((a) => COLOURS.flatMap((b) => COLOURS.map((c) => [a, b, c])));
}

export function isColour(text: string): text is Colour {
  return COLOURS.some((colour) => colour === text);
}

function parseChoices(raw: unknown): Result<ColorChoices, FieldErrors> {
  const choices = readFields("", raw, ["bets"]);
  if (!choices.ok) return choices;
  const fields = readFields("bets", choices.value.bets, COLOURS);
  if (!fields.ok) return fields;
  const errors: FieldError[] = [];
  const bets: Partial<Record<Colour, bigint>> = {};
  for (const colour of COLOURS) {
    if (!Object.hasOwn(fields.value, colour)) continue;
    const stake = readStake(`bets.${colour}`, fields.value[colour], COLOR_GAME_STAKE);
    if (stake.ok) bets[colour] = stake.value;
    else errors.push(stake.error);
  }
  if (errors.length > 0) return refuse(errors);
  if (Object.keys(bets).length === 0) return refuse([{ field: "bets", code: "required" }]);
  return ok({ bets });
}

/**
 * A throw shows one colour three times, or one twice and another once, or three once each; in each
 * shape the largest stakes give the largest payout.
 */
function largestPayout(stakes: readonly bigint[]): bigint {
  const [first = 0n, second = 0n, third = 0n] = [...stakes].sort((a, b) => Number(b - a));
  const shapes = [
    returnedMinor(first, 3),
    returnedMinor(first, 2) + returnedMinor(second, 1),
    returnedMinor(first, 1) + returnedMinor(second, 1) + returnedMinor(third, 1),
  ];
  return shapes.reduce((most, shape) => (shape > most ? shape : most));
}

function returnedMinor(stakeMinor: bigint, matches: number): bigint {
  const odds = COLOR_GAME_ODDS[matches] ?? 0;
  return odds === 0 ? 0n : stakeMinor + payOutMinor(stakeMinor, odds);
}

function face(draw: number): Colour {
  const colour = COLOURS[draw];
  assert(colour !== undefined, "a die has six faces");
  return colour;
}
