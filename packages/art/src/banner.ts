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
  waves,
} from "./backdrop.ts";
import {
  type Brush,
  circle,
  createBrush,
  glint,
  inked,
  linear,
  paint,
  path,
  place,
  shine,
} from "./brush.ts";
import colorGame from "./house/color-game.ts";
import saranggola from "./house/saranggola.ts";
import { belfry, burst, ferrisWheel } from "./landmarks.ts";
import type { Subject } from "./subject.ts";
import { basketbol, gamepad, putbol, salpukan, tropeo } from "./subjects-arena.ts";
import { bola, premyo, tambiolo, tiket } from "./subjects-draw.ts";
import {
  araw,
  ginto,
  haloHalo,
  jeepney,
  kalesa,
  kubo,
  lantern,
  mango,
  parol,
  sampaguita,
  seven,
} from "./subjects-fiesta.ts";
import { baul, lapuLapu, pawikan } from "./subjects-sea.ts";
import { cloud } from "./subjects-sky.ts";
import { baraha, dado, korona, roulette, tongits, tsips } from "./subjects-table.ts";

export const BANNER_SCENES = [
  ...(["parol", "saranggola", "color-game", "salpukan", "welcome", "fiesta"] as const),
  // One per promotion of the demo, and one about account safety.
  ...(["first-ride", "treasure", "weekend", "pocket", "three-sevens", "wheel", "cards"] as const),
  ...(["hoops", "reef", "draw", "chips", "crown", "prizes", "birthday", "home-visit"] as const),
  "padlock",
] as const;

export type BannerScene = (typeof BANNER_SCENES)[number];

const W = 720;
const H = 300;
/** The subject's middle; the remaining 55 % stays calm for the text on top. */
const X = 560;
const Y = 158;

/** A banner's background, 12 to 5 (viewBox 720 × 300): subject at the right, calm at the left. */
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
  salpukan: {
    hue: 40,
    draw: (b, at) => hills(at, W, H) + place(salpukan(b), X, Y + 4, 0, 1.5),
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
  "first-ride": pair(350, kalesa, sampaguita, { ground: hills }),
  treasure: pair(40, baul, ginto, { ground: waves, size: 1.3 }),
  weekend: pair(62, ginto, araw, { ground: hills, size: 1.2 }),
  pocket: pair(280, phone, gamepad, { size: 1.3 }),
  "three-sevens": {
    hue: 20,
    draw: (b) =>
      confetti(b, W, H, 14) +
      place(tropeo(b), 404, 196, -8, 0.62) +
      place(seven(b), 486, Y + 12, -12, 0.84) +
      place(seven(b), 648, Y + 12, 12, 0.84) +
      place(seven(b), 567, Y - 4, 0, 1.14),
  },
  wheel: pair(145, roulette, tsips, { size: 1.34 }),
  cards: pair(310, tongits, baraha, { size: 1.24 }),
  hoops: pair(45, basketbol, putbol, { size: 1.26 }),
  reef: pair(205, lapuLapu, pawikan, { ground: waves, size: 1.3 }),
  draw: pair(120, tambiolo, tiket, { size: 1.3 }),
  chips: pair(185, tsips, dado, { size: 1.34 }),
  crown: pair(300, korona, parol, { size: 1.4 }),
  prizes: pair(330, premyo, bola, { size: 1.32 }),
  birthday: pair(15, haloHalo, mango, { size: 1.26 }),
  "home-visit": pair(100, kubo, jeepney, { ground: hills, size: 1.28 }),
  padlock: { hue: 240, draw: (b, at) => hills(at, W, H) + place(padlock(b), X, Y, 0, 1.3) },
};

/** One big subject, and a small one that follows it at the edge of the calm part. */
function pair(
  hue: number,
  big: Subject,
  small: Subject,
  more: { ground?: (at: Night, w: number, h: number) => string; size?: number } = {},
) {
  const { ground, size = 1.3 } = more;
  return {
    hue,
    draw: (b: Brush, at: Night) =>
      (ground === undefined ? confetti(b, W, H, 12) : ground(at, W, H)) +
      place(small(b), 424, 214, -9, 0.56) +
      place(big(b), X + 14, Y, 0, size) +
      paint(glint(676, 66, 16) + glint(470, 92, 12), "#fff"),
  };
}

function phone(b: Brush): string {
  const body = path(
    "M-46-92H46Q58-92 58-80V80Q58 92 46 92H-46Q-58 92-58 80V-80Q-58-92-46-92Z",
    b.fill("silver"),
  );
  const glass = path("M-46-76H46V68H-46Z", b.fill("violet"));
  return (
    inked(body + glass + circle(0, 80, 5, "#fff")) +
    place(parol(b), 0, -6, 0, 0.5) +
    shine("M-46-76H-8L-46 10Z", 0.18)
  );
}

function padlock(b: Brush): string {
  const shackle = path(
    "M-44-8V-40C-44-98 44-98 44-40V-8H24V-40C24-72-24-72-24-40V-8Z",
    b.fill("silver"),
  );
  const body = path(
    "M-58-14H58Q70-14 70-2V70Q70 84 56 84H-56Q-70 84-70 70V-2Q-70-14-58-14Z",
    b.fill("gold"),
  );
  const hole = circle(0, 26, 14, "#2a1b4d") + path("M-7 30H7L11 60H-11Z", "#2a1b4d");
  return inked(shackle + body) + hole + shine("M-60-4H40L20 8H-60Z", 0.45);
}
