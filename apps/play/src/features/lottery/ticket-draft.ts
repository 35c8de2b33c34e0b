import type { LotteryGame } from "@perya/contract/lottery";
import {
  betOf,
  canonicalLine,
  LOTTERY_SHAPES,
  type LotteryKind,
  type LotteryLine,
  type LotteryPlay,
  lineFault,
  sameLine,
} from "@perya/games/lottery";
import { divideRounded, type Money, money, timesMinor } from "@perya/kernel/money";

/** The player's draft: the line in hand and those on the ticket. */
export interface Draft {
  readonly play: LotteryPlay;
  readonly picked: readonly number[];
  readonly lines: readonly LotteryLine[];
}

export function emptyDraft(kind: LotteryKind): Draft {
  return { play: kind === "3d" ? "straight" : "six", picked: [], lines: [] };
}

/** A tap on a number: digits come in their order, the numbers of a 6/49 toggle. */
export function tapNumber(kind: LotteryKind, draft: Draft, number: number): Draft {
  const { picks, ordered } = LOTTERY_SHAPES[kind];
  const { picked } = draft;
  if (!ordered && picked.includes(number)) {
    return { ...draft, picked: picked.filter((one) => one !== number) };
  }
  return picked.length === picks ? draft : { ...draft, picked: [...picked, number] };
}

/** The line in hand once it is whole. */
export function wholeLine(kind: LotteryKind, { play, picked }: Draft): LotteryLine | null {
  return picked.length === LOTTERY_SHAPES[kind].picks ? { play, numbers: picked } : null;
}

export type DraftFault = "no_orders" | "same_line" | "line_limit";

/** Why a whole line cannot go onto the ticket, or null. */
export function draftFault(
  kind: LotteryKind,
  lines: readonly LotteryLine[],
  line: LotteryLine,
  linesMax: number,
): DraftFault | null {
  if (lines.length >= linesMax) return "line_limit";
  if (lineFault(kind, line) !== null) return "no_orders";
  return lines.some((one) => sameLine(one, line)) ? "same_line" : null;
}

export function withLine(draft: Draft, line: LotteryLine): Draft {
  return { ...draft, picked: [], lines: [...draft.lines, canonicalLine(line)] };
}

/** All lines that a purchase now would hold: those on the ticket and the whole one in hand. */
export function linesToBuy(kind: LotteryKind, draft: Draft, linesMax: number): LotteryLine[] {
  const line = wholeLine(kind, draft);
  const fits = line !== null && draftFault(kind, draft.lines, line, linesMax) === null;
  return fits ? [...draft.lines, canonicalLine(line)] : [...draft.lines];
}

/** A random line; `below(n)` draws from 0 to n - 1. */
export function luckyPick(
  kind: LotteryKind,
  play: LotteryPlay,
  below: (n: number) => number,
): readonly number[] {
  const { picks, from, to, ordered } = LOTTERY_SHAPES[kind];
  const numbers: number[] = [];
  while (numbers.length < picks) {
    const number = from + below(to - from + 1);
    // A rambol of three different digits has the most orders; a 6/49 has no number twice.
    const again = numbers.includes(number) && (!ordered || play === "rambol");
    if (!again) numbers.push(number);
  }
  return ordered ? numbers : numbers.sort((a, b) => a - b);
}

/** The most that each of these lines may cost, by the brand's limit per table and per ticket. */
export function maxLineStake(game: LotteryGame, lines: readonly LotteryLine[]): bigint {
  const count = BigInt(Math.max(1, lines.length));
  const whole = divideRounded(game.maxStake.minor, count, "down");
  const wanted = lines.length === 0 ? game.bets.map(({ bet }) => bet) : lines.map(betOf);
  return game.bets
    .filter(({ bet }) => wanted.includes(bet))
    .map(({ maxStake }) => maxStake.minor)
    .reduce((least, one) => (one < least ? one : least), whole);
}

/** Stakes per line in minor units, whole pesos. */
const STAKES = [1, 2, 5, 10, 20, 40, 50, 100, 200, 500, 1_000].map((pesos) => BigInt(pesos * 100));

/**
 * The price of a ticket with these lines, per line and in all, and the next lower and higher stakes
 * per line, or null.
 * @param wish minor units per line, as the player left it; the price is lower where so many lines
 *   may not cost it
 */
export function ticketPrice(
  game: LotteryGame,
  lines: readonly LotteryLine[],
  wish: bigint,
  currency: Money["currency"],
) {
  const most = maxLineStake(game, lines);
  const ladder = STAKES.filter((one) => one <= most);
  const each = wish <= most ? wish : (ladder.at(-1) ?? most);
  return {
    each,
    total: money(timesMinor(each, BigInt(lines.length)), currency),
    less: ladder.findLast((one) => one < each) ?? null,
    more: ladder.find((one) => one > each) ?? null,
  };
}
