import { COLOURS, type ColorBets, type Colour } from "@perya/games/color-game";

export const EMPTY_BOARD: ColorBets = {};

/** A chip that would pass the brand's limit is not put down: the same board comes back. */
export function addChip(
  board: ColorBets,
  colour: Colour,
  chipMinor: bigint,
  maxMinor: bigint | null,
): ColorBets {
  if (!fits(boardTotal(board) + chipMinor, maxMinor)) return board;
  return { ...board, [colour]: (board[colour] ?? 0n) + chipMinor };
}

/** Takes a chip's worth back, or the rest; a colour without chips has no bet. */
export function removeChip(board: ColorBets, colour: Colour, chipMinor: bigint): ColorBets {
  const rest = (board[colour] ?? 0n) - chipMinor;
  const others = Object.fromEntries(Object.entries(board).filter(([name]) => name !== colour));
  return rest > 0n ? { ...others, [colour]: rest } : others;
}

/** Every bet twice, or the same board where that would pass the limit. */
export function doubleBoard(board: ColorBets, maxMinor: bigint | null): ColorBets {
  const total = boardTotal(board);
  return fits(total + total, maxMinor) ? mapBoard(board, (minor) => minor + minor) : board;
}

function fits(totalMinor: bigint, maxMinor: bigint | null): boolean {
  return maxMinor === null || totalMinor <= maxMinor;
}

export function boardTotal(board: ColorBets): bigint {
  return COLOURS.reduce((sum, colour) => sum + (board[colour] ?? 0n), 0n);
}

/** The board in the server's format. */
export function boardChoices(board: ColorBets): {
  readonly bets: Readonly<Record<string, string>>;
} {
  return {
    bets: Object.fromEntries(
      COLOURS.flatMap((colour) => {
        const minor = board[colour] ?? 0n;
        return minor > 0n ? [[colour, `${minor}`]] : [];
      }),
    ),
  };
}

/** The bets of a played round, for "same again"; null when they cannot be read. */
export function boardOfChoices(choices: Readonly<Record<string, unknown>>): ColorBets | null {
  const { bets } = choices;
  if (typeof bets !== "object" || bets === null) return null;
  const given = new Map<string, unknown>(Object.entries(bets));
  let board: ColorBets = {};
  for (const colour of COLOURS) {
    const minor = given.get(colour);
    if (typeof minor === "string" && /^[1-9]\d{0,14}$/.test(minor)) {
      board = { ...board, [colour]: BigInt(minor) };
    }
  }
  return boardTotal(board) > 0n ? board : null;
}

function mapBoard(board: ColorBets, change: (minor: bigint) => bigint): ColorBets {
  return Object.fromEntries(
    COLOURS.flatMap((colour) => {
      const minor = board[colour];
      return minor === undefined ? [] : [[colour, change(minor)]];
    }),
  );
}
