import {
  circle,
  cord,
  eye,
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
import { INK } from "./colour.ts";
import { dot, n, roundRect, times } from "./geometry.ts";
import type { Subject } from "./subject.ts";

function bubbles(): string {
  return (
    line(dot(-72, -58, 9) + dot(-56, -80, 5) + dot(74, -66, 7), "#d6fbff", 3, 0.8) +
    paint(dot(-75, -61, 2.5) + dot(72, -69, 2), "#fff")
  );
}

export const bangus: Subject = (b) => {
  const body =
    "M-88 6C-70-34-20-52 26-36C44-30 54-18 62-8L94-44C90-14 90 18 96 52L62 14" +
    "C52 28 40 38 22 44C-22 56-70 40-88 6Z";
  const back = b.rng.pick(["blue", "cyan", "violet", "green"] as const);
  const scales = times(4, (c) =>
    times(3, (r) => `M${n(-26 + c * 19)} ${n(-22 + r * 17 + (c % 2) * 6)}q10 8 0 16`),
  );
  return (
    inked(
      path("M-14-44C-2-76 28-78 42-64C32-58 30-46 28-34Z", b.fill(back)) +
        path("M-10 46C-4 68 14 76 30 72C22 62 22 52 20 42Z", b.fill(back)) +
        path(body, b.fill("silver")) +
        paint(
          "M-87 4C-70-34-20-51 26-35C44-29 54-17 62-7L93-42C91-26 90-12 91 0L60-2" +
            "C20-22-50-16-87 4Z",
          b.fill(back),
        ) +
        line(scales, INK, 2.5, 0.3) +
        path("M-22 8C-2 4 10 14 12 28C-6 32-18 22-22 8Z", b.fill(back), " stroke-width='3'") +
        line("M-40-26C-28-8-30 14-40 32", INK, 4, 0.7) +
        eye(-58, -6, 11) +
        line("M-86 10Q-76 16-66 14", INK, 3.5) +
        shine("M-62-22C-36-42 6-44 32-28C4-34-30-32-62-22Z", 0.6),
    ) + bubbles()
  );
};

export const pugita: Subject = (b) => {
  const skin = b.rng.pick(["pink", "violet", "orange", "red"] as const);
  const arms = [
    "M-30 20C-60 34-52 70-84 62",
    "M-16 30C-30 56-16 78-44 88",
    "M16 30C30 56 16 78 44 88",
    "M30 20C60 34 52 70 84 62",
  ];
  const arm = (d: string) =>
    cord(d, { pink: "#ee3a9c", violet: "#8746e4", orange: "#ff8722", red: "#e2262f" }[skin], 19, 4);
  return (
    inked(
      arms.map(arm).join("") +
        paint(
          dot(-54, 46, 4) +
            dot(-66, 60, 4) +
            dot(-26, 62, 4) +
            dot(-30, 78, 4) +
            dot(26, 62, 4) +
            dot(30, 78, 4) +
            dot(54, 46, 4) +
            dot(66, 60, 4),
          "#fff",
          0.75,
        ) +
        path(
          "M0-88C44-88 66-56 60-20C58 0 46 14 44 34C28 48-28 48-44 34C-46 14-58 0-60-20" +
            "C-66-56-44-88 0-88Z",
          b.fill(skin),
        ) +
        shine("M-44-30C-46-58-28-78-4-80C-26-66-36-50-36-28C-38-20-43-22-44-30Z", 0.6) +
        paint(dot(30, -64, 6) + dot(42, -48, 4) + dot(20, -76, 3.5), "#fff", 0.4) +
        eye(-22, -8, 15) +
        eye(22, -8, 15) +
        line("M-12 18Q0 30 12 18", INK, 4.5) +
        paint(dot(-40, 10, 7) + dot(40, 10, 7), "#fff", 0.35),
    ) + bubbles()
  );
};

export const angkla: Subject = (b) => {
  const metal = b.rng.pick(["gold", "silver", "cyan", "red"] as const);
  return (
    inked(
      cord("M-2-66C50-60 60-20 26-6C-16 10-64 12-62 46", "#f0d9a8", 9) +
        path(
          "M-10-44H10V54C34 50 50 34 54 14L40 20L62-20L84 20L70 16C66 58 36 86 0 90" +
            "C-36 86-66 58-70 16L-84 20L-62-20L-40 20L-54 14C-50 34-34 50-10 54Z",
          b.fill(metal),
        ) +
        path(roundRect(-42, -34, 84, 17, 8), b.fill(metal)) +
        line(dot(0, -66, 19), INK, 19) +
        line(dot(0, -66, 19), "#ffd566", 10) +
        shine("M-6-14H0V50H-6ZM-64 24C-58 52-38 72-12 80C-42 78-64 58-68 28Z", 0.5) +
        cord("M26-6C8 0-12 4-30 12", "#f0d9a8", 9) +
        place(
          times(5, (i) =>
            place(
              path("M0 2C-8-4-8-16 0-22C8-16 8-4 0 2Z", b.fill("orange"), " stroke-width='3'"),
              0,
              0,
              i * 72,
            ),
          ) + circle(0, 0, 4, "#fff1b0"),
          50,
          70,
        ),
    ) + bubbles()
  );
};

export const sibat: Subject = (b) => {
  const wave = b.rng.pick(["cyan", "blue", "violet", "green"] as const);
  return inked(
    place(
      path("M-6-30H6V96H-6Z", b.fill("wood")) +
        path(
          "M-7-92L0-104L7-92L6-36H30V-70L22-66L36-94L50-66L42-70V-22Q42-16 34-16H-34" +
            "Q-42-16-42-22V-70L-50-66L-36-94L-22-66L-30-70V-36H-6Z",
          b.fill("gold"),
        ) +
        path(roundRect(-13, -20, 26, 16, 6), b.fill("red")) +
        shine("M-3-88H1V-30H-3Z", 0.8),
      0,
      0,
      12,
    ) +
      path(
        "M-92 60C-84 28-54 20-40 42C-34 52-44 60-50 54C-52 74-22 76-10 56" +
          "C2 34 34 34 44 56C34 50 26 58 34 66C48 78 70 66 74 44C86 52 92 66 88 84" +
          "C40 98-50 98-92 84Z",
        b.fill(wave),
      ) +
      shine(
        "M-82 58C-76 38-58 32-48 42C-64 42-72 56-70 72ZM2 56C14 42 30 42 38 50C22 50 14 58 14 72Z",
        0.6,
      ) +
      paint(dot(-62, 12, 5) + dot(58, 22, 6) + dot(72, 6, 3.5) + dot(-78, 22, 3), "#e2fdff"),
  );
};

export const baul: Subject = (b) => {
  const wood = b.rng.pick(["wood", "red", "violet", "blue", "green"] as const);
  const coins: readonly (readonly [number, number])[] = [
    [-46, 0],
    [-20, -12],
    [8, -4],
    [34, -14],
    [54, 2],
    [-6, -26],
    [22, -30],
    [-32, -22],
  ];
  return (
    inked(
      path(
        "M-80-6C-84-56-66-80-40-82H40C66-80 84-56 80-6L66-2C66-40 56-54 40-56H-40" +
          "C-56-54-66-40-66-2Z",
        b.fill(wood),
      ) +
        path("M-66-2C-66-40-56-54-40-56H40C56-54 66-40 66-2Z", "#241045") +
        line("M-62-74Q-50-44-50 0M62-74Q50-44 50 0", "#ffc83a", 7) +
        coins.map(([x, y]) => circle(x, y, 15, b.ball("gold"), " stroke-width='3'")).join("") +
        path("M14-52L30-46L32-28L16-24L6-38Z", b.fill("pink"), " stroke-width='3'") +
        path("M-80 4H80L72 70Q70 82 58 82H-58Q-70 82-72 70Z", b.fill(wood)) +
        line("M-74 34H74", INK, 3, 0.4) +
        path("M-84-4H84V16H-84Z", b.fill("gold")) +
        path("M-56 16H-40V82H-54ZM56 16H40V82H54Z", b.fill("gold")) +
        path(roundRect(-17, 4, 34, 38, 8), b.fill("silver")) +
        paint("M0 16a6 6 0 0 1 3 11v8h-6v-8a6 6 0 0 1 3-11Z", INK) +
        shine("M-78 0H78V5H-78Z", 0.7),
    ) + paint(glint(-26, -40, 20) + glint(46, -34, 15) + glint(4, -78, 11), "#fffbe0")
  );
};

export const lapuLapu: Subject = (b) => {
  const skin = b.rng.pick(["red", "orange", "pink"] as const);
  return (
    inked(
      path("M-40-44L-30-76L-14-56L0-84L16-60L36-78L42-40Z", b.fill("gold")) +
        path("M-20 44C-18 72 8 80 22 76C14 64 16 54 16 44Z", b.fill("gold")) +
        path("M56-12C70-34 86-42 96-38C88-16 90 22 96 42C84 46 68 34 56 14Z", b.fill("gold")) +
        path(
          "M-92 4C-78-36-40-58 2-54C34-50 54-32 66 0C54 34 32 52 0 54C-42 56-78 40-92 4Z",
          b.fill(skin),
        ) +
        paint(
          dot(-6, -30, 5) +
            dot(16, -22, 6) +
            dot(38, -16, 4) +
            dot(4, -8, 4) +
            dot(30, 4, 6) +
            dot(46, 14, 3.5) +
            dot(10, 34, 5) +
            dot(-18, 38, 4) +
            dot(30, 28, 4),
          "#fff4e0",
          0.8,
        ) +
        path("M-14 4C8-4 22 8 22 24C0 30-12 20-14 4Z", b.fill("gold"), " stroke-width='3'") +
        line("M-36-38C-22-12-24 18-36 42", INK, 4.5, 0.6) +
        path("M-93 4C-84 0-72 4-62 12C-70 24-84 20-93 4Z", "#ffb3a6") +
        line("M-93 5Q-76 2-62 12", INK, 4.5) +
        eye(-54, -16, 14) +
        line("M-70-32L-46-34", INK, 5.5) +
        shine("M-70-24C-48-46-8-52 24-40C-8-42-44-36-66-16Z", 0.5),
    ) + bubbles()
  );
};

export const pawikan: Subject = (b) => {
  const shell = b.rng.pick(["green", "violet", "blue", "orange", "pink"] as const);
  const skin = shell === "green" ? "gold" : "green";
  const flipper = (x: number, y: number, turn: number, size: number) =>
    place(
      path("M0 8C-20-10-22-46-4-72C14-62 24-26 16 4Z", b.fill(skin)) +
        paint(dot(-2, -40, 4) + dot(4, -24, 5) + dot(-2, -54, 3), "#fff", 0.4),
      x,
      y,
      turn,
      size,
    );
  return (
    inked(
      flipper(-42, -14, -68, 0.95) +
        flipper(42, -14, 68, 0.95) +
        flipper(-34, 52, -140, 0.62) +
        flipper(34, 52, 140, 0.62) +
        path("M0-92C22-92 28-70 24-54L12-40H-12L-24-54C-28-70-22-92 0-92Z", b.fill(skin)) +
        eye(-12, -72, 8) +
        eye(12, -72, 8) +
        path(
          "M0-58C40-58 62-22 56 18C52 54 28 82 0 82S-52 54-56 18C-62-22-40-58 0-58Z",
          b.fill(shell),
        ) +
        line(
          "M0-30L24-14V14L0 30L-24 14V-14ZM0-30V-56M24-14L50-26M24 14L52 30M0 30V80" +
            "M-24 14L-52 30M-24-14L-50-26",
          INK,
          4,
          0.55,
        ) +
        shine("M-40-14C-38-36-22-50-2-50C-20-40-30-26-30-8Z", 0.55) +
        shade("M56 18C52 54 28 82 0 82C26 70 42 44 44 10Z"),
    ) + bubbles()
  );
};

/** A pearl diver's lamp-fish from the deep. */
export const alitang: Subject = (b) => {
  const skin = b.rng.pick(["violet", "blue", "slate", "red"] as const);
  return (
    inked(
      cord("M-12-50C-14-86-50-92-66-72", "#c0c9e6", 5) +
        circle(-70, -60, 15, b.ball("gold")) +
        path("M58-10L94-42Q82 0 94 44L58 18Z", b.fill(skin)) +
        path("M-4-54L14-82L28-50Z", b.fill("cyan")) +
        path(
          "M-84 12C-80-34-40-58 4-54C44-50 66-24 66 4C66 40 36 66-6 66C-52 66-84 48-84 12Z",
          b.fill(skin),
        ) +
        path("M-84 14C-60 6-34 10-16 26C-26 52-54 58-72 46C-80 38-84 26-84 14Z", "#3d0b2c") +
        path(
          "M-82 15L-74 32L-66 12L-56 32L-48 13L-40 34L-32 18L-26 32L-18 26L-26 14L-60 8Z" +
            "M-70 46L-62 34L-52 50L-44 38L-34 48L-40 52L-60 54Z",
          "#fff",
          " stroke-width='2.5'",
        ) +
        eye(-34, -20, 17) +
        line("M-60-34L-22-44", INK, 6) +
        path("M10 12C32 6 44 18 42 34C24 36 12 28 10 12Z", b.fill("cyan"), " stroke-width='3'") +
        shine("M-66-12C-50-42-8-52 30-38C-4-38-40-30-62-4Z", 0.35) +
        oval(-72, -64, 5, 4, "#fffbe0", " stroke='none'"),
    ) + bubbles()
  );
};
