import { beads, createBrush, glint, inked, line, paint, path, place, shine } from "./brush.ts";
import { INK, MATERIALS, type Material } from "./colour.ts";
import { dot, roundRect, star } from "./geometry.ts";
import { GLYPHS, type Glyph } from "./glyphs.ts";
import { belfry, bibingka } from "./landmarks.ts";
import type { Subject } from "./subject.ts";
import { carabao, jeepney, lantern, mango, sampaguita } from "./subjects-fiesta.ts";

export const SLOT_SYMBOLS = [
  "wild",
  "scatter",
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

export type SlotSymbol = (typeof SLOT_SYMBOLS)[number];

/** A symbol of Parol Fortune (viewBox 128 × 128), clear ground, crisp at 64 px. */
export function slotSymbolSvg(name: SlotSymbol): string {
  // The seed also fixes the colours that a subject chooses by itself.
  const b = createBrush(`slot-${name}`);
  const body = place(DRAWN[name](b), 64, 64, 0, 0.66);
  return `<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 128 128'>${b.defs()}${body}</svg>`;
}

const DRAWN: Readonly<Record<SlotSymbol, Subject>> = {
  wild: (b) =>
    inked(
      line(dot(0, 0, 84), INK, 18) +
        line(dot(0, 0, 84), b.fill("gold"), 10) +
        beads(24, 84, 3, "#fffbe0"),
      4,
    ) +
    place(lantern("gold", "orange")(b), 0, -2, 0, 1.02) +
    paint(glint(66, -66, 20) + glint(-70, -56, 15) + glint(0, -40, 10), "#fff"),
  scatter: (b) => place(inked(belfry(b), 4.5), 0, 8, 0, 0.96),
  jeepney: (b) => place(jeepney(b), 0, 4, 0, 1.08),
  carabao: (b) => place(carabao(b), 0, 2, 0, 1.02),
  mango: (b) => place(mango(b), 2, 4, 0, 1.08),
  sampaguita: (b) => sampaguita(b),
  bibingka: (b) => inked(bibingka(b), 4.5),
  a: (b) => rank(b, "a", "gold", "red"),
  k: (b) => rank(b, "k", "cyan", "blue"),
  q: (b) => rank(b, "q", "pink", "violet"),
  j: (b) => rank(b, "j", "gold", "green"),
};

/** Sign-painter's lettering: a thick letter with a cast side, a lit face and a pinstripe. */
function rank(b: Parameters<Subject>[0], glyph: Glyph, face: Material, side: Material): string {
  const d = GLYPHS[glyph];
  const plate =
    path(roundRect(-76, -76, 152, 152, 40), b.fill(side)) +
    line(roundRect(-64, -64, 128, 128, 30), MATERIALS[face][0], 3.5, 0.65) +
    shine("M-64-34Q-62-64-34-66H34Q20-50-64 0Z", 0.25) +
    line("M-46 58Q0 44 46 58", "#fff4c4", 4, 0.8) +
    paint(star(4, 10, 3.5, 0, 0, 60), "#fff4c4");
  const letter =
    place(line(d, INK, 11), 1.6, 2) +
    place(line(d, MATERIALS[side][2], 6), 1.4, 1.9) +
    line(d, INK, 9.4) +
    line(d, b.fill(face), 6.6) +
    place(line(d, "#fff", 1.3, 0.8), -1, -1);
  return inked(plate + place(letter, 0, -8, 0, 3));
}
