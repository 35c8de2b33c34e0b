import {
  type Brush,
  circle,
  cord,
  eye,
  glint,
  inked,
  line,
  mirrored,
  oval,
  paint,
  path,
  place,
  shade,
  shine,
} from "./brush.ts";
import { BRIGHTS, INK, MATERIALS, type Material } from "./colour.ts";
import { dot, polar, polygon, roundRect, star, times } from "./geometry.ts";
import type { Subject } from "./subject.ts";

const GLOSS = "M-64-30A74 74 0 0 1-4-74Q-36-52-50-18Q-60-14-64-30Z";

export const basketbol: Subject = (b) =>
  inked(
    circle(0, 0, 82, b.ball("orange")) +
      line("M-82 0H82M0-82V82M-56-60C-16-24-16 24-56 60M56-60C16-24 16 24 56 60", INK, 5) +
      shine(GLOSS, 0.5) +
      spin(b),
  );

function spin(b: Brush): string {
  const colour = MATERIALS[b.rng.pick(BRIGHTS)][0];
  const streaks = "M-96 6C-98 58-60 92-12 98M-90 54C-78 76-58 90-38 94M96-6C98-58 60-92 12-98";
  return (
    line(streaks, colour, 4.5, 0.85) + paint(glint(70, -66, 17) + glint(-78, 74, 10), "#fff7c4")
  );
}

export const putbol: Subject = (b) => {
  const patch = (r: number, turn: number) => {
    const [x, y] = polar(r, turn);
    return place(polygonPatch(), x, y, turn + 180);
  };
  const polygonPatch = () =>
    path(polygon(Array.from({ length: 5 }, (_, i) => polar(24, i * 72))), "#251541");
  const clip = b.custom("ballclip", (id) => `<clipPath id='${id}'><circle r='82'/></clipPath>`);
  return inked(
    circle(0, 0, 82, b.ball("silver")) +
      `<g clip-path='${clip}'>${polygonPatch()}${times(5, (i) => patch(74, i * 72))}` +
      line(
        times(5, (i) => seam(24, i * 72, 52, i * 72) + seam(62, i * 72 + 20, 62, i * 72 + 52)),
        INK,
        4,
      ) +
      `</g>${shine(GLOSS, 0.75)}<circle r='82' fill='none'/>` +
      spin(b),
  );
};

function seam(fromR: number, from: number, toR: number, to: number): string {
  return `M${polar(fromR, from).map(Math.round)}L${polar(toR, to).map(Math.round)}`;
}

export const boksing: Subject = (b) => {
  const [near, far] = b.rng.pick([
    ["red", "blue"],
    ["gold", "red"],
    ["green", "violet"],
    ["blue", "red"],
  ] as const);
  const glove = (material: Material) =>
    path("M-30 34C-52 20-58-20-44-46C-30-70 20-72 38-50C54-28 48 14 32 34Z", b.fill(material)) +
    path("M-34 8C-62 12-68-26-48-34C-28-40-18-18-22 2Z", b.fill(material)) +
    path("M-32 32H34L38 70Q0 82-36 70Z", b.fill("cream")) +
    line("M-30 46Q0 54 34 46", "#b5650a", 3.5, 0.7) +
    shine("M-20-48C-4-60 22-56 30-40C14-48-6-46-18-36Z", 0.65) +
    shade("M38-50C54-28 48 14 32 34H8C34 12 42-20 38-50Z", 0.22);
  return (
    inked(
      mirrored(place(glove(far), -34, -6, -16, 0.98)) + place(glove(near), -32, 12, -10, 1.06),
    ) + paint(glint(2, -72, 26) + glint(-70, 78, 12), "#fff7c4")
  );
};

export const bolibol: Subject = (b) => {
  const [one, two] = b.rng.pick([
    ["gold", "blue"],
    ["cream", "red"],
    ["cyan", "violet"],
    ["gold", "green"],
  ] as const);
  return inked(
    circle(0, 0, 82, b.ball(one)) +
      paint(
        "M0 0C-10-46 20-76 62-54C78-34 84-10 80 14C60-10 30-12 0 0ZM0 0" +
          "C44 16 54 58 14 81C-12 82-34 74-52 62C-16 56 2 32 0 0ZM0 0C-34 32-74 20-78-26" +
          "C-66-52-46-68-24-78C-40-44-30-16 0 0Z",
        b.fill(two),
      ) +
      line(
        "M0 0C-10-46 20-76 62-54M0 0C30-12 60-10 80 14M0 0C44 16 54 58 14 81M0 0" +
          "C2 32-16 56-52 62M0 0C-34 32-74 20-78-26M0 0C-30-16-40-44-24-78",
        INK,
        5,
      ) +
      shine(GLOSS, 0.6) +
      spin(b),
  );
};

export const tenis: Subject = (b) => {
  const frame = b.rng.pick(["red", "blue", "pink", "violet", "orange"] as const);
  return (
    inked(
      place(
        path("M-10 34H10L8 96H-8Z", b.fill("slate")) +
          line("M-7 52L7 58M-7 66L7 72M-7 80L7 86", "#ffe27a", 3) +
          path("M-12 40L-24 14H24L12 40Z", b.fill(frame)) +
          oval(0, -34, 50, 58, "#fff", " fill-opacity='.12'") +
          line(
            times(7, (i) => `M${-36 + i * 12}-84V16M-48 ${-72 + i * 13}H48`),
            "#fff8e6",
            2,
            0.7,
          ) +
          line("M0-94C64-94 64 26 0 26S-64-94 0-94Z", INK, 17) +
          line("M0-94C64-94 64 26 0 26S-64-94 0-94Z", b.fill(frame), 9),
        -14,
        2,
        -32,
        0.95,
      ) +
        place(
          circle(0, 0, 30, b.ball("green")) + line("M-26-14Q0 0-10 28M26-12Q6-10 10-28", "#fff", 4),
          46,
          44,
        ),
    ) + paint(glint(64, -56, 18), "#fff7c4")
  );
};

export const tropeo: Subject = (b) => {
  const ribbon = b.rng.pick(["red", "blue", "green", "violet", "pink"] as const);
  return (
    inked(
      line("M-44-58C-94-62-88 6-34 6M44-58C94-62 88 6 34 6", INK, 18) +
        line("M-44-58C-94-62-88 6-34 6M44-58C94-62 88 6 34 6", "#ffc83a", 10) +
        path("M-52-78H52C54-20 36 20 12 30V52H-12V30C-36 20-54-20-52-78Z", b.fill("gold")) +
        shade("M52-78C54-20 36 20 12 30V52H2C30 10 34-40 32-78Z", 0.22) +
        shine("M-42-70H-26C-26-30-18-4-4 14C-28 2-40-32-42-70Z", 0.65) +
        path("M-56-84H56V-70H-56Z", b.fill("gold")) +
        path(star(5, 25, 11, 0, 0, -32), b.fill(ribbon), " stroke-width='3.5'") +
        path("M-34 52H34L40 68H-40Z", b.fill("gold")) +
        path("M-46 68H46V92H-46Z", b.fill(ribbon)) +
        path(roundRect(-24, 73, 48, 13, 4), b.fill("gold"), " stroke-width='3'"),
    ) + paint(glint(64, -70, 18) + glint(-72, 44, 14), "#fffbe0")
  );
};

export const gamepad: Subject = (b) => {
  const shell = b.rng.pick(BRIGHTS);
  return inked(
    path(
      "M-50-46C-20-54 20-54 50-46C86-42 98 40 90 62C82 78 62 74 44 44Q36 34 20 34" +
        "H-20Q-36 34-44 44C-62 74-82 78-90 62C-98 40-86-42-50-46Z",
      b.fill(shell),
    ) +
      shine(
        "M-48-38C-20-46 20-46 48-38C70-34 78-6 82 18C68-16 40-24 0-24S-68-16-82 18" +
          "C-78-6-70-34-48-38Z",
        0.4,
      ) +
      path("M-56-26H-42V-12H-28V2H-42V16H-56V2H-70V-12H-56Z", b.fill("night")) +
      circle(50, -24, 10, b.ball("gold"), " stroke-width='3'") +
      circle(50, 14, 10, b.ball("red"), " stroke-width='3'") +
      circle(31, -5, 10, b.ball("cyan"), " stroke-width='3'") +
      circle(69, -5, 10, b.ball("green"), " stroke-width='3'") +
      path(roundRect(-16, -22, 32, 13, 6), b.fill("night"), " stroke-width='3'") +
      path(star(5, 14, 6, 0, 0, 10), b.fill("gold"), " stroke-width='3'") +
      cord("M0-50C0-76 26-64 26-90", "#8f8fb8", 6),
  );
};

export const kampilan: Subject = (b) => {
  const field = b.rng.pick(["blue", "red", "green", "violet"] as const);
  const sword = (turn: number) =>
    place(
      path("M-9 70L-15-96L2-118L19-104L11 70Z", b.fill("silver")) +
        shine("M-5 66L-10-92L0-106V66Z", 0.7) +
        path("M-28 58Q0 48 28 58V72Q0 64-28 72Z", b.fill("gold")) +
        path("M-7 70H7V96L18 112H-18L-7 96Z", b.fill("wood")),
      0,
      0,
      turn,
    );
  return inked(
    sword(-40) +
      sword(40) +
      place(
        path(
          "M0-66C24-52 46-50 66-50C68 16 44 60 0 84C-44 60-68 16-66-50C-46-50-24-52 0-66Z",
          b.fill("gold"),
        ) +
          path(
            "M0-50C20-40 38-38 52-38C52 14 34 48 0 68C-34 48-52 14-52-38C-38-38-20-40 0-50Z",
            b.fill(field),
          ) +
          shade("M0-50C20-40 38-38 52-38C52 14 34 48 0 68Z", 0.22) +
          path(star(8, 34, 15), b.fill("gold"), " stroke-width='3.5'") +
          circle(0, 0, 10, b.ball("cream"), " stroke-width='3'") +
          shine("M-46-32C-32-32-18-36-6-42C-26-24-36 4-34 26C-44 6-46-14-46-32Z", 0.35),
        0,
        2,
        0,
        0.84,
      ),
  );
};

export const headset: Subject = (b) => {
  const shell = b.rng.pick(BRIGHTS);
  const cup =
    path(roundRect(-92, -18, 40, 78, 18), b.fill(shell)) +
    path(roundRect(-64, -12, 20, 66, 10), b.fill("night")) +
    shine(roundRect(-86, -10, 8, 48, 4), 0.6);
  return inked(
    line("M-70-8C-74-104 74-104 70-8", INK, 26) +
      line("M-70-8C-74-104 74-104 70-8", "#4c4a78", 18) +
      line("M-58-46C-38-92 38-92 58-46", b.fill(shell), 11) +
      cord("M-74 52C-70 86-40 90-14 84", "#8f8fb8", 6) +
      cup +
      mirrored(cup) +
      path(roundRect(-22, 72, 34, 20, 10), b.fill("gold")) +
      path("M-6 -36L22 -36L4 -2L24 -2L-18 48L-4 10L-22 10Z", b.fill("gold")),
  );
};

export const asinta: Subject = (b) => {
  const ring = b.rng.pick(["red", "cyan", "green", "pink", "orange"] as const);
  return inked(
    circle(0, 0, 78, b.fill("night")) +
      line(dot(0, 0, 68), INK, 17) +
      line(dot(0, 0, 68), b.fill(ring), 10) +
      path("M-7-94H7L4-46H-4ZM-7 94H7L4 46H-4ZM-94-7V7L-46 4V-4ZM94-7V7L46 4V-4Z", b.fill("gold")) +
      circle(0, 0, 38, b.fill(ring)) +
      circle(0, 0, 25, b.fill("cream")) +
      path(star(5, 21, 9), b.fill(ring), " stroke-width='3'") +
      shine("M-52-30A60 60 0 0 1-8-59L-6-50A50 50 0 0 0-43-24Z", 0.6),
  );
};

function rooster(b: Brush, plumage: Material, mane: Material): string {
  const hackle = (turn: number, length: number) =>
    path(
      `M-14 0C-22 ${length / 2}-12 ${length * 0.8} 0 ${length}` +
        `C12 ${length * 0.8} 18 ${length / 2} 12 0Z`,
      b.fill(turn % 2 ? plumage : mane),
      ` transform='rotate(${turn})'`,
    );
  return (
    place(
      hackle(66, 74) + hackle(45, 84) + hackle(24, 88) + hackle(1, 86) + hackle(-20, 76),
      -2,
      6,
    ) +
    path(
      "M-26-58C-58-66-56-92-40-84C-36-102-14-102-10-86C2-100 24-94 20-76C36-84 46-66 30-54Z",
      b.fill("red"),
    ) +
    path(
      "M-42 8C-52-40-22-66 8-64C38-62 52-40 46-14C42 8 30 22 8 26C-14 30-36 26-42 8Z",
      b.fill(mane),
    ) +
    path("M4-22C18-44 46-44 50-18C50 6 22 18 6 6Z", b.fill("red")) +
    path("M40-36C60-42 82-32 92-8C76-12 60-6 44-4Z", b.fill("gold")) +
    line("M50-18Q70-22 88-9", INK, 3.5) +
    path("M28 2C48 2 52 40 34 50C18 42 16 10 28 2Z", b.fill("red")) +
    eye(24, -24, 12) +
    line("M4-42L38-36", INK, 7) +
    shine("M-30-14C-30-38-12-54 8-56C-10-42-18-26-18-6Z", 0.5) +
    shine("M-36-80Q-30-92-20-90Q-28-82-28-68Z", 0.5)
  );
}

export const manokPula: Subject = (b) =>
  inked(rooster(b, "red", b.rng.pick(["orange", "gold", "pink"] as const)));

export const manokAsul: Subject = (b) =>
  inked(mirrored(rooster(b, "blue", b.rng.pick(["cyan", "violet", "silver"] as const))));

export const salpukan: Subject = (b) =>
  inked(
    place(rooster(b, "red", "gold"), -50, 12, 4, 0.66) +
      mirrored(place(rooster(b, "blue", "cyan"), -50, 12, 4, 0.66)),
  ) + inked(path("M6-92L-16-50H0L-10-14L22-62H4L18-92Z", b.fill("gold")), 3.5);

/** A cock's crest on a shield with tail feathers. */
export const plumahe: Subject = (b) => {
  const tails = ["red", "gold", "green", "blue", "violet"] as const;
  const plume = "M0 30C-22-10-20-66 8-94C16-60 16-10 0 30Z";
  return inked(
    tails
      .map((m, i) =>
        place(
          path(plume, b.fill(m)) + line("M0 20Q-4-30 6-78", "#fff", 3, 0.5),
          0,
          14,
          (i - 2) * 33,
        ),
      )
      .join("") +
      path(
        "M0-10C18-2 34 0 48 0C48 40 30 72 0 90C-30 72-48 40-48 0C-34 0-18-2 0-10Z",
        b.fill("gold"),
      ) +
      path(
        "M0 6C12 12 24 13 34 13C34 42 22 62 0 76C-22 62-34 42-34 13C-24 13-12 12 0 6Z",
        b.fill(b.rng.pick(["red", "blue", "night"] as const)),
      ) +
      path(star(5, 24, 10, 0, 0, 38), b.fill("cream"), " stroke-width='3'"),
  );
};
