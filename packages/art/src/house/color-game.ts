import { type Brush, glint, inked, paint, path, place, shade, shine } from "../brush.ts";
import type { Material } from "../colour.ts";
import { polygon } from "../geometry.ts";
import type { Subject } from "../subject.ts";

const colorGame: Subject = (b) =>
  inked(
    place(die(b, "blue", "green", "violet"), 38, -40, 14, 0.9) +
      place(die(b, "gold", "red", "cyan"), -42, -24, -16, 0.96) +
      place(die(b, "red", "gold", "blue"), 6, 36, 4, 1.1),
  ) + paint(glint(-70, 44, 18) + glint(76, 18, 15) + glint(-4, -86, 13), "#fff7c4");

/** A wooden die in three-quarter view: each side one flat colour with a painted rim. */
function die(b: Brush, top: Material, left: Material, right: Material): string {
  const side = (points: readonly (readonly [number, number])[], fill: Material) =>
    path(polygon(points), b.fill("cream")) +
    path(polygon(inset(points, 0.76)), b.fill(fill), " stroke-width='2.5'");
  return (
    side(
      [
        [0, -56],
        [52, -30],
        [0, -4],
        [-52, -30],
      ],
      top,
    ) +
    side(
      [
        [-52, -30],
        [0, -4],
        [0, 56],
        [-52, 30],
      ],
      left,
    ) +
    side(
      [
        [52, -30],
        [0, -4],
        [0, 56],
        [52, 30],
      ],
      right,
    ) +
    shade("M52-30L0-4V56L52 30Z", 0.22) +
    shine("M-34 -30L0 -47L12 -41L-22 -24Z", 0.55) +
    shine("M-44 -16L-32 -10L-32 30L-44 24Z", 0.35)
  );
}

function inset(
  points: readonly (readonly [number, number])[],
  share: number,
): readonly (readonly [number, number])[] {
  const cx = points.reduce((sum, [x]) => sum + x, 0) / points.length;
  const cy = points.reduce((sum, [, y]) => sum + y, 0) / points.length;
  return points.map(([x, y]) => [cx + (x - cx) * share, cy + (y - cy) * share] as const);
}

export default colorGame;
