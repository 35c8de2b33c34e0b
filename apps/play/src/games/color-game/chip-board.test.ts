import { COLOURS, type ColorBets, colorGame } from "@perya/games/color-game";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CHIPS } from "../stake-ladder.ts";
import {
  addChip,
  boardChoices,
  boardOfChoices,
  boardTotal,
  doubleBoard,
  EMPTY_BOARD,
  removeChip,
} from "./chip-board.ts";

const MAX = 500_000n;

const move = fc.record({
  kind: fc.constantFrom("add", "remove", "double"),
  colour: fc.constantFrom(...COLOURS),
  chip: fc.constantFrom(...CHIPS),
});

const boards = fc.array(move, { maxLength: 40 }).map((moves) =>
  moves.reduce<ColorBets>((board, { kind, colour, chip }) => {
    if (kind === "add") return addChip(board, colour, chip, MAX);
    return kind === "remove" ? removeChip(board, colour, chip) : doubleBoard(board, MAX);
  }, EMPTY_BOARD),
);

describe("the betting board", () => {
  it("always holds a bet that the game takes, at the shown price", () => {
    fc.assert(
      fc.property(boards, (board) => {
        expect(boardTotal(board) <= MAX).toBe(true);
        const opened = colorGame.open(boardChoices(board));
        expect(opened.ok).toBe(boardTotal(board) > 0n);
        if (opened.ok) expect(opened.value.stakeMinor).toBe(boardTotal(board));
      }),
    );
  });

  it("repeats the bets of the last round on request", () => {
    fc.assert(
      fc.property(boards, (board) => {
        const again = boardOfChoices(boardChoices(board));
        if (boardTotal(board) === 0n) expect(again).toBeNull();
        else expect(boardChoices(again ?? {})).toEqual(boardChoices(board));
      }),
    );
  });

  it("returns to its earlier bets when a chip is taken back", () => {
    const board = addChip(EMPTY_BOARD, "red", 500n, MAX);
    expect(removeChip(addChip(board, "red", 100n, MAX), "red", 100n)).toEqual(board);
    expect(removeChip(board, "red", 10_000n)).toEqual({});
  });

  it("holds every bet twice after doubling", () => {
    const board = addChip(addChip(EMPTY_BOARD, "red", 500n, MAX), "blue", 100n, MAX);
    expect(doubleBoard(board, MAX)).toEqual({ red: 1_000n, blue: 200n });
    expect(doubleBoard(board, 1_200n)).toEqual({ red: 1_000n, blue: 200n });
    expect(doubleBoard(board, 1_199n)).toBe(board);
    expect(doubleBoard(board, null)).toEqual({ red: 1_000n, blue: 200n });
  });

  it("refuses a chip above the limit", () => {
    const full = addChip(EMPTY_BOARD, "blue", MAX, MAX);
    expect(addChip(full, "red", 100n, MAX)).toBe(full);
    expect(doubleBoard(full, MAX)).toBe(full);
    expect(boardTotal(addChip(full, "red", 100n, null))).toBe(MAX + 100n);
  });
});
