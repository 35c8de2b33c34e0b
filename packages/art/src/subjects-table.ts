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
import { BRIGHTS, INK, type Material } from "./colour.ts";
import { dot, polar, roundRect, star, times, wedge } from "./geometry.ts";
import { digitGlyph, GLYPHS, type Glyph } from "./glyphs.ts";
import type { Subject } from "./subject.ts";

export const roulette: Subject = (b) => {
  const bowl = b.rng.pick(["wood", "red", "violet", "blue", "green"] as const);
  const pockets = (odd: boolean) =>
    times(9, (i) => wedge(36, 68, i * 40 + (odd ? 20 : 0), i * 40 + (odd ? 40 : 20)));
  const turn = b.rng.range(0, 40);
  const [x, y] = polar(60, turn + 50);
  return inked(
    circle(0, 0, 90, b.fill("gold")) +
      circle(0, 0, 82, b.fill(bowl)) +
      beads(18, 75, 3, "#fff1b0") +
      place(
        path(pockets(true), b.fill("red"), " stroke='#ffe9a8' stroke-width='2'") +
          path(pockets(false), "#24163f", " stroke='#ffe9a8' stroke-width='2'") +
          path(wedge(36, 68, 0, 20), b.fill("green"), " stroke='#ffe9a8' stroke-width='2'"),
        0,
        0,
        turn,
      ) +
      circle(0, 0, 38, b.ball("wood")) +
      times(4, (i) =>
        place(
          path("M-4 0V-28A6 6 0 1 1 4-28V0Z", b.fill("gold"), " stroke-width='3'"),
          0,
          0,
          i * 90 + turn,
        ),
      ) +
      circle(0, 0, 13, b.ball("gold")) +
      circle(x, y, 9, b.ball("silver")) +
      shine("M-74-40A84 84 0 0 1 30-79L26-66A70 70 0 0 0-61-33Z", 0.35),
  );
};

/** A pip of spade, heart, diamond or club, about 20 across. */
const SUITS = {
  spade: "M0-12C6-4 12 0 12 6C12 13 3 13 1 8L4 14H-4L-1 8C-3 13-12 13-12 6C-12 0-6-4 0-12Z",
  heart: "M0 12C-16 0-13-12-6-12C-2-12 0-9 0-6C0-9 2-12 6-12C13-12 16 0 0 12Z",
  diamond: "M0-14L10 0L0 14L-10 0Z",
  club: "M0-13A6 6 0 0 1 5-4A6 6 0 1 1 2 7L4 14H-4L-2 7A6 6 0 1 1-5-4A6 6 0 0 1 0-13Z",
} as const;

function card(b: Brush, suit: keyof typeof SUITS, rank: Glyph): string {
  const colour = suit === "heart" || suit === "diamond" ? "#dc2336" : "#251541";
  return (
    path(roundRect(-33, -50, 66, 100, 9), b.fill("cream")) +
    line(roundRect(-28, -45, 56, 90, 6), colour, 1.5, 0.3) +
    place(line(GLYPHS[rank], colour, 4.5), -19, -32, 0, 0.58) +
    place(paint(SUITS[suit], colour), -19, -12, 0, 0.62) +
    place(paint(SUITS[suit], colour), 6, 12, 0, 1.75) +
    shine("M-29-46H10L-29 20Z", 0.5)
  );
}

function fan(
  b: Brush,
  hand: readonly (readonly [keyof typeof SUITS, Glyph])[],
  spread: number,
): string {
  return hand
    .map(([suit, rank], i) => {
      const turn = (i - (hand.length - 1) / 2) * spread;
      const [x, y] = polar(74, turn);
      return place(card(b, suit, rank), x * 0.95, y + 70, turn, 1.02);
    })
    .join("");
}

export const baraha: Subject = (b) => {
  const hand = b.rng.pick([
    [
      ["spade", "a"],
      ["heart", "k"],
      ["club", "q"],
    ],
    [
      ["diamond", "9"],
      ["club", "k"],
      ["heart", "a"],
    ],
    [
      ["heart", "8"],
      ["spade", "q"],
      ["diamond", "k"],
    ],
  ] as const);
  return inked(
    fan(b, hand, 25) +
      place(chip(b, b.rng.pick(["red", "blue", "green", "violet"] as const)), 44, 62, 12, 0.42) +
      place(chip(b, "gold"), -46, 66, -10, 0.38),
  );
};

export const tongits: Subject = (b) => {
  const suit = b.rng.pick(["spade", "heart", "diamond", "club"] as const);
  return inked(
    fan(
      b,
      [
        ["club", "4"],
        [suit, "j"],
        [suit, "q"],
        [suit, "k"],
        ["heart", "4"],
      ],
      19,
    ),
  );
};

function chip(b: Brush, material: Material): string {
  return (
    circle(0, 8, 80, b.fill("night")) +
    circle(0, 0, 80, b.fill(material)) +
    path(
      times(6, (i) => wedge(60, 80, i * 60 - 12, i * 60 + 12)),
      "#fff8e6",
      " stroke-width='3'",
    ) +
    circle(0, 0, 56, b.ball(material)) +
    line(dot(0, 0, 47), "#fff8e6", 3.5, 0.8) +
    path(star(5, 34, 15), b.fill("cream"), " stroke-width='3'") +
    shine("M-66-34A76 76 0 0 1 10-74L8-58A60 60 0 0 0-52-28Z", 0.45)
  );
}

export const tsips: Subject = (b) => {
  const [first, second, third] = b.rng.pick([
    ["red", "blue", "gold"],
    ["violet", "gold", "pink"],
    ["green", "red", "blue"],
    ["orange", "violet", "cyan"],
  ] as const);
  const stack = (x: number, base: number, count: number, material: Material) =>
    times(count, (i) => place(edge(b, i % 2 ? "cream" : material), x, base - i * 13)) +
    place(top(b, material), x, base - count * 13 + 4);
  return inked(
    stack(-46, 62, 6, second) +
      stack(48, 62, 4, third) +
      stack(2, 78, 3, first) +
      place(chip(b, first), 8, -44, 16, 0.52),
    3.5,
  );
};

function edge(b: Brush, material: Material): string {
  return (
    path("M-40-4V8C-40 28 40 28 40 8V-4Z", b.fill(material)) +
    paint("M-26 6V19L-14 22V9ZM14 9V22L26 19V6Z", "#fff8e6", 0.85)
  );
}

function top(b: Brush, material: Material): string {
  return oval(0, 0, 40, 19, b.fill(material)) + oval(0, 0, 25, 11, b.fill("cream"));
}

export const dado: Subject = (b) => {
  const colour = b.rng.pick(BRIGHTS);
  const cup = b.rng.pick(["wood", "red", "violet", "blue"] as const);
  return (
    inked(
      place(
        path("M-44-52L-34 50C-20 66 20 66 34 50L44-52Z", b.fill(cup)) +
          path("M-42-32L-40-16C-20-4 20-4 40-16L42-32C20-20-20-20-42-32Z", b.fill("gold")) +
          oval(0, -52, 45, 17, b.fill("gold")) +
          oval(0, -51, 35, 11, "#1c0d33") +
          shine("M-34-8L-27 46L-16 52L-22-4Z", 0.4),
        -22,
        -18,
        -36,
        1.05,
      ) +
        place(cube(b, colour, 5), 30, 44, 10, 0.86) +
        place(cube(b, "cream", 3), -44, 62, -14, 0.62) +
        place(cube(b, "cream", 1), 68, -16, 24, 0.56),
    ) + paint(glint(40, -62, 18) + glint(84, 34, 12), "#fff7c4")
  );
};

function cube(b: Brush, material: Material, pips: 1 | 3 | 5): string {
  const spots = {
    1: [[0, 0]],
    3: [
      [-19, -19],
      [0, 0],
      [19, 19],
    ],
    5: [
      [-19, -19],
      [19, -19],
      [0, 0],
      [-19, 19],
      [19, 19],
    ],
  } as const;
  const ink = material === "cream" ? "#c51e34" : "#fff8e6";
  return (
    place(path(roundRect(-40, -40, 80, 80, 18), b.fill("night")), 5, 7) +
    path(roundRect(-40, -40, 80, 80, 18), b.fill(material)) +
    line(roundRect(-34, -34, 68, 68, 14), "#fff", 3, 0.5) +
    paint(spots[pips].map(([x, y]) => dot(x, y, 8)).join(""), ink) +
    shine("M-34-18A18 18 0 0 1-18-34H18Q-18-28-34 8Z", 0.5)
  );
}

export const ruedaSwerte: Subject = (b) => {
  const turn = b.rng.range(0, 45);
  const colours = ["red", "gold", "blue", "green", "pink", "orange", "violet", "cyan"] as const;
  const [cx, cy] = [0, 4];
  return inked(
    path("M-34 60L-58 92H58L34 60Z", b.fill("wood")) +
      circle(cx, cy, 86, b.fill("gold")) +
      paint(
        times(20, (i) => dot(...polar(78, i * 18, cx, cy), 3.6)),
        "#fffbe0",
      ) +
      place(
        colours
          .map((colour, i) =>
            path(
              wedge(0, 70, i * 45, i * 45 + 45),
              b.fill(colour),
              " stroke='#fff3cf' stroke-width='2.5'",
            ),
          )
          .join("") +
          paint(
            times(8, (i) => star(5, 9, 4, i * 45 + 22.5, ...polar(52, i * 45 + 22.5))),
            "#fff",
            0.9,
          ),
        cx,
        cy,
        turn,
      ) +
      circle(cx, cy, 22, b.ball("gold")) +
      path(star(5, 14, 6, 0, cx, cy), b.fill("red"), " stroke-width='3'") +
      shine("M-62-26A70 70 0 0 1 22-62L20-50A58 58 0 0 0-50-20Z", 0.4) +
      path("M-15-98H15L0-62Z", b.fill("red")),
  );
};

export const mahjong: Subject = (b) => {
  const back = b.rng.pick(["green", "blue", "violet", "red", "orange"] as const);
  const tile = (face: string) =>
    place(path(roundRect(-33, -45, 66, 90, 11), b.fill(back)), 9, 9) +
    path(roundRect(-33, -45, 66, 90, 11), b.fill("cream")) +
    face +
    shine("M-27-38H8L-27 10Z", 0.6);
  const ring = (x: number, y: number, fill: string) =>
    circle(x, y, 11, fill, " stroke-width='2.5'") + paint(dot(x, y, 4), "#fff6dc");
  const rings =
    ring(-14, -22, "#dc2336") +
    ring(14, -22, "#1f9a4c") +
    ring(0, 2, "#2455cf") +
    ring(-14, 26, "#1f9a4c") +
    ring(14, 26, "#dc2336");
  const bamboo = times(3, (i) =>
    path(
      roundRect(-20 + i * 16, -30, 8, 27, 4) + roundRect(-20 + i * 16, 4, 8, 27, 4),
      i === 1 ? "#dc2336" : "#1f9a4c",
      " stroke-width='2.5'",
    ),
  );
  const bloom =
    times(6, (i) =>
      place(
        path("M0 0C-10-10-9-24 0-29C9-24 10-10 0 0Z", "#dc2336", " stroke-width='2.5'"),
        0,
        0,
        i * 60,
      ),
    ) + circle(0, 0, 8, "#ffc83a", " stroke-width='2.5'");
  return inked(
    place(tile(bamboo), -44, -22, -14, 0.95) +
      place(tile(rings), 46, -18, 12, 0.95) +
      place(tile(bloom), 0, 32, -2, 1.1),
  );
};

export const korona: Subject = (b) => {
  const gem = b.rng.pick(["red", "blue", "green", "violet", "pink"] as const);
  return inked(
    path("M-72 40L-86-42L-44-8L0-72L44-8L86-42L72 40Z", b.fill("gold")) +
      shade("M0-72L44-8L86-42L72 40H20Z", 0.16) +
      shine("M-74-22L-44 2L-8-48L-40 20L-62 32Z", 0.45) +
      circle(-86, -46, 11, b.ball(gem)) +
      circle(86, -46, 11, b.ball(gem)) +
      circle(0, -78, 13, b.ball(gem)) +
      path("M-76 36C-40 22 40 22 76 36V66C40 82-40 82-76 66Z", b.fill(gem)) +
      line("M-74 40C-40 27 40 27 74 40M-74 62C-40 76 40 76 74 62", "#ffe27a", 4) +
      path("M0 34L15 50L0 66L-15 50Z", b.fill("silver"), " stroke-width='3'") +
      circle(-44, 49, 8, b.ball("cream")) +
      circle(44, 49, 8, b.ball("cream")) +
      paint(glint(-34, -44, 16) + glint(52, -70, 20), "#fffbe0"),
  );
};

export const domino: Subject = (b) => {
  const half = (count: number, y: number) => {
    const at: readonly (readonly [number, number])[] = [
      [0, 0],
      [-13, -13],
      [13, 13],
      [13, -13],
      [-13, 13],
      [-13, 0],
      [13, 0],
    ];
    const odd = count % 2 === 1;
    const spots = [...(odd ? at.slice(0, 1) : []), ...at.slice(1, 1 + count - (odd ? 1 : 0))];
    return spots.map(([x, dy]) => dot(x, y + dy, 6)).join("");
  };
  const [face, pips] = b.rng.pick([
    ["cream", "#251541"],
    ["red", "#fff3cf"],
    ["night", "#ffe27a"],
    ["blue", "#fff"],
    ["green", "#fff3cf"],
  ] as const);
  const bone = (top: number, low: number) =>
    place(path(roundRect(-30, -60, 60, 120, 12), b.fill("gold")), 7, 8) +
    path(roundRect(-30, -60, 60, 120, 12), b.fill(face)) +
    line("M-22 0H22", pips, 3, 0.7) +
    paint(half(top, -30) + half(low, 30), pips) +
    shine("M-24-50H6L-24 0Z", 0.35);
  return inked(
    place(bone(b.rng.int(2, 6), b.rng.int(1, 5)), -34, -8, -20, 1.05) +
      place(bone(b.rng.int(1, 6), b.rng.int(3, 6)), 38, 12, 16, 1.1),
  );
};

/** One great ace, for the thirteen-card games. */
export const alas: Subject = (b) => {
  const suit = b.rng.pick(["spade", "heart", "diamond", "club"] as const);
  const material: Material = suit === "spade" || suit === "club" ? "night" : "red";
  return inked(
    place(path(roundRect(-52, -78, 104, 156, 14), b.fill("gold")), -16, 0, -14) +
      place(
        path(roundRect(-54, -80, 108, 160, 14), b.fill("cream")) +
          line(roundRect(-46, -72, 92, 144, 9), "#b5650a", 2.5, 0.6) +
          place(path(SUITS[suit], b.fill(material), " stroke-width='1.6'"), 0, 4, 0, 3.1) +
          place(shine("M-7-1Q-8 5-4 8Q-9 9-9 4Z", 0.5), 0, 4, 0, 3.1) +
          place(line(GLYPHS.a, INK, 5), -34, -56, 0, 0.62) +
          place(line(GLYPHS.a, INK, 5), 34, 60, 180, 0.62) +
          shine("M-48-74H24L-48 40Z", 0.45),
        12,
        0,
        10,
      ),
  );
};

/** Two dealt rows of a game of two sides, the player's and the banker's. */
export const punto: Subject = (b) => {
  const [left, right] = b.rng.pick([
    ["blue", "red"],
    ["green", "violet"],
    ["cyan", "pink"],
  ] as const);
  const seat = (material: Material, x: number, turn: number, digit: number) =>
    place(
      path(roundRect(-40, -56, 80, 112, 14), b.fill(material)) +
        line(roundRect(-32, -48, 64, 96, 9), "#fff3cf", 2.5, 0.7) +
        circle(0, 0, 27, b.fill("cream")) +
        place(line(GLYPHS[digitGlyph(digit)], INK, 6), 0, 0, 0, 1.15) +
        shine("M-34-48H14L-34 16Z", 0.3),
      x,
      -8,
      turn,
    );
  return (
    inked(
      seat(left, -42, -10, b.rng.int(6, 9)) +
        seat(right, 42, 10, b.rng.int(3, 8)) +
        cord("M-70 74H70", "#ffd566", 5) +
        path("M0 52L22 74L0 96L-22 74Z", b.fill("gold")) +
        shine("M0 57L10 67L-10 79L-17 74Z", 0.6),
    ) + paint(glint(-4, -72, 20), "#fff7c4")
  );
};
