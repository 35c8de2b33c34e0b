import {
  beads,
  circle,
  cord,
  eye,
  glint,
  inked,
  line,
  linear,
  oval,
  paint,
  path,
  place,
  radial,
  shade,
  shine,
} from "./brush.ts";
import { BRIGHTS, INK, MATERIALS, type Material } from "./colour.ts";
import { dot, n, polar, polygon, roundRect, star, times } from "./geometry.ts";
import { GLYPHS } from "./glyphs.ts";
import type { Subject } from "./subject.ts";

/** The Christmas star lantern: facets of two papers, a ring of capiz, two tassels. */
export const parol: Subject = (b) => {
  const [light, dark] = b.rng.pick([
    ["gold", "red"],
    ["pink", "violet"],
    ["cyan", "blue"],
    ["gold", "green"],
    ["orange", "pink"],
  ] as const);
  return lantern(light, dark)(b);
};

export function lantern(light: Material, dark: Material): Subject {
  return (b) => {
    const left: string[] = [];
    const right: string[] = [];
    for (let tip = 0; tip < 5; tip++) {
      const end = polar(82, tip * 72);
      left.push(polygon([[0, 0], polar(39, tip * 72 - 36), end]));
      right.push(polygon([[0, 0], end, polar(39, tip * 72 + 36)]));
    }
    const tassel = (x: number, tilt: number) =>
      place(
        path("M-3 0L-10 34L-4 30L0 38L4 30L10 34L3 0Z", b.fill(dark)) +
          circle(0, 0, 7, b.ball(light)),
        x,
        66,
        tilt,
      );
    return inked(
      tassel(-50, 12) +
        tassel(50, -12) +
        circle(0, 0, 64, "#2b0f4f") +
        beads(25, 62, 7.6, INK) +
        beads(25, 62, 5.2, "#fff3d8") +
        path(left.join(""), b.fill(light)) +
        paint(right.join(""), MATERIALS[dark][1]) +
        line(right.join(""), INK, 4) +
        paint(star(5, 50, 24), "#fff8d8", 0.28) +
        shine(polygon([polar(10, -14), polar(32, -34), polar(72, -1)]), 0.4) +
        shine(polygon([polar(10, -86), polar(32, -106), polar(72, -73)]), 0.3) +
        circle(0, 0, 16, b.ball("gold")) +
        paint(star(10, 12, 5), "#fffbe6") +
        path(
          times(5, (i) => dot(...polar(82, i * 72), 5)),
          "#fffbe0",
          " stroke-width='3'",
        ),
    );
  };
}

export const jeepney: Subject = (b) => {
  const paintwork = b.rng.pick(["red", "blue", "green", "violet", "orange"] as const);
  const trim = b.rng.pick(["gold", "cyan", "pink"] as const);
  const bars = times(7, (i) => roundRect(-27 + i * 8, 14, 4, 32, 2));
  return inked(
    path(roundRect(-66, 52, 26, 34, 8) + roundRect(40, 52, 26, 34, 8), "#231a3d") +
      path("M-70-40Q-70-64-48-66H48Q70-64 70-40V-36H-70Z", b.fill(paintwork)) +
      path(roundRect(-44, -84, 88, 24, 8), b.fill("gold")) +
      paint(roundRect(-36, -78, 72, 12, 4), INK) +
      paint(
        times(7, (i) => dot(-27 + i * 9, -72, 3)),
        "#ffe27a",
      ) +
      path("M-64-38H64L72 20H-72Z", b.fill(paintwork)) +
      path("M-56-34H-4V-2H-60Z", b.fill("cyan")) +
      path("M56-34H4V-2H60Z", b.fill("cyan")) +
      shine("M-50-32H-34L-46-4H-56ZM22-32H34L20-4H10Z", 0.6) +
      path("M-76 22Q-80 4-62 2Q-40-2-38 10V50H-70Q-78 44-76 22Z", b.fill(trim)) +
      path("M76 22Q80 4 62 2Q40-2 38 10V50H70Q78 44 76 22Z", b.fill(trim)) +
      path("M-38 8Q0-14 38 8V52H-38Z", b.fill("silver")) +
      paint(bars, INK, 0.8) +
      shine("M-34 9Q0-9 34 9Q0 0-34 9Z", 0.9) +
      circle(-56, 26, 15, b.ball("gold")) +
      circle(56, 26, 15, b.ball("gold")) +
      paint(dot(-60, 21, 5) + dot(52, 21, 5), "#fff") +
      path(roundRect(-80, 50, 160, 15, 7), b.fill("silver")) +
      shine("M-74 53H74V56H-74Z", 0.8) +
      path(star(5, 13, 6, 0, 0, -6), b.fill("gold"), " stroke-width='3'") +
      line("M-68-48H68", "#fff", 2.5, 0.7),
  );
};

export const mango: Subject = (b) => {
  const fruit = "M-6-58C34-70 70-30 62 16C54 60 6 78-26 58C-54 40-50 6-40-16C-32-36-26-52-6-58Z";
  const skin = b.custom("mango", (id) =>
    radial(id, ["#fff2a0", "#ffc21f", "#ff8a1a", "#d13a2a"], "cx='.36' cy='.34' r='.8'"),
  );
  return inked(
    place(path(fruit, skin), 22, 8, 34, 0.78) +
      place(
        path(fruit, skin) +
          shade("M62 16C54 60 6 78-26 58C10 64 44 46 62 16Z") +
          shine("M-28-6C-26-28-12-42 2-44C-8-32-18-14-20 8C-22 14-30 8-28-6Z", 0.6) +
          paint(dot(20, -8, 2) + dot(30, 10, 2) + dot(12, 22, 2) + dot(-6, 34, 2), "#c9541a", 0.5),
        -14,
        6,
        -8,
      ) +
      cord("M-24-52Q-24-68-14-80", "#8a5128", 5) +
      path("M-18-70C4-98 46-96 74-72C46-52 8-50-18-70Z", b.fill("green")) +
      line("M-10-70Q30-80 62-73M16-76L30-86M20-73L36-62", "#d7ffb0", 2.5, 0.7) +
      path("M-22-68C-44-88-70-82-84-64C-62-50-38-52-22-68Z", b.fill("green")),
  );
};

export const sampaguita: Subject = (b) => {
  const petal = "M0 0C-22-14-22-50 0-62C22-50 22-14 0 0Z";
  const ring = (count: number, turn: number, size: number) =>
    times(count, (i) =>
      place(
        path(petal, b.fill("cream")) + line("M0-10V-40", "#d99a5c", 2, 0.5),
        0,
        0,
        turn + (i * 360) / count,
        size,
      ),
    );
  const leaf = (turn: number) =>
    place(
      path("M0-20C-30-40-30-78 0-96C30-78 30-40 0-20Z", b.fill("green")) +
        line("M0-34V-82", "#d7ffb0", 2.5, 0.6),
      0,
      0,
      turn,
    );
  const bud = (x: number, y: number, turn: number) =>
    place(
      path("M0-18C-12-8-11 8 0 14C11 8 12-8 0-18Z", b.fill("cream")) +
        path("M-8 4L0 18L8 4Z", b.fill("green")),
      x,
      y,
      turn,
    );
  return inked(
    times(5, (i) => leaf(i * 72 + 36)) +
      ring(8, 0, 1.28) +
      ring(6, 24, 0.86) +
      circle(0, 0, 15, b.ball("gold")) +
      beads(7, 8, 2, "#b5650a") +
      bud(-70, 48, -40) +
      bud(72, 44, 40) +
      bud(0, 84, 180),
  );
};

export const carabao: Subject = (b) => {
  const hide = b.rng.pick(["slate", "wood", "violet"] as const);
  const horn = "M-30-34C-58-24-92-40-88-86C-78-62-52-56-24-58Z";
  const ear = "M-44-24C-64-34-84-24-88-6C-70 0-54-4-44-14Z";
  const half = path(ear, b.fill(hide)) + shade("M-50-20C-62-24-74-18-80-9C-68-6-56-8-50-14Z", 0.35);
  const horns = path(horn, b.fill("cream")) + line("M-80-62Q-70-50-50-46", "#a3744a", 3, 0.7);
  const both = (drawn: string) => `${drawn}<g transform='scale(-1 1)'>${drawn}</g>`;
  return inked(
    both(half) +
      both(horns) +
      path(
        "M0-64C34-64 50-46 48-18C46 8 34 30 38 56C36 82 18 90 0 90S-36 82-38 56" +
          "C-34 30-46 8-48-18C-50-46-34-64 0-64Z",
        b.fill(hide),
      ) +
      shine("M-20-52Q0-60 20-52Q10-30 8 20Q0 30-8 20Q-10-30-20-52Z", 0.22) +
      path(
        "M0 42C26 40 42 50 40 66C36 88 18 92 0 92S-36 88-40 66C-42 50-26 40 0 42Z",
        b.fill("pink"),
      ) +
      paint("M-22 60q8-8 12 2q-6 8-12-2M22 60q-8-8-12 2q6 8 12-2Z", INK) +
      line("M-16 78Q0 86 16 78", INK, 3.5) +
      eye(-28, -10, 11) +
      eye(28, -10, 11) +
      line("M-42-26Q-30-32-18-24M42-26Q30-32 18-24", INK, 4.5) +
      path("M-26-58Q0-92 26-58Q0-48-26-58Z", b.fill("green")) +
      path(star(5, 17, 8, 0, 0, -62), b.fill("gold"), " stroke-width='3'"),
  );
};

export const kalesa: Subject = (b) => {
  const rim = b.rng.pick(["red", "gold", "green", "blue"] as const);
  const spoke = "M-4-20L-8-42L-3-66H3L8-42L4-20Z";
  return inked(
    circle(0, 0, 88, "#2b1b3d") +
      circle(0, 0, 83, b.fill(rim)) +
      circle(0, 0, 66, "#24104a") +
      times(12, (i) =>
        place(path(spoke, b.fill(i % 2 ? "gold" : "wood"), " stroke-width='3'"), 0, 0, i * 30),
      ) +
      beads(24, 75, 3.4, "#fff1b0") +
      circle(0, 0, 26, b.fill(rim)) +
      path(star(8, 21, 11), b.fill("gold"), " stroke-width='3'") +
      circle(0, 0, 8, b.ball("silver")) +
      shine("M-70-44A83 83 0 0 1 20-81L16-70A71 71 0 0 0-60-36Z", 0.5),
  );
};

export const haloHalo: Subject = (b) => {
  const glass = "M-48-30L-34 70Q-32 82-20 82H20Q32 82 34 70L48-30Z";
  const layer = (y: number, h: number, fill: string) => {
    const at = (value: number) => 48 - (value + 30) * 0.14;
    const [top, low] = [at(y), at(y + h)];
    return paint(`M${n(-top)} ${y}Q0 ${y + 9} ${n(top)} ${y}L${n(low)} ${y + h}H${n(-low)}Z`, fill);
  };
  return inked(
    cord("M30-36L58-92", "#ffd566", 6) +
      path(glass, "#fff4ff") +
      layer(48, 32, b.fill("green")) +
      layer(26, 26, b.fill("red")) +
      layer(6, 24, b.fill("gold")) +
      layer(-26, 36, "#eef6ff") +
      paint(dot(-20, 60, 6) + dot(4, 66, 6) + dot(18, 54, 6) + dot(-6, 40, 5), INK, 0.35) +
      paint("M-30 -14L-16 -20L-10 -4L-24 2Z" + "M8 -16L22 -12L18 4L4 0Z", "#9fd6ff", 0.8) +
      path(
        "M-54-32C-58-54-34-66-20-62C-14-82 22-82 26-60C46-66 60-48 54-32Q0-20-54-32Z",
        b.fill("cream"),
      ) +
      path("M-38-50A25 25 0 0 1 12-52Q0-38-12-42Q-26-38-38-50Z", b.fill("violet")) +
      path(roundRect(8, -64, 32, 20, 6), b.fill("gold")) +
      shade("M10-50H38V-46Q24-42 10-46Z", 0.25) +
      cord("M-12-82Q-6-92 4-92", "#3f8f3a", 3, 2) +
      circle(-14, -77, 10, b.ball("red")) +
      line(glass, INK, 5) +
      shine("M-40-18L-28 70H-20L-30-16Z", 0.75) +
      path("M-26 82H26Q38 92 30 92H-30Q-38 92-26 82Z", b.fill("silver")),
  );
};

export const seven: Subject = (b) => {
  const face = "M-62-76H66V-44C36-14 18 26 14 82H-34C-30 30-10-10 22-38H-28Q-40-38-44-20H-62Z";
  const [front, side] = b.rng.pick([
    ["red", "gold"],
    ["gold", "red"],
    ["pink", "violet"],
    ["cyan", "blue"],
    ["green", "gold"],
  ] as const);
  return inked(
    place(path(face, b.fill(side)), 10, 10) +
      place(path(face, b.fill(side)), 5, 5) +
      path(face, "#fff6d0") +
      place(path(face, b.fill(front), " stroke='#fff' stroke-width='0'"), 1, -1, 0, 0.88) +
      shine("M-50-66H54V-52H-50Z", 0.55) +
      shine("M22-18C4 8-8 40-10 70H-20C-18 36-4 4 22-18Z", 0.3) +
      paint(glint(-46, 58, 22) + glint(64, 30, 15), "#fff7c4"),
  );
};

export const ginto: Subject = (b) => {
  const bar = (x: number, y: number) =>
    place(
      path("M-44 24L-34-6H34L44 24Z", b.fill("gold")) +
        path(
          "M-34-6L-24-22H24L34-6Z",
          b.custom("lid", (id) => linear(id, ["#fffbe0", "#ffdf70"])),
        ) +
        line("M-22 4H22L27 16H-27Z", "#a35c08", 3, 0.6) +
        shine("M-30-3H-18L-28 21H-39Z", 0.45),
      x,
      y,
    );
  return inked(
    bar(-46, 52) +
      bar(46, 52) +
      bar(0, 6) +
      path("M-84 76H84L70 92H-70Z", b.fill("wood")) +
      line("M-74 84H74", "#f3c88a", 3, 0.7) +
      circle(0, -56, 26, b.ball("gold")) +
      line(dot(0, -56, 19), "#a35c08", 3, 0.7) +
      path("M-6-42V-70H4Q13-62 4-56H-6M-12-66H14M-12-60H14", "none", " stroke-width='4.5'") +
      paint(glint(-56, -12, 24) + glint(60, -26, 17) + glint(26, -84, 12), "#fffbe0"),
  );
};

export const salakot: Subject = (b) => {
  const grain = (x: number, y: number, turn: number) =>
    place(path("M0 0Q8-10 0-22Q-8-10 0 0Z", b.fill("gold"), " stroke-width='3'"), x, y, turn);
  const sheaf =
    cord("M4 92C24 84 54 74 74 44", "#7fbf3a", 4, 3) +
    grain(74, 46, 30) +
    times(4, (i) => grain(64 - i * 12, 58 + i * 7, -10) + grain(68 - i * 12, 60 + i * 7, 95));
  const weave = times(9, (i) => `M0-76Q${n(-92 + i * 23)}-20 ${n((-92 + i * 23) * 1.02)} 16`);
  const band = b.rng.pick(["red", "green", "blue", "violet"] as const);
  return inked(
    sheaf +
      `<g transform='scale(-1 1)'>${sheaf}</g>` +
      path("M-92 12C-60-14-30-66 0-80C30-66 60-14 92 12C60 36-60 36-92 12Z", b.fill("gold")) +
      line(weave, "#8a4a0a", 2.5, 0.65) +
      line("M-56-16Q0 2 56-16M-34-46Q0-34 34-46", "#8a4a0a", 2.5, 0.65) +
      path("M-92 12C-60 36 60 36 92 12C72 60-72 60-92 12Z", b.fill(band)) +
      paint(
        times(9, (i) => dot(-60 + i * 15, 36 - Math.abs(i - 4) * 1.6, 4.5)),
        "#ffe79a",
      ) +
      shine("M-14-64Q-46-26-68 4Q-30-6-6-60Z", 0.4) +
      circle(0, -80, 10, b.ball("gold")),
  );
};

export const tarsier: Subject = (b) => {
  const fur = b.rng.pick(["wood", "orange", "gold"] as const);
  const iris = b.rng.pick(["gold", "green", "cyan"] as const);
  const ear = "M-34-40C-66-92-94-66-84-34C-78-16-58-12-48-18Z";
  const bigEye = (x: number) =>
    circle(x, -12, 31, "#fff8e0") +
    circle(x, -12, 25, b.ball(iris)) +
    circle(x, -12, 12, INK) +
    paint(dot(x - 9, -22, 7) + dot(x + 8, -3, 3.5), "#fff");
  const hand = (x: number) =>
    times(3, (i) => path(roundRect(x - 17 + i * 12, 52, 11, 32, 5.5), b.fill(fur)));
  const side =
    path(ear, b.fill(fur)) +
    paint("M-46-42C-64-70-78-58-74-38C-70-26-60-24-54-26Z", "#f59aa8", 0.8);
  return inked(
    `${side}<g transform='scale(-1 1)'>${side}</g>` +
      path("M0-62C44-64 72-36 70-6C68 30 40 48 0 48S-68 30-70-6C-72-36-44-64 0-62Z", b.fill(fur)) +
      bigEye(-33) +
      bigEye(33) +
      path("M-9 20Q0 12 9 20Q8 30 0 32Q-8 30-9 20Z", "#ff8fa6") +
      line("M-14 36Q0 44 14 36", INK, 3.5) +
      cord("M-92 74C-40 60 30 84 92 62", "#8a5128", 15) +
      hand(-34) +
      hand(34) +
      path("M58 66C70 40 92 44 90 30C66 30 54 44 58 66Z", b.fill("green")),
  );
};

export const perlas: Subject = (b) => {
  const nacre = b.rng.pick(["pink", "cyan", "violet", "orange"] as const);
  const ribs = times(
    7,
    (i) => `M0 34L${n(-66 + i * 22)} ${n(-46 - 20 * (1 - ((i - 3) / 3) ** 2))}`,
  );
  return inked(
    path(
      "M0 40C-40 40-92 10-84-30C-80-44-66-46-60-40C-58-62-36-70-28-58" +
        "C-20-78 20-78 28-58C36-70 58-62 60-40C66-46 80-44 84-30C92 10 40 40 0 40Z",
      b.fill(nacre),
    ) +
      line(ribs, "#fff", 3.5, 0.55) +
      path("M-86 30C-60 10 60 10 86 30C80 74 40 88 0 88S-80 74-86 30Z", b.fill(nacre)) +
      path("M-78 34C-50 20 50 20 78 34C50 52-50 52-78 34Z", "#3b1160") +
      line("M-58 58L-48 76M-30 64L-24 84M0 66V86M30 64L24 84M58 58L48 76", "#fff", 3.5, 0.45) +
      circle(
        0,
        18,
        31,
        b.custom("pearl", (id) =>
          radial(id, ["#fff", "#ffeaf6", "#c9b8ec", "#8a78c4"], "cx='.36' cy='.3' r='.8'"),
        ),
      ) +
      shine("M-19 8A20 20 0 0 1 4-6A26 26 0 0 0-19 8Z", 0.95) +
      paint(glint(38, -14, 20) + glint(-52, -6, 12), "#fff"),
  );
};

export const kubo: Subject = (b) => {
  const thatch = times(9, (i) => `M${n(-8 + i * 2)}-72L${n(-72 + i * 18)} -6`);
  return inked(
    cord("M-48 40V88M48 40V88M-16 48V86M16 48V86", "#8a5128", 8) +
      path("M-58-12H58V46H-58Z", b.fill("wood")) +
      line("M-40-8V44M-24-8V44M24-8V44M42-8V44", "#ffd9a0", 2.5, 0.4) +
      path("M-18 46V0Q0-12 18 0V46Z", "#ffd25c") +
      paint("M-12 46V4Q0-4 12 4V46Z", "#fff6c0") +
      path("M-66 44H66V56H-66Z", b.fill("wood")) +
      path(
        "M-90 0L-14-78Q0-88 14-78L90 0Q70 10 56 0Q40 12 28 2Q14 12 0 2Q-14 12-28 2" +
          "Q-40 12-56 0Q-70 10-90 0Z",
        b.fill("gold"),
      ) +
      line(thatch, "#8f4f0c", 3, 0.6) +
      shine("M-12-70L-74-8L-60-2L-2-74Z", 0.4) +
      line("M-10 56L-26 90M10 56L-6 90M-14 66H6M-18 78H0", "#5a3418", 4) +
      lamp(b.ball("red"), -74, 26) +
      lamp(b.ball("pink"), 74, 26),
  );
};

function lamp(fill: string, x: number, y: number): string {
  return (
    line(`M${x} 2V${y - 10}`, INK, 3) + circle(x, y, 11, fill) + shine(dot(x - 4, y - 4, 3), 0.9)
  );
}

export const araw: Subject = (b) => {
  const ray = "M-13-50L0-92L13-50ZM-26-46L-22-74L-12-48ZM26-46L22-74L12-48Z";
  return inked(
    times(8, (i) => place(path(ray, b.fill(i % 2 ? "orange" : "gold")), 0, 0, i * 45)) +
      circle(0, 0, 52, b.ball("gold")) +
      line(dot(0, 0, 44), "#fff3b8", 3, 0.8) +
      paint(dot(-26, 12, 9) + dot(26, 12, 9), "#ff6a4d", 0.55) +
      line("M-30-8Q-20-18-10-8M30-8Q20-18 10-8", INK, 4.5) +
      line("M0-4Q-8 8 2 12", "#a5570a", 3.5) +
      line("M-18 20Q0 38 18 20", INK, 4.5) +
      shine("M-38-18A42 42 0 0 1 0-42A56 56 0 0 0-38-18Z", 0.7),
  );
};

export const buko: Subject = (b) => {
  const blade = "M0-8C-22-16-34-44-26-64C-8-56 6-30 0-8Z";
  const bloom = b.rng.pick(["pink", "red", "orange"] as const);
  return inked(
    cord("M20-26L46-88L66-82", "#ff5f8d", 7) +
      line("M26-34L30-43M36-58L40-67", "#fff", 6) +
      path("M-80-18C-84 50-44 88 0 88S84 50 80-18Z", b.fill("green")) +
      shade("M80-18C84 50 44 88 0 88C50 76 66 30 66-18Z") +
      shine("M-66-6C-66 30-52 56-34 68C-58 38-58 16-56-6Z", 0.45) +
      oval(0, -18, 80, 26, b.fill("cream")) +
      oval(0, -16, 62, 17, "#d5f4ff") +
      shine("M-50-20Q-20-32 20-29Q-20-24-44-12Z", 0.95) +
      path("M-54-40C-40-62-10-70 10-56C-2-42-30-32-54-40Z", b.fill("green")) +
      place(
        times(5, (i) => place(path(blade, b.fill(bloom)), 0, 0, i * 72, 0.62)) +
          circle(0, 0, 8, b.ball("gold")),
        -46,
        -34,
      ),
  );
};

/** The moon-eating serpent. */
export const bakunawa: Subject = (b) => {
  const skin = b.rng.pick(["green", "violet", "blue", "red"] as const);
  const belly = { green: "#e9ffb0", violet: "#f3d7ff", blue: "#bdf3ff", red: "#ffd9a8" }[skin];
  const body = "M-34 84C30 96 84 60 70 16C60-20 4-6-20-24C-34-36-30-54-14-60";
  return inked(
    circle(
      30,
      -42,
      36,
      b.custom("moon", (id) =>
        radial(id, ["#fffdf0", "#ffe9a6", "#e79a3c"], "cx='.4' cy='.35' r='.75'"),
      ),
    ) +
      paint(dot(42, -54, 6) + dot(30, -34, 4) + dot(50, -36, 5), "#d9953c", 0.4) +
      times(5, (i) => place(path("M-9 6L0-24L11 6Z", b.fill("gold")), ...finAt(i))) +
      line(body, INK, 46) +
      line(body, b.fill(skin), 38) +
      line(body, belly, 13, 0.9) +
      `<g stroke-dasharray='3 10' stroke-linecap='butt'>${line(body, INK, 13, 0.4)}</g>` +
      path("M-34 84C-58 80-66 66-86 74C-76 84-80 92-90 92C-66 98-44 96-34 84Z", b.fill("gold")) +
      path("M-28-86L-44-104L-22-92ZM-66-66L-92-72L-70-54Z", b.fill("gold")) +
      path(
        "M8-78C-2-96-34-96-52-84C-72-72-92-56-86-40C-82-30-66-32-56-36" +
          "C-66-26-62-16-50-20C-30-24-6-34 4-50C12-60 14-70 8-78Z",
        b.fill(skin),
      ) +
      path(
        "M-82-42Q-60-40-36-50L-44-38L-50-46L-56-34L-64-43L-70-34Z",
        "#fff",
        " stroke-width='2.5'",
      ) +
      eye(-32, -70, 11) +
      line("M-48-82L-22-84", INK, 5) +
      paint(dot(-78, -53, 3), INK) +
      cord("M-84-48C-98-40-94-22-84-16", "#ffd566", 4, 2.5),
  );
};

function finAt(index: number): [number, number, number] {
  const spots: readonly [number, number, number][] = [
    [84, 20, 80],
    [72, -8, 40],
    [40, -20, 0],
    [68, 62, 130],
    [30, -16, -8],
  ];
  return spots[index] ?? [0, 0, 0];
}

export const tambol: Subject = (b) => {
  const shell = b.rng.pick(BRIGHTS);
  const trim: Material = shell === "gold" ? "red" : "gold";
  const zigzag = `M-70-14${times(7, (i) => `L${n(-60 + i * 20)} ${i % 2 ? -14 : 44}`)}L70-14`;
  const stick = (turn: number) =>
    place(
      path(roundRect(-5, -96, 10, 130, 5), b.fill("wood")) + circle(0, -92, 12, b.ball("cream")),
      0,
      0,
      turn,
    );
  return inked(
    stick(-38) +
      stick(38) +
      path("M-74-26L-66 62C-40 92 40 92 66 62L74-26Z", b.fill(shell)) +
      line(zigzag, INK, 8) +
      line(zigzag, "#fff4c4", 3.5) +
      path("M-69 34L-66 62C-40 92 40 92 66 62L69 34C40 64-40 64-69 34Z", b.fill(trim)) +
      oval(0, -28, 76, 27, b.fill(trim)) +
      oval(0, -31, 64, 20, b.fill("cream")) +
      shine("M-52-34Q-20-50 26-46Q-16-38-44-26Z", 0.9) +
      path(
        star(8, 20, 9, 0, 0, 0),
        b.fill(trim),
        " transform='translate(0 -30) scale(1 .4)' stroke-width='3'",
      ),
  );
};

/** The 7s and bars of an old fruit machine, three in a window. */
export const rolyo: Subject = (b) => {
  const frame = b.rng.pick(["gold", "red", "violet", "blue", "green"] as const);
  const glyph = (x: number, colour: string) =>
    place(line(GLYPHS["7"], INK, 13) + line(GLYPHS["7"], colour, 7), x, 0, 0, 1.25);
  return inked(
    path(roundRect(-88, -58, 164, 122, 22), b.fill(frame)) +
      shine(roundRect(-78, -52, 144, 9, 4), 0.55) +
      path(roundRect(-76, -38, 140, 82, 10), "#1d0f3f") +
      times(3, (i) =>
        path(roundRect(-70 + i * 45, -34, 40, 74, 7), b.fill("cream"), " stroke-width='3'"),
      ) +
      glyph(-50, "#e2262f") +
      glyph(-5, "#e2262f") +
      glyph(40, "#e2262f") +
      shade("M-70-30H62V-18H-70ZM-70 26H62V38H-70Z", 0.18) +
      cord("M80 24V-30", "#c0c9e6", 7) +
      circle(80, -40, 14, b.ball("red")) +
      path("M-60 64H50L62 86H-72Z", b.fill("slate")) +
      paint(
        times(11, (i) => dot(-70 + i * 13, 54, 3.4)),
        "#fff1a8",
      ) +
      paint(star(5, 22, 10, 0, -6, -74), "#ffe27a"),
  );
};
