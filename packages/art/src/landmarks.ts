import {
  type Brush,
  beads,
  circle,
  cord,
  glint,
  line,
  paint,
  path,
  place,
  radial,
  shade,
  shine,
} from "./brush.ts";
import { INK, MATERIALS, type Material } from "./colour.ts";
import { dot, n, polar, roundRect, star, times } from "./geometry.ts";

/** The fair's big wheel with a parol as its hub; around 0,0, radius 90. */
export function ferrisWheel(b: Brush, cabins: number, turn = 0): string {
  const colours = ["red", "gold", "blue", "green", "pink", "orange", "violet", "cyan"] as const;
  const spokes = times(cabins, (i) => {
    const [x, y] = polar(70, turn + (i * 360) / cabins);
    return `M0 0L${n(x)} ${n(y)}`;
  });
  return (
    path("M-44 94L-7 0H7L44 94H30L0 22L-30 94Z", b.fill("violet")) +
    line(spokes, INK, 8) +
    line(spokes, "#ffe7a6", 3) +
    line(dot(0, 0, 70), INK, 15) +
    line(dot(0, 0, 70), "#ffc83a", 8) +
    line(dot(0, 0, 48), "#ffe7a6", 2.5, 0.8) +
    beads(cabins * 3, 70, 2.4, "#fffdf0") +
    times(cabins, (i) => {
      const [x, y] = polar(74, turn + (i * 360) / cabins);
      const material = colours[i % colours.length] ?? "red";
      return place(
        path("M-13-3A13 13 0 0 1 13-3V6Q13 13 6 13H-6Q-13 13-13 6Z", b.fill(material)) +
          paint("M-8-3A8 8 0 0 1 8-3V1H-8Z", "#fff8dc", 0.9),
        x,
        y,
      );
    }) +
    path(star(5, 34, 15), b.fill("gold")) +
    paint(star(5, 18, 8), "#fffbe0") +
    circle(0, 0, 5, MATERIALS.pink[1], " stroke='none'")
  );
}

/** A belfry at the dawn mass of Simbang Gabi, fireworks over it. */
export function belfry(b: Brush): string {
  const window = (x: number, y: number) =>
    path(
      `M${x - 7} ${y + 22}V${y}A7 7 0 0 1 ${x + 7} ${y}V${y + 22}Z`,
      "#ffdf70",
      " stroke-width='3'",
    );
  return (
    burst(-50, -48, 34, "#ff7fc4") +
    burst(54, -54, 30, "#7fe3f5") +
    path("M-76 86V28L-44 10V86ZM76 86V28L44 10V86Z", b.fill("wood")) +
    path("M-44 86V-14H44V86Z", b.fill("cream")) +
    path("M-28-14V-50H28V-14Z", b.fill("cream")) +
    path("M-36-48Q-22-78 0-92Q22-78 36-48Z", b.fill("red")) +
    shine("M-28-52Q-16-74-2-84Q-14-66-16-52Z", 0.45) +
    cord("M0-92V-108M-7-101H7", "#ffd566", 4, 2.5) +
    path("M-50-14H50V-4H-50Z", b.fill("gold")) +
    path("M-14-16V-34A14 14 0 0 1 14-34V-16Z", INK) +
    path("M-9-18Q-9-36 0-36T9-18Z", b.fill("gold"), " stroke-width='2.5'") +
    window(-26, 16) +
    window(26, 16) +
    path("M-15 86V58A15 15 0 0 1 15 58V86Z", "#7c0a28") +
    paint("M-9 86V60A9 9 0 0 1 9 60V86Z", "#ffe79a", 0.9) +
    path(star(5, 16, 7, 0, 0, 24), b.fill("pink"), " stroke-width='3'") +
    shade("M20-4H44V86H20ZM10-50H28V-14H10Z", 0.16)
  );
}

export function burst(x: number, y: number, r: number, colour: string): string {
  const sparks = times(12, (i) => {
    const [ax, ay] = polar(r * 0.35, i * 30, x, y);
    const [bx, by] = polar(i % 2 === 0 ? r : r * 0.72, i * 30, x, y);
    return `M${n(ax)} ${n(ay)}L${n(bx)} ${n(by)}`;
  });
  const tips = times(12, (i) => dot(...polar((i % 2 === 0 ? r : r * 0.72) + 4, i * 30, x, y), 2.2));
  return line(sparks, colour, 3.2) + paint(tips, "#fff6d0") + paint(dot(x, y, r * 0.14), "#fff");
}

export function bibingka(b: Brush): string {
  const crust = b.custom("crust", (id) =>
    radial(id, ["#fff0a6", "#ffc046", "#b25a16"], "cx='.42' cy='.35' r='.7'"),
  );
  const strip = (turn: number) =>
    place(path(roundRect(-24, -5, 48, 10, 4), b.fill("cream"), " stroke-width='3'"), 0, 0, turn);
  return (
    path(
      "M-92 30C-70-10-58-70-6-84C52-86 84-40 92 20C70 76 20 92-20 86C-56 80-80 60-92 30Z",
      b.fill("green"),
    ) +
    line(
      "M-84 30C-40 20 30-20 78-14M-52-24L-38 6M-20-58L-4-12M28-70L34-26M-40 66" +
        "L-20 26M20 78L18 24M62 50L48 2",
      "#d7ffb0",
      3,
      0.45,
    ) +
    path("M-70 14A70 56 0 0 0 70 14V26A70 54 0 0 1-70 26Z", "#7d3a10") +
    path("M0-52C46-52 70-24 70 8C70 40 40 62 0 62S-70 40-70 8C-70-24-46-52 0-52Z", crust) +
    paint(
      dot(-40, -8, 8) + dot(36, -20, 7) + dot(44, 22, 9) + dot(-28, 36, 8) + dot(8, 46, 6),
      "#a34e12",
      0.55,
    ) +
    place(strip(-32) + strip(34), -4, 2) +
    circle(0, 2, 15, b.ball("orange"), " stroke-width='3'") +
    place(circle(0, 0, 10, b.fill("cream"), " stroke-width='3'"), 38, -6) +
    place(circle(0, 0, 10, b.fill("cream"), " stroke-width='3'"), -40, 16) +
    shine("M-56-8C-46-34-22-44 6-44C-18-34-36-20-46 4Z", 0.6) +
    paint(glint(54, -56, 15), "#fffbe0")
  );
}

/** A roadside sign with its painted frame; the caller gives its content. */
export function sign(b: Brush, material: Material, content: string): string {
  return (
    path(roundRect(-5, 20, 10, 66, 4), b.fill("wood")) +
    path("M0-52L56 34H-56Z", b.fill(material)) +
    line("M0-36L42 28H-42Z", "#fff8dc", 3, 0.8) +
    content
  );
}
