import {
  type Brush,
  circle,
  cord,
  inked,
  line,
  paint,
  path,
  place,
  shade,
  shine,
} from "./brush.ts";
import type { Material } from "./colour.ts";
import { star, times } from "./geometry.ts";

export function kite(b: Brush, nw: Material, ne: Material, sw: Material, se: Material): string {
  const tail = "M-11 52C-20 78-50 52-66 62C-86 76-62 92-90 100";
  const ribbons: readonly [number, number, number, Material][] = [
    [-22, 65, 30, "pink"],
    [-48, 58, -6, "gold"],
    [-73, 70, -60, "cyan"],
    [-77, 88, 10, "red"],
  ];
  const ribbon = ([x, y, turn, material]: (typeof ribbons)[number]) =>
    place(path("M0 0L-14-10V10ZM0 0L14-10V10Z", b.fill(material), " stroke-width='3'"), x, y, turn);
  const flags = (side: 1 | -1) =>
    times(6, (i) => {
      const material = i % 2 === 0 ? "pink" : "cyan";
      const flag = path("M0 0L-6 17H6Z", b.fill(material), " stroke-width='2.5'");
      return place(flag, side * (57 - i * 9), -8 + i * 13, side * -38);
    });
  const quarters =
    path("M0 -88L0 -20L-62 -20Z", b.fill(nw)) +
    path("M0 -88L62 -20L0 -20Z", b.fill(ne)) +
    path("M-62 -20L0 -20L0 74Z", b.fill(sw)) +
    path("M62 -20L0 74L0 -20Z", b.fill(se));
  return (
    cloud(58, 50, 0.95) +
    cloud(-66, -34, 0.7) +
    inked(
      line("M12-12C40 30 62 66 96 100", "#fff1c9", 2, 0.8) +
        cord(tail, "#fff1c9", 3, 2.5) +
        ribbons.map(ribbon).join("") +
        place(
          flags(1) +
            flags(-1) +
            quarters +
            line("M0-88V74M-62-20H62", "#fff1c9", 4.5) +
            shine("M-5 -74L-5 -27L-46 -27Z", 0.45) +
            shine("M-48 -13L-36 -13L-8 34L-8 50Z", 0.35) +
            shade("M62 -20L0 74L16 -20Z", 0.2) +
            path(star(8, 25, 11, 0, 0, -20), b.fill("gold"), " stroke-width='3.5'") +
            circle(0, -20, 6, "#fff8d8", " stroke='none'"),
          14,
          -12,
          20,
          1.02,
        ),
    ) +
    cloud(-14, 92, 1)
  );
}

export function cloud(x: number, y: number, size: number): string {
  const puff = "M-40 12C-56 12-56-10-38-10C-36-30-8-32-4-16C6-28 28-22 26-8C46-10 46 12 32 12Z";
  return place(
    paint(puff, "#efe3ff", 0.92) +
      paint("M-40 12C-48 12-52 6-50 0C-30 8 10 6 40 0C42 8 38 12 32 12Z", "#b79af0", 0.8),
    x,
    y,
    0,
    size,
  );
}
