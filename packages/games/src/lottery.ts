/**
 * Lotteries: 3D (three digits in order) and 6/49 (six of forty-nine). Each has two modes with pay
 * tables of their own: Traditional, drawn at the hours of the Philippine day that players know, and
 * Entertainment, drawn every few minutes. A prize is the line's stake times the factor of the
 * table, stake included.
 *
 * A draw's numbers come from the published scheme of fairness.ts: the server seed, whose SHA-256 is
 * published with the draw before its first ticket, the draw's id as client seed, nonce 0.
 */
import { assert } from "@perya/kernel/assert";
import { timesMinor } from "@perya/kernel/money";
import { drawStream } from "./fairness.ts";
import { type Rational, rational } from "./rational.ts";
import { MAX_STAKE_MINOR, type StakeRule } from "./stake.ts";

export type LotteryKind = "3d" | "6-49";

/** `trad` is Traditional, `ent` Entertainment. */
export const LOTTERY_MODES = ["trad", "ent"] as const;
export type LotteryMode = (typeof LOTTERY_MODES)[number];

/** Straight: digits in order. Rambol: in any order. Six: six different numbers of a 6/49. */
export type LotteryPlay = "straight" | "rambol" | "six";

export interface LotteryShape {
  readonly picks: number;
  readonly from: number;
  readonly to: number;
  /** The order of the numbers counts and they may repeat, as digits do. */
  readonly ordered: boolean;
  readonly plays: readonly LotteryPlay[];
}

export const LOTTERY_SHAPES: Readonly<Record<LotteryKind, LotteryShape>> = {
  "3d": { picks: 3, from: 0, to: 9, ordered: true, plays: ["straight", "rambol"] },
  "6-49": { picks: 6, from: 1, to: 49, ordered: false, plays: ["six"] },
};

export interface LotteryLine {
  readonly play: LotteryPlay;
  readonly numbers: readonly number[];
}

/** Whole pesos per line; a brand's own limits lie far below the technical ceiling. */
export const LOTTERY_STAKE: StakeRule = {
  minMinor: 100n,
  maxMinor: MAX_STAKE_MINOR,
  stepMinor: 100n,
};

/** The kinds of line in a pay table: a rambol with two equal digits has half as many orders. */
export const LOTTERY_BETS = ["straight", "rambol6", "rambol3", "six"] as const;
export type LotteryBet = (typeof LOTTERY_BETS)[number];

/** Factors by how much of the line was hit, best first. */
export type PayTable = readonly { readonly hits: number; readonly factor: number }[];

export const LOTTERY_TABLES: Readonly<Record<LotteryMode, Readonly<Record<LotteryBet, PayTable>>>> =
  {
    trad: {
      straight: [{ hits: 3, factor: 800 }],
      rambol6: [{ hits: 3, factor: 133 }],
      rambol3: [{ hits: 3, factor: 266 }],
      six: [
        { hits: 6, factor: 2_000_000 },
        { hits: 5, factor: 10_000 },
        { hits: 4, factor: 250 },
        { hits: 3, factor: 15 },
      ],
    },
    ent: {
      straight: [{ hits: 3, factor: 920 }],
      rambol6: [{ hits: 3, factor: 153 }],
      rambol3: [{ hits: 3, factor: 306 }],
      six: [
        { hits: 6, factor: 2_500_000 },
        { hits: 5, factor: 12_000 },
        { hits: 4, factor: 260 },
        { hits: 3, factor: 15 },
      ],
    },
  };

/** How a line breaks the rules of its kind; null for a valid one. */
export type LineFault = "play" | "count" | "range" | "repeated" | "no_orders";

export function lineFault(kind: LotteryKind, { play, numbers }: LotteryLine): LineFault | null {
  const { picks, from, to, ordered, plays } = LOTTERY_SHAPES[kind];
  if (!plays.includes(play)) return "play";
  if (numbers.length !== picks) return "count";
  if (numbers.some((n) => !Number.isInteger(n) || n < from || n > to)) return "range";
  const different = new Set(numbers).size;
  if (!ordered && different !== picks) return "repeated";
  // Three equal digits have only one order: that is a straight bet.
  return play === "rambol" && different === 1 ? "no_orders" : null;
}

/** One spelling for lines that win together: unordered numbers from low to high. */
export function canonicalLine({ play, numbers }: LotteryLine): LotteryLine {
  return play === "straight" ? { play, numbers } : { play, numbers: ascending(numbers) };
}

export function sameLine(a: LotteryLine, b: LotteryLine): boolean {
  const [one, other] = [canonicalLine(a), canonicalLine(b)];
  return one.play === other.play && equal(one.numbers, other.numbers);
}

/** The drawn numbers: digits in drawing order, numbers of a 6/49 from low to high. */
export function drawLottery(
  kind: LotteryKind,
  seeds: { readonly serverSeed: string; readonly drawId: string },
): readonly number[] {
  const stream = drawStream({ serverSeed: seeds.serverSeed, clientSeed: seeds.drawId, nonce: 0 });
  const { picks, from, to, ordered } = LOTTERY_SHAPES[kind];
  const balls = Array.from({ length: to - from + 1 }, (_, i) => from + i);
  if (ordered) return Array.from({ length: picks }, () => from + stream.below(balls.length));
  return ascending(stream.shuffle(balls).slice(0, picks));
}

export function betOf({ play, numbers }: LotteryLine): LotteryBet {
  if (play !== "rambol") return play;
  return new Set(numbers).size === 2 ? "rambol3" : "rambol6";
}

/** The factor by which the stake comes back, 0 for a line that lost. */
export function factorOf(mode: LotteryMode, line: LotteryLine, drawn: readonly number[]): number {
  const hits = hitsOf(line, drawn);
  return LOTTERY_TABLES[mode][betOf(line)].find((row) => row.hits === hits)?.factor ?? 0;
}

export function topFactor(mode: LotteryMode, line: LotteryLine): number {
  return Math.max(...LOTTERY_TABLES[mode][betOf(line)].map(({ factor }) => factor));
}

export function ticketPayoutMinor(
  mode: LotteryMode,
  ticket: { readonly lines: readonly LotteryLine[]; readonly lineStakeMinor: bigint },
  drawn: readonly number[],
): bigint {
  return ticket.lines.reduce(
    (sum, line) => sum + timesMinor(ticket.lineStakeMinor, BigInt(factorOf(mode, line, drawn))),
    0n,
  );
}

/** Counted, not simulated: the chance of each row times its factor. */
export function lotteryReturn(mode: LotteryMode, bet: LotteryBet): Rational {
  const table = LOTTERY_TABLES[mode][bet];
  if (bet !== "six") {
    const orders = { straight: 1n, rambol6: 6n, rambol3: 3n }[bet];
    const factor = BigInt(table[0]?.factor ?? 0);
    return rational(orders * factor, 1_000n);
  }
  const { picks, to } = LOTTERY_SHAPES["6-49"];
  const returned = table.reduce(
    (sum, { hits, factor }) =>
      sum + choose(picks, hits) * choose(to - picks, picks - hits) * BigInt(factor),
    0n,
  );
  return rational(returned, choose(to, picks));
}

function hitsOf({ play, numbers }: LotteryLine, drawn: readonly number[]): number {
  assert(numbers.length === drawn.length, "a line has as many numbers as the draw");
  if (play === "six") return numbers.filter((n) => drawn.includes(n)).length;
  const hit =
    play === "straight" ? equal(numbers, drawn) : equal(ascending(numbers), ascending(drawn));
  return hit ? numbers.length : 0;
}

function choose(n: number, k: number): bigint {
  let ways = 1n;
  for (let i = 1; i <= k; i++) ways = (ways * BigInt(n - k + i)) / BigInt(i);
  return ways;
}

function ascending(numbers: readonly number[]): readonly number[] {
  return [...numbers].sort((a, b) => a - b);
}

function equal(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((n, i) => n === b[i]);
}
