import {
  banderitas,
  confetti,
  halo,
  hills,
  type Night,
  night,
  rays,
  sky,
  stars,
} from "./backdrop.ts";
import { type Brush, createBrush, glint, inked, linear, paint, place } from "./brush.ts";
import { belfry, burst, ferrisWheel } from "./landmarks.ts";
import { jeepney, lantern } from "./subjects-fiesta.ts";
import { cloud, colorGame, saranggola } from "./subjects-signature.ts";

export const BANNER_SCENES = ["parol", "saranggola", "color-game", "welcome", "fiesta"] as const;

export type BannerScene = (typeof BANNER_SCENES)[number];

const W = 720;
const H = 300;
/** The subject's middle; what is left of 55 % stays calm for the text on top. */
const X = 560;
const Y = 158;

/** A banner's ground, 12 to 5 (viewBox 720 × 300): subject at the right, calm at the left. */
export function bannerSvg({ seed, scene }: { seed: string; scene: BannerScene }): string {
  const b = createBrush(`banner:${scene}:${seed}`);
  const { hue, draw } = SCENES[scene];
  const at = night(hue + b.rng.range(-6, 6));
  const calm = b.custom("calm", (id) =>
    linear(id, [`${at.deep}/.88`, `${at.deep}/.5`, `${at.deep}/0`], "x1='0' y1='0' x2='1' y2='0'"),
  );
  const body =
    sky(b, at, W, H, X, Y) +
    place(rays(b, at, 22, b.rng.range(0, 16), 620), X, Y) +
    stars(b, W, H, 30) +
    place(halo(b, at, 190), X, Y) +
    draw(b, at) +
    `<path d='M0 0H${W * 0.62}V${H}H0Z' fill='${calm}'/>` +
    banderitas(-10, 400, 8, 26, 16) +
    banderitas(390, 740, 6, 22, 14);
  const box = `viewBox='0 0 ${W} ${H}' preserveAspectRatio='xMaxYMid slice'`;
  return `<svg xmlns='http://www.w3.org/2000/svg' ${box}>${b.defs()}${body}</svg>`;
}

const SCENES: Readonly<
  Record<BannerScene, { hue: number; draw: (b: Brush, at: Night) => string }>
> = {
  parol: {
    hue: 335,
    draw: (b, at) =>
      hills(at, W, H) +
      place(lantern("cyan", "blue")(b), 420, 118, -8, 0.5) +
      place(lantern("gold", "green")(b), 676, 102, 8, 0.56) +
      place(lantern("gold", "pink")(b), X, Y, 0, 1.36) +
      paint(glint(478, 70, 16) + glint(640, 210, 20) + glint(476, 222, 12), "#fff"),
  },
  saranggola: {
    hue: 255,
    draw: (b, at) =>
      cloud(420, 90, 1.1) +
      cloud(690, 70, 1) +
      hills(at, W, H) +
      place(saranggola(b), X, Y - 8, 4, 1.36),
  },
  "color-game": {
    hue: 165,
    draw: (b) => confetti(b, W, H, 16) + place(colorGame(b), X, Y + 4, 0, 1.4),
  },
  welcome: {
    hue: 292,
    draw: (b, at) =>
      hills(at, W, H) +
      place(inked(ferrisWheel(b, 8, 12), 4.5), 652, 132, 0, 1.02) +
      place(jeepney(b), 508, 176, 0, 1.16),
  },
  fiesta: {
    hue: 30,
    draw: (b, at) =>
      burst(430, 92, 40, "#ffd566") +
      burst(668, 80, 46, "#ff7fc4") +
      hills(at, W, H) +
      place(inked(belfry(b), 4), X, Y + 26, 0, 1.14) +
      confetti(b, W, H, 12),
  },
};
