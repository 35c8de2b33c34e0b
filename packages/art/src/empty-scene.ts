import { banderitas, halo, night, stars } from "./backdrop.ts";
import { type Brush, createBrush, inked, line, paint, path, place } from "./brush.ts";
import { INK } from "./colour.ts";
import { dot, star, times } from "./geometry.ts";
import { ferrisWheel, sign } from "./landmarks.ts";
import { jeepney, kubo } from "./subjects-fiesta.ts";
import { cloud, kite } from "./subjects-sky.ts";

export const EMPTY_SCENES = ["no-data", "offline", "error", "maintenance"] as const;

export type EmptyScene = (typeof EMPTY_SCENES)[number];

export function emptySceneSvg(kind: EmptyScene): string {
  const b = createBrush(`empty:${kind}`);
  const at = night(HUES[kind]);
  const body =
    place(halo(b, at, 78), 120, 88) +
    stars(b, 240, 110, 14) +
    `<ellipse cx='120' cy='146' rx='92' ry='9' fill='#2c1d63' opacity='.55'/>` +
    DRAWN[kind](b) +
    banderitas(14, 226, 4, 12, 13);
  return `<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 240 160'>${b.defs()}${body}</svg>`;
}

const HUES: Readonly<Record<EmptyScene, number>> = {
  "no-data": 285,
  offline: 255,
  error: 20,
  maintenance: 70,
};

const DRAWN: Readonly<Record<EmptyScene, (b: Brush) => string>> = {
  /** Nobody is at home: a hut asleep under the moon. */
  "no-data": (b) =>
    place(path("M0-20A20 20 0 1 0 18 8A16 16 0 0 1 0-20Z", "#ffe9a6"), 186, 52, 20) +
    place(kubo(b), 110, 92, 0, 0.62) +
    place(line(Z, "#cfc4ff", 3), 164, 78, 0, 0.7) +
    place(line(Z, "#cfc4ff", 3.4), 178, 62, 0, 0.5),
  /** The string is cut: the kite drifts off. */
  offline: (b) =>
    cloud(60, 108, 0.8) +
    place(kite(b, "red", "gold", "blue", "green"), 124, 84, 16, 0.62) +
    cloud(186, 120, 0.9) +
    line("M198 148C206 138 200 132 208 124", "#fff1c9", 2.4, 0.9),
  /** The jeepney stands still beside its warning sign. */
  error: (b) =>
    place(jeepney(b), 96, 92, -4, 0.6) +
    place(
      inked(sign(b, "gold", line("M0-14V6", INK, 11) + paint(dot(0, 20, 6), INK)), 5),
      184,
      98,
      5,
      0.52,
    ) +
    line("M46 40Q52 32 46 24M58 36Q64 28 58 18", "#d5bcff", 3, 0.6),
  /** The wheel rests while it is being painted. */
  maintenance: (b) =>
    place(inked(ferrisWheel(b, 8, 8), 5), 104, 86, 0, 0.64) +
    place(
      inked(
        path("M-16-40H16L34 40H-34Z", b.fill("orange")) +
          path("M-22-14H22L27 8H-27Z", b.fill("cream")) +
          path("M-44 38H44V50H-44Z", b.fill("orange")),
        5,
      ),
      184,
      118,
      0,
      0.56,
    ) +
    paint(
      times(3, (i) => star(4, 8 - i * 1.5, 3, 0, 168 + i * 18, 62 - i * 12)),
      "#ffe27a",
    ),
};

const Z = "M-8-8H8L-8 8H8";
