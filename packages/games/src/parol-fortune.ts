/**
 * Parol Fortune: a slot of five reels and three rows with 20 fixed lines.
 *
 * A line pays its first reel's symbol from left to right for three, four or five in a row; the
 * parol (wild) appears on reels 2 to 4 and replaces every symbol except the star (scatter). Three,
 * four or five stars anywhere give 10, 12 or 15 free spins, in which every win counts three times;
 * stars in free spins give as many more, up to 50 in one round. Figures: `parol-return.ts`.
 */
import { assert, present } from "@perya/kernel/assert";
import { ok, type Result, refuse } from "@perya/kernel/result";
import type { DrawStream } from "./fairness.ts";
import {
  FREE_SPIN_MULTIPLIER,
  freeSpinsFor,
  isPaying,
  LINES,
  type LinePays,
  MAX_FREE_SPINS,
  PAYTABLE,
  type ParolSymbol,
  type PayingSymbol,
  ROWS,
  STRIPS,
  type Strips,
} from "./parol-reels.ts";
import { PAROL_FIGURES, parolReturn } from "./parol-return.ts";
import { type Played, soloGame } from "./solo-game.ts";
import {
  type FieldErrors,
  fitsRule,
  MAX_STAKE_MINOR,
  payOutMinor,
  readFields,
  readStake,
  type StakeRule,
} from "./stake.ts";

/** A line costs a twentieth of the stake, so stakes are multiples of 20 minor units. */
export const PAROL_STAKE: StakeRule = {
  minMinor: 20n,
  maxMinor: MAX_STAKE_MINOR,
  stepMinor: BigInt(LINES.length),
};

export interface ParolChoices {
  readonly stakeMinor: bigint;
}

export interface LineWin {
  readonly line: number;
  readonly symbol: PayingSymbol;
  readonly count: keyof LinePays;
  /** In line bets (stake ÷ 20), the spin's multiplier included. */
  readonly payUnits: number;
}

export interface ParolSpin {
  readonly kind: "base" | "free";
  /** The strip position in the top row, per reel. */
  readonly stops: readonly number[];
  /** By reel, then from the top row down. */
  readonly grid: readonly (readonly ParolSymbol[])[];
  readonly lineWins: readonly LineWin[];
  readonly scatters: number;
  readonly multiplier: number;
  /** The sum of the line wins, in line bets. */
  readonly payUnits: number;
  /** The free spins that this spin gave after the round's cap. */
  readonly freeSpinsAwarded: number;
  /** Free spins still to come after this spin. */
  readonly freeSpinsLeft: number;
}

export interface ParolOutcome {
  /** The paid spin, then its free spins in order. */
  readonly spins: readonly ParolSpin[];
  /** The whole round in line bets; the payout is this × stake ÷ 20. */
  readonly payUnits: number;
}

export const parolFortune = soloGame<ParolChoices, ParolOutcome>({
  id: "parol-fortune",
  stake: PAROL_STAKE,
  parseChoices,
  stakeMinor: ({ stakeMinor }) => stakeMinor,
  play: playParol,
  maxPayoutMinor: ({ stakeMinor }) => parolPayoutMinor(stakeMinor, PAROL_FIGURES.maxWinUnits),
  returnToPlayer: () => parolReturn(),
  sampleChoices: { stakeMinor: 100n },
  drawnLines: ({ spins }) => spins.map(({ stops }) => stops.join(" ")),
});

/** One paid spin and all free spins that follow from it, decided at once. */
export function playParol(stream: DrawStream, { stakeMinor }: ParolChoices): Played<ParolOutcome> {
  assert(fitsRule(stakeMinor, PAROL_STAKE), "a stake is a positive multiple of 20");
  const spins: ParolSpin[] = [];
  let awarded = 0;
  let payUnits = 0;
  for (let played = 0; played <= awarded; played++) {
    const stops = STRIPS.map((strip) => stream.below(strip.length));
    const { lineWins, scatters } = evaluateGrid(gridAt(stops), played === 0 ? "base" : "free");
    const freeSpinsAwarded = Math.min(freeSpinsFor(scatters), MAX_FREE_SPINS - awarded);
    awarded += freeSpinsAwarded;
    const spinUnits = lineWins.reduce((sum, win) => sum + win.payUnits, 0);
    payUnits += spinUnits;
    spins.push({
      kind: played === 0 ? "base" : "free",
      stops,
      grid: gridAt(stops),
      lineWins,
      scatters,
      multiplier: played === 0 ? 1 : FREE_SPIN_MULTIPLIER,
      payUnits: spinUnits,
      freeSpinsAwarded,
      freeSpinsLeft: awarded - played,
    });
  }
  return { outcome: { spins, payUnits }, payoutMinor: parolPayoutMinor(stakeMinor, payUnits) };
}

/** Exact, since the stake is a multiple of the number of lines. */
export function parolPayoutMinor(stakeMinor: bigint, payUnits: number): bigint {
  return payOutMinor(stakeMinor, payUnits, LINES.length);
}

/** The window with these strip positions in the top row; strips are rings. */
export function gridAt(stops: readonly number[], strips: Strips = STRIPS): ParolSymbol[][] {
  return strips.map((strip, reel) => {
    const top = present(stops[reel], "a stop for each reel");
    return Array.from({ length: ROWS }, (_, row) =>
      present(strip[(top + row) % strip.length], "a symbol at each stop"),
    );
  });
}

export function evaluateGrid(
  grid: readonly (readonly ParolSymbol[])[],
  kind: ParolSpin["kind"],
): { readonly lineWins: LineWin[]; readonly scatters: number } {
  const multiplier = kind === "base" ? 1 : FREE_SPIN_MULTIPLIER;
  const lineWins = LINES.flatMap((rows, line): LineWin[] => {
    const shown = rows.map((row, reel) => grid[reel]?.[row]);
    const symbol = present(shown[0], "a symbol on the first reel");
    if (!isPaying(symbol)) return [];
    const broken = shown.findIndex((other) => other !== symbol && other !== "wild");
    const count = broken === -1 ? shown.length : broken;
    if (count !== 3 && count !== 4 && count !== 5) return [];
    return [{ line, symbol, count, payUnits: PAYTABLE[symbol][count] * multiplier }];
  });
  return { lineWins, scatters: grid.flat().filter((symbol) => symbol === "scatter").length };
}

function parseChoices(raw: unknown): Result<ParolChoices, FieldErrors> {
  const fields = readFields("", raw, ["stakeMinor"]);
  if (!fields.ok) return fields;
  const stake = readStake("stakeMinor", fields.value.stakeMinor, PAROL_STAKE);
  return stake.ok ? ok({ stakeMinor: stake.value }) : refuse([stake.error]);
}
