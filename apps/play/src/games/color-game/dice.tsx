import { COLOURS, type Colour } from "@perya/games/color-game";
import { useEffect, useRef } from "react";
import { COLOUR_DISPLAY, ColourMark } from "./colour-display.tsx";
import styles from "./dice.module.css";

export type DiceMotion = "rest" | "tumbling" | "landing";

const LANDING_MS = 900;
const STAGGER_MS = 180;
/** When the last die has stopped. */
export const DICE_REST_MS = LANDING_MS + 2 * STAGGER_MS;

/** Degrees that turn each face, in the order of COLOURS, to the front of the cube. */
const FACE_TURNS = [
  [0, 0],
  [0, 180],
  [0, -90],
  [0, 90],
  [-90, 0],
  [90, 0],
] as const;

interface DiceProps {
  readonly dice: readonly Colour[];
  readonly motion: DiceMotion;
  readonly reduced: boolean;
}

/** Three cubes in a tray; the front face counts. */
export function Dice({ dice, motion, reduced }: DiceProps) {
  return (
    <div className={styles.tray} aria-hidden="true">
      {dice.map((colour, index) => {
        // Only their places distinguish the dice.
        const key = `die-${index}`;
        return <Die key={key} colour={colour} index={index} motion={motion} reduced={reduced} />;
      })}
    </div>
  );
}

interface DieProps {
  readonly colour: Colour;
  readonly index: number;
  readonly motion: DiceMotion;
  readonly reduced: boolean;
}

function Die({ colour, index, motion, reduced }: DieProps) {
  const cube = useRef<HTMLDivElement>(null);
  const place = useRef<HTMLDivElement>(null);
  const turned = turnOf(colour);

  useEffect(() => {
    const [body, ground] = [cube.current, place.current];
    if (body === null || ground === null || motion === "rest") return;
    if (reduced) {
      const fade = [{ opacity: 0.2 }, { opacity: 1 }];
      const fading = ground.animate(fade, { duration: 240, fill: "backwards" });
      return () => fading.cancel();
    }
    const animations =
      motion === "tumbling" ? tumble(body, ground, index) : land(body, ground, turned, index);
    return () => {
      for (const animation of animations) animation.cancel();
    };
  }, [motion, reduced, index, turned]);

  return (
    <div className={styles.spot}>
      <div className={styles.shadow} />
      <div ref={place} className={styles.place}>
        <div className={styles.tilt}>
          <div ref={cube} className={styles.cube} style={{ transform: turned }}>
            {COLOURS.map((face) => (
              <div
                key={face}
                className={`${styles.face} ${styles[face]}`}
                style={{ backgroundColor: COLOUR_DISPLAY[face].fill }}
              >
                <ColourMark colour={face} size={34} />
              </div>
            ))}
          </div>
        </div>
      </div>
    </div>
  );
}

function tumble(body: Element, ground: Element, index: number): Animation[] {
  return [
    body.animate(
      [
        { transform: "rotateX(0deg) rotateY(0deg) rotateZ(0deg)" },
        {
          transform: `rotateX(720deg) rotateY(${index % 2 === 0 ? 360 : -360}deg) rotateZ(360deg)`,
        },
      ],
      { duration: 900 + index * 90, iterations: Number.POSITIVE_INFINITY },
    ),
    ground.animate(
      [{ transform: "translateY(0)" }, { transform: "translateY(-46px)" }, { transform: "none" }],
      { duration: 380 + index * 50, iterations: Number.POSITIVE_INFINITY, easing: "ease-in-out" },
    ),
  ];
}

function land(body: Element, ground: Element, turned: string, index: number): Animation[] {
  const duration = LANDING_MS + index * STAGGER_MS;
  const side = index === 1 ? 0 : index === 0 ? -26 : 26;
  return [
    body.animate(
      [
        { transform: "rotateX(-900deg) rotateY(540deg) rotateZ(180deg)" },
        { transform: `${turned} rotateX(0deg) rotateY(0deg) rotateZ(0deg)` },
      ],
      { duration, easing: "cubic-bezier(.15,.6,.25,1)" },
    ),
    ground.animate(
      [
        { transform: `translate(${side}px,-84px)`, easing: "ease-in" },
        { transform: `translate(${side / 2}px,0)`, offset: 0.35, easing: "ease-out" },
        { transform: `translate(${side / 3}px,-30px)`, offset: 0.55, easing: "ease-in" },
        { transform: "translate(0,0)", offset: 0.74, easing: "ease-out" },
        { transform: "translate(0,-8px)", offset: 0.86, easing: "ease-in" },
        { transform: "translate(0,0)" },
      ],
      { duration },
    ),
  ];
}

function turnOf(colour: Colour): string {
  const [x, y] = FACE_TURNS[COLOURS.indexOf(colour)] ?? FACE_TURNS[0];
  return `rotateX(${x}deg) rotateY(${y}deg)`;
}
