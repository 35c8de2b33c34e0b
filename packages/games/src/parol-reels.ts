/**
 * Parol Fortune's published data: symbols, lines, pay table, free spins and reel strips. Reels
 * have 32 stops and one star each, so a spin has 2^25 equally likely stop positions.
 */
import { assert } from "@perya/kernel/assert";

export const PAYING_SYMBOLS = [
  "jeepney",
  "carabao",
  "mango",
  "sampaguita",
  "bibingka",
  "a",
  "k",
  "q",
  "j",
] as const;
export type PayingSymbol = (typeof PAYING_SYMBOLS)[number];
export const SYMBOLS = [...PAYING_SYMBOLS, "wild", "scatter"] as const;
export type ParolSymbol = (typeof SYMBOLS)[number];

export const REELS = 5;
export const ROWS = 3;

/** The row, 0 at the top, of each line on each reel. */
export const LINES: readonly (readonly number[])[] = [
  [1, 1, 1, 1, 1],
  [0, 0, 0, 0, 0],
  [2, 2, 2, 2, 2],
  [0, 1, 2, 1, 0],
  [2, 1, 0, 1, 2],
  [1, 0, 0, 0, 1],
  [1, 2, 2, 2, 1],
  [0, 0, 1, 2, 2],
  [2, 2, 1, 0, 0],
  [1, 2, 1, 0, 1],
  [1, 0, 1, 2, 1],
  [0, 1, 1, 1, 0],
  [2, 1, 1, 1, 2],
  [0, 1, 0, 1, 0],
  [2, 1, 2, 1, 2],
  [1, 1, 0, 1, 1],
  [1, 1, 2, 1, 1],
  [0, 0, 2, 0, 0],
  [2, 2, 0, 2, 2],
  [0, 2, 2, 2, 0],
];

/** Line bets paid for three, four and five in a row from the left. */
export const PAYTABLE: Readonly<Record<PayingSymbol, LinePays>> = {
  jeepney: { 3: 80, 4: 400, 5: 2000 },
  carabao: { 3: 60, 4: 200, 5: 1000 },
  mango: { 3: 50, 4: 150, 5: 500 },
  sampaguita: { 3: 40, 4: 100, 5: 300 },
  bibingka: { 3: 30, 4: 75, 5: 200 },
  a: { 3: 20, 4: 50, 5: 150 },
  k: { 3: 20, 4: 50, 5: 150 },
  q: { 3: 10, 4: 30, 5: 100 },
  j: { 3: 10, 4: 30, 5: 100 },
};

export interface LinePays {
  readonly 3: number;
  readonly 4: number;
  readonly 5: number;
}

export const FREE_SPIN_MULTIPLIER = 3;

/** The most free spins of one paid spin: a retrigger beyond it gives only the rest. */
export const MAX_FREE_SPINS = 50;

const FREE_SPINS_BY_SCATTERS = [0, 0, 0, 10, 12, 15] as const;

/** Free spins for this many stars in the window, before the round's cap. */
export function freeSpinsFor(scatters: number): number {
  const spins = FREE_SPINS_BY_SCATTERS[scatters];
  assert(spins !== undefined, "a window shows none to five stars");
  return spins;
}

export type Strips = readonly (readonly ParolSymbol[])[];

/**
 * Read from the top down; the first stop follows the last. Equal symbols are at least four stops
 * apart, and the parol three from the dearest ones, so that no window is crowded.
 */
export const STRIPS: Strips = [
  strip(`sampaguita q jeepney j k carabao bibingka mango j q bibingka k mango j a k
    carabao bibingka sampaguita a jeepney j q mango a sampaguita bibingka q carabao a scatter k`),
  strip(`scatter mango k a carabao mango jeepney sampaguita q a bibingka mango jeepney k
    sampaguita q carabao j jeepney bibingka sampaguita carabao q j mango a k bibingka wild
    sampaguita a j`),
  strip(`wild bibingka a k q bibingka sampaguita a carabao q k jeepney a j bibingka carabao k
    mango jeepney sampaguita scatter mango j k sampaguita jeepney carabao mango sampaguita
    bibingka j q`),
  strip(`j a bibingka mango carabao q j k sampaguita bibingka q jeepney mango bibingka k wild
    q bibingka carabao sampaguita mango a jeepney k carabao j mango a q sampaguita jeepney
    scatter`),
  strip(`sampaguita jeepney q k j bibingka q mango carabao bibingka jeepney mango a bibingka
    carabao j jeepney q a j k sampaguita scatter a carabao q sampaguita a bibingka mango k j`),
];

export function isPaying(symbol: ParolSymbol): symbol is PayingSymbol {
  return symbol !== "wild" && symbol !== "scatter";
}

function strip(text: string): ParolSymbol[] {
  return text.split(/\s+/).map((word) => {
    const symbol = SYMBOLS.find((known) => known === word);
    assert(symbol !== undefined, `${word} is a symbol`);
    return symbol;
  });
}
