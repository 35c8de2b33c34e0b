import type { CockfightState } from "@perya/contract/socket";
import { useReducedMotion } from "@perya/ui/reduced-motion";
import { createRef, type RefObject, useEffect, useRef, useState } from "react";
import { api } from "../../shell/server.ts";
import { drawFrames } from "../frames.ts";
import { type Pose, type RingPose, ringPose, stillPose } from "./fight-motion.ts";
import styles from "./ring-scene.module.css";
import { Rooster, type RoosterParts } from "./rooster.tsx";

const FEATHERS = [0, 1, 2, 3, 4, 5, 6] as const;
/** The roosters' place: the middle of the sand. */
const FLOOR = { x: 180, y: 196 };

/** The ring and the two roosters. The text beside it says the same in words. */
export function RingScene({ match }: { match: CockfightState | null }) {
  const reduced = useReducedMotion();
  const [parts] = useState(ringParts);
  const seen = useRef(match);
  seen.current = match;

  useEffect(() => {
    if (reduced) show(parts, stillPose(match));
  }, [reduced, parts, match]);

  useEffect(() => {
    if (reduced) return;
    return drawFrames(false, () => show(parts, ringPose(seen.current, api.serverNow())));
  }, [reduced, parts]);

  return (
    <svg className={styles.scene} viewBox="0 0 360 236" aria-hidden="true" focusable="false">
      <defs>
        <radialGradient id="sand" cy=".35">
          <stop offset="0" stopColor="#e7b873" />
          <stop offset=".7" stopColor="#b97f45" />
          <stop offset="1" stopColor="#7d4f33" />
        </radialGradient>
        <linearGradient id="lamp" x2="0" y2="1">
          <stop offset="0" stopColor="#ffe9b0" stopOpacity="0" />
          <stop offset="1" stopColor="#ffe9b0" stopOpacity=".3" />
        </linearGradient>
      </defs>
      <path d="M120 20L30 210H330L240 20Z" fill="url(#lamp)" />
      <g className={styles.crowd}>
        {Array.from({ length: 15 }, (_, i) => {
          const [x, y] = [12 + i * 24, 128 + Math.abs(i - 7) * 2.6 + (i % 2) * 9];
          return (
            <path
              key={x}
              d={`M${x - 14} ${y + 34}C${x - 14} ${y + 8} ${x + 14} ${y + 8} ${x + 14} ${y + 34}ZM${x - 8} ${y}a8 8 0 1 0 16 0a8 8 0 1 0-16 0Z`}
            />
          );
        })}
      </g>
      <ellipse cx={FLOOR.x} cy="200" rx="172" ry="32" fill="#4a2c23" />
      <ellipse
        cx={FLOOR.x}
        cy="194"
        rx="166"
        ry="28"
        fill="url(#sand)"
        stroke="#f4c869"
        strokeWidth="3"
      />
      <path
        d="M180 168V220"
        stroke="#fff3d6"
        strokeOpacity=".35"
        strokeWidth="2"
        strokeDasharray="5 5"
      />
      <g transform={`translate(${FLOOR.x} ${FLOOR.y})`}>
        <ellipse ref={parts.meron.shadow} rx="34" ry="7" fill="#2b1710" fillOpacity=".45" />
        <ellipse ref={parts.wala.shadow} rx="34" ry="7" fill="#2b1710" fillOpacity=".45" />
        <Rooster side="meron" parts={parts.meron} />
        <Rooster side="wala" parts={parts.wala} />
        <g ref={parts.feathers}>
          {FEATHERS.map((one) => (
            <path
              key={one}
              d="M0-9C6-4 5 6 0 10C-5 6-6-4 0-9Z"
              fill={one % 2 ? "#ff9d3c" : "#6fd3ff"}
              opacity="0"
            />
          ))}
        </g>
      </g>
    </svg>
  );
}

/** Moved outside React, sixty times a second. */
interface RingParts {
  readonly meron: FighterParts;
  readonly wala: FighterParts;
  readonly feathers: RefObject<SVGGElement | null>;
}

interface FighterParts extends RoosterParts {
  readonly shadow: RefObject<SVGEllipseElement | null>;
}

function ringParts(): RingParts {
  const fighter = (): FighterParts => ({
    place: createRef(),
    body: createRef(),
    wing: createRef(),
    head: createRef(),
    shadow: createRef(),
  });
  return { meron: fighter(), wala: fighter(), feathers: createRef() };
}

function show(parts: RingParts, pose: RingPose): void {
  drawFighter(parts.meron, pose.meron, 1);
  drawFighter(parts.wala, pose.wala, -1);
  drawFeathers(parts.feathers.current, pose.feathers);
}

/** @param looks 1 to the right, -1 to the left */
function drawFighter(parts: FighterParts, pose: Pose, looks: 1 | -1): void {
  const { x, up, lean, size } = pose;
  const move = (part: RefObject<Element | null>, transform: string) =>
    part.current?.setAttribute("transform", transform);
  move(
    parts.place,
    `translate(${n(x)} ${n(-up)}) scale(${(looks * size).toFixed(2)} ${size.toFixed(2)})`,
  );
  move(parts.body, `rotate(${n(-lean)} 0 -40)`);
  move(parts.wing, `rotate(${n(pose.wing)} 12 -50)`);
  move(parts.head, `rotate(${n(pose.nod)} 14 -42)`);
  parts.shadow.current?.setAttribute("cx", n(x));
  parts.shadow.current?.setAttribute("rx", n(34 * size - up * 0.3));
}

function drawFeathers(group: SVGGElement | null, flight: RingPose["feathers"]): void {
  for (const [i, feather] of [...(group?.children ?? [])].entries()) {
    if (flight === null) {
      feather.setAttribute("opacity", "0");
      continue;
    }
    const { share, seed } = flight;
    const turn = (i * 137 + seed * 53) % 360;
    const x = Math.cos(turn) * 70 * share;
    const y = -62 - Math.sin(share * 2.4 + i) * 22 + share * share * 58;
    feather.setAttribute("opacity", n((1 - share) * 0.95));
    feather.setAttribute(
      "transform",
      `translate(${n(x)} ${n(y)}) rotate(${n(turn + share * 220)})`,
    );
  }
}

function n(value: number): string {
  return value.toFixed(1);
}
