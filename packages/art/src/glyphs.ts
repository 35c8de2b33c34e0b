/**
 * Figures and card letters as strokes on a 20 × 30 field around 0,0. They are drawn, not typeset: a
 * picture must look the same without a font.
 */
export const GLYPHS = {
  "0": "M0-13C9-13 9 13 0 13S-9-13 0-13Z",
  "1": "M-6-7L1-13V13M-7 13H8",
  "2": "M-8-6C-8-16 9-15 8-5C7 2-4 6-8 13H9",
  "3": "M-7-13H7L-1-3C10-3 10 13 0 13C-5 13-8 10-8 8",
  "4": "M4 13V-13L-9 6H9",
  "5": "M7-13H-6L-7-2C-1-6 9-4 8 5C7 14-5 15-9 8",
  "6": "M6-12C-3-13-9-4-8 5C-7 16 8 15 8 5S-6-4-8 5",
  "7": "M-8-13H8C2-4-1 4-2 13",
  "8": "M0-2C-9-4-8-13 0-13S9-4 0-2C-11 1-10 13 0 13S11 1 0-2Z",
  "9": "M-6 12C3 13 9 4 8-5C7-16-8-15-8-5S6 4 8-5",
  a: "M-10 13L0-13L10 13M-6 4H6",
  k: "M-8-13V13M9-13L-7 2M-2-2L10 13",
  q: "M0-13C13-13 13 11 0 11S-13-13 0-13ZM2 3L10 14",
  j: "M-3-13H8V4C8 15-8 16-9 5",
} as const;

export type Glyph = keyof typeof GLYPHS;

export function digitGlyph(value: number): Glyph {
  const digits = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"] as const;
  return digits[Math.abs(Math.trunc(value)) % 10] ?? "0";
}
