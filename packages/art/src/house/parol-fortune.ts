import { beads, circle, glint, inked, line, paint, place } from "../brush.ts";
import { dot, star } from "../geometry.ts";
import type { Subject } from "../subject.ts";
import { lantern } from "../subjects-fiesta.ts";

/** The house's own slot: the great parol in a ring of bulbs, coins at its foot. */
const parolFortune: Subject = (b) => {
  const coin = (x: number, y: number, turn: number) =>
    place(
      circle(0, 0, 17, b.ball("gold")) +
        line(dot(0, 0, 11), "#a35c08", 2.5, 0.7) +
        paint(star(5, 8, 3.6), "#a35c08", 0.8),
      x,
      y,
      turn,
    );
  return (
    inked(
      circle(0, 0, 88, "#3a0f5c") +
        line(dot(0, 0, 88), b.fill("gold"), 7) +
        beads(28, 88, 3, "#fffbe0"),
    ) +
    place(lantern("gold", "pink")(b), 0, -4, 0, 0.92) +
    inked(
      coin(-66, 62, -12) + coin(64, 66, 10) + coin(-36, 82, 6) + coin(34, 84, -8) + coin(0, 76, 0),
      3.5,
    ) +
    paint(glint(78, -66, 18) + glint(-84, -50, 13) + glint(-4, -30, 9), "#fff")
  );
};

export default parolFortune;
