import {
  type Brush,
  beads,
  circle,
  cord,
  glint,
  inked,
  line,
  oval,
  paint,
  path,
  place,
  shade,
  shine,
} from "./brush.ts";
import { INK, type Material } from "./colour.ts";
import { dot, n, roundRect, star, times } from "./geometry.ts";
import { digitGlyph, GLYPHS } from "./glyphs.ts";
import type { Subject } from "./subject.ts";

const BALLS = ["red", "blue", "green", "gold", "violet", "orange", "pink", "cyan"] as const;

function numberBall(b: Brush, material: Material, value: number, r: number): string {
  const digits = [...String(value)];
  const size = (r / 40) * (digits.length > 1 ? 0.82 : 1.1);
  return (
    circle(0, 0, r, b.ball(material)) +
    circle(r * 0.04, r * 0.06, r * 0.58, "#fffaf0", " stroke-width='2.5'") +
    digits
      .map((digit, i) =>
        place(
          line(GLYPHS[digitGlyph(Number(digit))], INK, 5.5),
          r * 0.04 + (i - (digits.length - 1) / 2) * 21 * size,
          r * 0.06,
          0,
          size,
        ),
      )
      .join("") +
    shine(
      `M${n(-r * 0.72)} ${n(-r * 0.3)}A${n(r * 0.8)} ${n(r * 0.8)} 0 0 1 ` +
        `${n(r * 0.1)} ${n(-r * 0.8)}` +
        `Q${n(-r * 0.4)} ${n(-r * 0.62)} ${n(-r * 0.72)} ${n(-r * 0.3)}Z`,
      0.85,
    )
  );
}

export const bola: Subject = (b) => {
  const at: readonly (readonly [number, number, number])[] = [
    [-48, -32, 36],
    [46, -40, 34],
    [-58, 48, 32],
    [58, 40, 34],
    [0, 12, 46],
  ];
  const first = b.rng.int(0, 7);
  return inked(
    at
      .map(([x, y, r], i) => {
        const material = BALLS[(first + i * 3) % BALLS.length] ?? "red";
        return place(numberBall(b, material, b.rng.int(1, 58), r), x, y, b.rng.int(-14, 14));
      })
      .join(""),
  );
};

export const tiket: Subject = (b) => {
  const paper = b.rng.pick(["gold", "pink", "cyan", "green", "orange"] as const);
  const edge = "M-50-80H50V-12A13 13 0 0 0 50 14V80H-50V14A13 13 0 0 0-50-12Z";
  const marked = b.rng.int(0, 4);
  return (
    inked(
      place(path(edge, b.fill("violet")), -16, 2, -18) +
        place(
          path(edge, b.fill(paper)) +
            path(roundRect(-38, -68, 76, 44, 8), b.fill("night"), " stroke-width='3'") +
            paint(star(5, 15, 6.5, 0, -18, -45), "#ffe27a") +
            place(line(GLYPHS["7"], "#fff", 5), 14, -46, 0, 0.8) +
            line("M-38 1H38", INK, 3, 0.6).replace("/>", " stroke-dasharray='1 8'/>") +
            times(15, (i) =>
              circle(
                -28 + (i % 5) * 14,
                26 + Math.floor(i / 5) * 18,
                6,
                i % 5 === marked ? "#e2262f" : "#fffaf0",
                " stroke-width='2.5'",
              ),
            ) +
            shine("M-46-76H-12L-46-10Z", 0.45),
          14,
          0,
          9,
          1.05,
        ),
    ) + paint(glint(-70, -62, 17) + glint(76, 62, 14), "#fff7c4")
  );
};

export const tambiolo: Subject = (b) => {
  const frame = b.rng.pick(["gold", "red", "blue", "violet"] as const);
  const at: readonly (readonly [number, number])[] = [
    [-30, 26],
    [2, 38],
    [32, 24],
    [-40, -10],
    [-6, 4],
    [26, -14],
    [-16, -38],
    [16, -46],
    [46, 2],
  ];
  return inked(
    path("M-58 92L-28 20H-12L-32 92ZM58 92L28 20H12L32 92Z", b.fill(frame)) +
      path(roundRect(-70, 84, 140, 12, 6), b.fill(frame)) +
      circle(0, -10, 74, "#e9f6ff", " fill-opacity='.28'") +
      at
        .map(([x, y], i) =>
          place(
            circle(0, 0, 16, b.ball(BALLS[i % BALLS.length] ?? "red"), " stroke-width='3'") +
              paint(dot(1, 1, 7), "#fffaf0"),
            x,
            y - 8,
          ),
        )
        .join("") +
      line(dot(0, -10, 74), INK, 15) +
      line(dot(0, -10, 74), b.fill(frame), 8) +
      shine("M-56-32A62 62 0 0 1-4-72Q-36-52-44-20Q-54-16-56-32Z", 0.75) +
      cord("M74-10H90V14", "#c0c9e6", 6) +
      circle(90, 20, 9, b.ball("red")) +
      circle(0, -10, 10, b.ball("gold")),
  );
};

/** Three digits in relief, for the daily draws. */
export const tatlongNumero: Subject = (b) => {
  const [face, side] = b.rng.pick([
    ["gold", "red"],
    ["cyan", "blue"],
    ["pink", "violet"],
    ["gold", "green"],
    ["orange", "red"],
  ] as const);
  const digit = (x: number, y: number, turn: number, size: number) => {
    const d = GLYPHS[digitGlyph(b.rng.int(0, 9))];
    const deep = times(4, (i) => place(line(d, INK, 14), 4 - i, 5 - i));
    return place(
      deep +
        place(line(d, sideOf(side), 9.5), 3, 4) +
        line(d, INK, 11) +
        line(d, b.fill(face), 7.5) +
        place(line(d, "#fff", 1.6, 0.75), -1, -1.4),
      x,
      y,
      turn,
      size,
    );
  };
  return (
    inked(
      digit(-63, 8, -9, 2.5) +
        digit(63, 4, 9, 2.5) +
        digit(0, -2, 0, 3) +
        path("M-74 66Q0 50 74 66V82Q0 66-74 82Z", b.fill(side)),
    ) + paint(glint(-24, -74, 18) + glint(78, -50, 14), "#fff")
  );
};

function sideOf(material: Material): string {
  const deep: Partial<Record<Material, string>> = {
    red: "#a3122b",
    blue: "#1c3da8",
    violet: "#55209f",
    green: "#0f6a3c",
  };
  return deep[material] ?? "#7c3b06";
}

export const bingo: Subject = (b) => {
  const head = b.rng.pick(["red", "blue", "violet", "green", "pink"] as const);
  const lucky = b.rng.int(0, 3);
  return inked(
    place(
      path(roundRect(-68, -78, 136, 156, 16), b.fill(head)) +
        paint(
          times(5, (i) => star(5, 11, 5, 0, -48 + i * 24, -54)),
          "#ffe27a",
        ) +
        path(roundRect(-58, -34, 116, 102, 8), b.fill("cream"), " stroke-width='3'") +
        line(
          times(3, (i) => `M${-29 + i * 29}-34V68M-58 ${-8 + i * 26}H58`),
          INK,
          2,
          0.45,
        ) +
        times(4, (i) =>
          circle(-43 + i * 29, -21 + lucky * 26, 11.5, b.ball("red"), " stroke-width='2.5'"),
        ) +
        times(5, (i) =>
          place(
            line(GLYPHS[digitGlyph(b.rng.int(1, 9))], "#251541", 4),
            -43 + ((i * 2) % 4) * 29 + (i > 2 ? 29 : 0),
            -21 + ((lucky + 1 + (i % 3)) % 4) * 26,
            0,
            0.55,
          ),
        ) +
        shine("M-62-72H30L-62 20Z", 0.25),
      0,
      0,
      -8,
    ) + place(numberBall(b, "gold", b.rng.int(1, 75), 30), 58, 58, 8),
  );
};

/** The folded banner of the grand prize, with a star over a burst of coins. */
export const premyo: Subject = (b) => {
  const cloth = b.rng.pick(["red", "blue", "violet", "green"] as const);
  const coins: readonly (readonly [number, number])[] = [
    [-54, 66],
    [-24, 78],
    [8, 72],
    [36, 80],
    [60, 64],
  ];
  return inked(
    path(star(12, 92, 66, 0, 0, -10), b.fill(cloth)) +
      path(star(12, 74, 56, 15, 0, -10), b.fill("cream"), " stroke-width='3'") +
      path(star(5, 58, 25, 0, 0, -8), b.fill("gold")) +
      shade("M0 -66L0 -8L14 -28Z", 0.2) +
      shine("M0 -66L0 -8L-15 -28Z", 0.5) +
      coins.map(([x, y]) => circle(x, y, 17, b.ball("gold"))).join("") +
      coins.map(([x, y]) => line(dot(x, y, 10), "#a35c08", 2.5, 0.7)).join("") +
      beads(12, 82, 3.6, "#ffe27a", 0.9) +
      oval(0, 94, 70, 4, INK, " opacity='.4' stroke='none'"),
  );
};
