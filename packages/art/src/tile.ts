import {
  bulbRing,
  capiz,
  chrome,
  confetti,
  frame,
  halo,
  hills,
  night,
  pinstripes,
  rays,
  sky,
  stars,
  waves,
} from "./backdrop.ts";
import { createBrush, place } from "./brush.ts";
import { type Category, isMotif, pickMotif, subjectOf } from "./motif.ts";
import type { Subject } from "./subject.ts";

export { CATEGORIES, MOTIFS, type Motif } from "./motif.ts";

export interface TileRequest {
  /** A game's id or code; the same seed draws the same tile. */
  seed: string;
  category: Category;
  /** The subject's name; if it is unknown or absent, the seed picks one of the category's. */
  motif?: string | undefined;
  /** A drawing that is no motif, under the name that `motif` then is: `houseSubject`. */
  subject?: Subject | undefined;
}

const W = 240;
const H = 300;

/** The hues for a category's nights, several so that a grid of one category still varies. */
const HUES: Readonly<Record<Category, readonly [number, ...number[]]>> = {
  RNG: [350, 310, 285, 262, 200, 160, 25, 55, 330, 235],
  LIVE: [25, 160, 285, 350, 255],
  PVP: [150, 290, 20, 250, 320],
  FISH: [225, 200, 245, 265, 185],
  SPORTS: [255, 145, 30, 290, 215],
  ESPORTS: [300, 270, 195, 340, 240],
  COCKFIGHT: [25, 265, 55, 345],
  LOTT: [335, 265, 150, 40, 295],
  ELOTT: [275, 215, 350, 170, 310],
};

/** A game's tile, 4 to 5 (viewBox 240 × 300). Its lower quarter is dark enough for a name. */
export function tileSvg({ seed, category, motif, subject: own }: TileRequest): string {
  const named = motif !== undefined && isMotif(motif) ? motif : undefined;
  const b = createBrush(`${category}:${seed}`, own === undefined ? named : motif);
  const { rng } = b;
  const at = night(rng.pick(HUES[category]) + rng.range(-9, 9));
  const subject = own ?? subjectOf(named ?? pickMotif(category, rng));
  const turn = rng.range(0, 60);
  const count = rng.pick([12, 14, 16, 18, 20]);
  const scenery = rng.pick(SCENERY[category]);
  const tilt = rng.range(-6, 6);
  const size = rng.range(0.96, 1.06);
  const behind = {
    hills: () => stars(b, W, H, 12) + hills(at, W, H),
    waves: () => waves(at, W, H),
    capiz: () => place(capiz(220, 270), 120, 140),
    bulbs: () => place(bulbRing(rng.range(98, 108)), 120, 132),
    stars: () => stars(b, W, H, 26),
    confetti: () => confetti(b, W, H, 9),
  }[scenery];
  const body =
    sky(b, at, W, H, 120, 128) +
    place(rays(b, at, count, turn, 210), 120, 132) +
    behind() +
    place(halo(b, at, 112), 120, 132) +
    frame(b, at, W, H) +
    `<ellipse cx='120' cy='232' rx='70' ry='9' fill='${at.deep}' opacity='.6'/>` +
    place(subject(b), 120, 134, tilt, size) +
    (rng.chance(0.45) ? pinstripes(W, H, at.ray, "#fff6dc") : "") +
    chrome(b, W, H, 18);
  return `<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 ${W} ${H}'>${b.defs()}${body}</svg>`;
}

type Scenery = "hills" | "waves" | "capiz" | "bulbs" | "stars" | "confetti";

const SCENERY: Readonly<Record<Category, readonly [Scenery, ...Scenery[]]>> = {
  RNG: ["hills", "stars", "capiz", "bulbs", "confetti", "hills"],
  LIVE: ["bulbs", "capiz", "stars"],
  PVP: ["capiz", "stars", "confetti"],
  FISH: ["waves"],
  SPORTS: ["confetti", "stars", "hills"],
  ESPORTS: ["stars", "capiz", "bulbs"],
  COCKFIGHT: ["hills", "stars", "bulbs"],
  LOTT: ["confetti", "bulbs", "stars"],
  ELOTT: ["capiz", "stars", "bulbs", "confetti"],
};
