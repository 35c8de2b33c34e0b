import type { LineWin, ParolSpin } from "@perya/games/parol-fortune";
import { LINES, REELS, ROWS } from "@perya/games/parol-reels";

/** All that a painter needs for one picture of the reels; both painters draw the same. */
export interface ReelsView {
  /** Strip index in the top row of each reel, with fractions while it turns. */
  readonly positions: readonly number[];
  readonly blurs: readonly number[];
  /** Reels that turn longer for a last scatter. */
  readonly teased: readonly boolean[];
  /** By reel and row, the winning symbols; null when nothing is lit and all is bright. */
  readonly lit: readonly (readonly boolean[])[] | null;
  readonly lines: readonly ShownLine[];
  /** 0 to 1 and back: lit symbols pulse with it. */
  readonly pulse: number;
  /** 1 except in a cross-fade. */
  readonly alpha: number;
}

export interface ShownLine {
  readonly rows: readonly number[];
  readonly colour: number;
  /** Winning reels in a row. */
  readonly count: number;
  /** 0 to 1 while it is being drawn. */
  readonly drawn: number;
}

/** A painter of the reels: WebGL where available, else canvas 2D. */
export interface ReelsPainter {
  readonly kind: "webgl" | "canvas";
  resize(width: number, height: number): void;
  draw(view: ReelsView): void;
  destroy(): void;
}

const LINE_COLOURS = [0xffd76a, 0xff8ac6, 0x7fe3f2, 0x9cf0a8, 0xffab6b, 0xb9a4ff] as const;

export function shownLine({ line, count }: LineWin, drawn: number): ShownLine {
  const colour = LINE_COLOURS[line % LINE_COLOURS.length] ?? LINE_COLOURS[0];
  return { rows: LINES[line] ?? [], colour, count, drawn };
}

/** The winning cells: those of the lines, and the scatters where they gave free spins. */
export function litCells(spin: ParolSpin, wins: readonly LineWin[]): boolean[][] | null {
  const scatters = spin.freeSpinsAwarded > 0;
  if (wins.length === 0 && !scatters) return null;
  return Array.from({ length: REELS }, (_, reel) =>
    Array.from({ length: ROWS }, (_, row) => {
      const onLine = wins.some(({ line, count }) => reel < count && LINES[line]?.[reel] === row);
      return onLine || (scatters && spin.grid[reel]?.[row] === "scatter");
    }),
  );
}
