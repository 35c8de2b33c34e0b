import { type Brush, createBrush, inked, line, paint, path, place, shine } from "./brush.ts";
import { BRIGHTS, MATERIALS, type Material } from "./colour.ts";
import { dot, polar, polygon, roundRect, star, times } from "./geometry.ts";

/**
 * An abstract emblem of a game vendor (viewBox 96 × 96). The letters are part of the seed and not
 * drawn: the name stands beside the emblem as text.
 */
export function vendorMarkSvg({ seed, letters }: { seed: string; letters: string }): string {
  const b = createBrush(`vendor:${seed}:${letters}`);
  const { rng } = b;
  const ground = rng.pick(BRIGHTS);
  const first = BRIGHTS.indexOf(ground);
  const figure = BRIGHTS[(first + rng.int(2, BRIGHTS.length - 2)) % BRIGHTS.length] ?? "gold";
  const shield = rng.pick(SHIELDS);
  const body =
    path(shield, b.fill(ground)) +
    place(line(shield, MATERIALS[ground][0], 2.4, 0.55), 0, 0, 0, 0.86) +
    place(rng.pick(FIGURES)(b, figure), 0, 0, rng.pick([0, 0, 45, 22.5]), 0.94) +
    shine("M-34-14A36 36 0 0 1 6-36Q-10-20-34-14Z", 0.3);
  return (
    "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 96 96'>" +
    `${b.defs()}${place(inked(body, 3), 48, 48)}</svg>`
  );
}

const regular = (sides: number, r: number, turn = 0) =>
  polygon(Array.from({ length: sides }, (_, i) => polar(r, turn + (i * 360) / sides)));

const SHIELDS = [
  dot(0, 0, 44),
  roundRect(-41, -41, 82, 82, 24),
  regular(6, 46),
  regular(8, 46, 22.5),
  "M0-45C14-36 28-34 40-34C42 8 28 32 0 45C-28 32-42 8-40-34C-28-34-14-36 0-45Z",
  star(12, 46, 39),
] as const;

type Figure = (b: Brush, material: Material) => string;

const FIGURES = [
  (b, m) =>
    times(6, (i) => place(path("M0 0C-13-8-12-24 0-32C12-24 13-8 0 0Z", b.fill(m)), 0, 0, i * 60)) +
    paint(dot(0, 0, 5), "#fff8dc"),
  (b, m) => path(star(4, 34, 12), b.fill(m)) + path(star(4, 16, 7, 45), b.fill("cream")),
  (b, m) =>
    times(3, (i) =>
      place(
        path("M-24 18L0-6L24 18V4L0-20L-24 4Z", b.fill(i === 1 ? "cream" : m)),
        0,
        (i - 1) * 16,
      ),
    ),
  (b, m) =>
    times(4, (i) =>
      place(path("M0 0H26A26 26 0 0 1 0 26Z", b.fill(i % 2 ? "cream" : m)), 0, 0, i * 90),
    ),
  (b, m) => path(star(8, 33, 19), b.fill(m)) + path(dot(0, 0, 11), b.fill("cream")),
  (b, m) =>
    path("M-30 14C-20-30 20-30 30 14C14-2 8 26 0 26S-14-2-30 14Z", b.fill(m)) +
    path(dot(0, -4, 7), b.fill("cream")),
  (b, m) => path(star(5, 33, 15), b.fill(m)) + paint(star(5, 17, 8), "#fff8dc"),
  (b, m) =>
    path("M0-32L28 0L0 32L-28 0Z", b.fill(m)) + path("M0-16L14 0L0 16L-14 0Z", b.fill("cream")),
] as const satisfies readonly [Figure, ...Figure[]];
