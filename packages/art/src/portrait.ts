import { halo, night, rays, sky, stars } from "./backdrop.ts";
import { type Brush, createBrush, eye, inked, line, oval, paint, path, place } from "./brush.ts";
import { INK, MATERIALS } from "./colour.ts";
import { dot, roundRect, times } from "./geometry.ts";

const W = 240;
const H = 300;

/** From light to shade. */
const SKINS = [
  ["#ffe3c8", "#f0ba90", "#b97a54"],
  ["#f8d2ab", "#dea06e", "#9a5c34"],
  ["#ebbb8d", "#c68653", "#804927"],
] as const;
const HAIRS = ["#2a1824", "#3b2019", "#1c1530"] as const;
const DRESSES = ["red", "blue", "green", "pink", "violet", "cyan", "gold"] as const;
const NIGHTS = [350, 310, 285, 255, 200, 25] as const;

/**
 * A dealer at a live table, bust and face in a terno (viewBox 240 × 300). It portrays no real
 * person: face, hair and dress come from the seed.
 */
export function portraitSvg(seed: string): string {
  const b = createBrush(`portrait:${seed}`);
  const { rng } = b;
  const at = night(rng.pick(NIGHTS) + rng.range(-9, 9));
  const turn = rng.range(0, 60);
  const body =
    sky(b, at, W, H, 120, 118) +
    place(rays(b, at, 14, turn, 210), 120, 118) +
    stars(b, W, H, 14) +
    place(halo(b, at, 118), 120, 118) +
    place(inked(bust(b), 4), 120, 132, 0, 1.12);
  return `<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 ${W} ${H}'>${b.defs()}${body}</svg>`;
}

function bust(b: Brush): string {
  const { rng } = b;
  const [light, middle, dark] = rng.pick(SKINS);
  const skin = b.custom(
    "skin",
    (id) =>
      `<linearGradient id='${id}' x1='.2' y1='0' x2='.6' y2='1'><stop stop-color='${light}'/>` +
      `<stop offset='.6' stop-color='${middle}'/><stop offset='1' stop-color='${dark}'/></linearGradient>`,
  );
  const hair = rng.pick(HAIRS);
  const dress = rng.pick(DRESSES);
  const style = rng.pick(HAIRSTYLES);
  const sleeve = (side: number) =>
    place(
      path("M-30 44C-44-8-26-46 0-46S44-8 30 44Q0 30-30 44Z", b.fill(dress)) +
        line("M-14 34Q-18-6-4-38M14 34Q18-6 4-38", MATERIALS[dress][0], 2.4, 0.6),
      side * 78,
      104,
      side * 16,
    );
  return (
    path(style.back, hair) +
    sleeve(-1) +
    sleeve(1) +
    path("M-74 176C-74 112-46 92-24 84Q0 112 24 84C46 92 74 112 74 176Z", b.fill(dress)) +
    path(`${roundRect(-16, 38, 32, 46, 12)}`, skin) +
    line("M-24 84Q0 112 24 84", MATERIALS.gold[1], 4) +
    face(b, skin, dark, hair) +
    path(style.front, hair) +
    (rng.chance(0.6) ? flower(b) : "")
  );
}

function face(b: Brush, skin: string, dark: string, hair: string): string {
  const smile = b.rng.range(9, 13);
  return (
    path(dot(-45, 8, 8), skin) +
    path(dot(45, 8, 8), skin) +
    paint(dot(-46, 20, 5) + dot(46, 20, 5), MATERIALS.gold[1]) +
    path("M-46-6C-46-70 46-70 46-6C46 34 22 58 0 58S-46 34-46-6Z", skin) +
    oval(-26, 22, 9, 6, MATERIALS.pink[1], " opacity='.35' stroke='none'") +
    oval(26, 22, 9, 6, MATERIALS.pink[1], " opacity='.35' stroke='none'") +
    eye(-18, 4, 8) +
    eye(18, 4, 8) +
    line("M-28-2Q-20-9-9-3M28-2Q20-9 9-3", INK, 3.4) +
    line("M-29-15Q-19-21-9-16M29-15Q19-21 9-16", hair, 3.6) +
    line("M-2 8Q-5 18 3 19", dark, 2.6) +
    path(`M-14 32Q0 ${32 + smile} 14 32Q0 ${32 + smile / 2.6}-14 32Z`, "#fff", "") +
    line("M-15 32Q0 37 15 32", MATERIALS.red[1], 3)
  );
}

const FRINGE_SIDE = "M-50 4C-56-74 56-76 50 4C46-26 26-42-8-44C-28-42-44-26-50 4Z";
const FRINGE_MIDDLE = "M-50 6C-56-76 56-76 50 6C44-28 22-40 0-48C-22-40-44-28-50 6Z";

/** The parts of the hair behind and before the head. */
const HAIRSTYLES = [
  {
    back: "M-56 6C-70-88 70-88 56 6C62 62 70 96 58 132H-58C-70 96-62 62-56 6Z",
    front: FRINGE_SIDE,
  },
  {
    back: `M-54 8C-64-84 64-84 54 8C54 40 52 56 44 66H-44C-52 56-54 40-54 8Z`,
    front: FRINGE_MIDDLE,
  },
  {
    back: `${dot(0, -76, 26)}M-52 8C-60-80 60-80 52 8C52 26 50 36 44 44H-44C-50 36-52 26-52 8Z`,
    front: FRINGE_MIDDLE,
  },
  {
    back: "M-54 4C-64-84 64-84 54 4C72 40 84 96 70 140C52 132 40 96 40 40H-46C-52 28-54 18-54 4Z",
    front: FRINGE_SIDE,
  },
] as const;

/** A sampaguita behind the ear. */
function flower(b: Brush): string {
  const petal = path("M0 0C-11-4-10-18 0-22C10-18 11-4 0 0Z", b.fill("cream"));
  const petals = times(6, (i) => place(petal, 0, 0, i * 60));
  return place(petals + paint(dot(0, 0, 5), MATERIALS.gold[1]), 44, -26, 0, 0.9);
}
