import type { CockfightState } from "@perya/contract/socket";

/** One rooster's pose: in units of the picture, from the middle of the ring's floor. */
export interface Pose {
  readonly x: number;
  /** Above the floor. */
  readonly up: number;
  /** Degrees, forward where positive. */
  readonly lean: number;
  /** Degrees that the wing is raised. */
  readonly wing: number;
  /** Degrees that the head is lowered. */
  readonly nod: number;
  readonly size: number;
}

export interface RingPose {
  readonly meron: Pose;
  readonly wala: Pose;
  /** 0 to 1 while feathers fly after a clash, else null; `seed` tells one flight from another. */
  readonly feathers: { readonly share: number; readonly seed: number } | null;
}

/** One exchange: they close in, leap, and part. All of them fit into the server's fight. */
export const EXCHANGE_MS = 1_400;
const REST: Pose = { x: 92, up: 0, lean: 0, wing: 0, nod: 0, size: 1 };
const CLASH = 0.42;

/** The pose of both at this moment of the server's clock. */
export function ringPose(match: CockfightState | null, nowMs: number): RingPose {
  if (match === null) return waiting(nowMs);
  switch (match.phase) {
    case "betting":
      return waiting(nowMs);
    case "closed":
      return facing(Math.min(1, Math.max(0, (nowMs - match.closesAt) / 2_000)));
    case "fighting":
      return fighting(match, nowMs);
    case "settled":
      return over(match.result, nowMs);
    case "cancelled":
      return apart({ ...REST, nod: 12 }, { ...REST, nod: 12 });
  }
}

/** Without motion: one pose per phase. */
export function stillPose(match: CockfightState | null): RingPose {
  if (match?.phase === "settled") return over(match.result, 0);
  if (match?.phase === "fighting" || match?.phase === "closed") return facing(1);
  return apart(REST, REST);
}

function waiting(nowMs: number): RingPose {
  const peck = (shift: number) => Math.max(0, Math.sin(nowMs / 700 + shift)) ** 6 * 46;
  const step = (shift: number) => Math.sin(nowMs / 900 + shift) * 5;
  return apart(
    { ...REST, x: REST.x + step(0), nod: peck(0) },
    { ...REST, x: REST.x + step(2), nod: peck(2.6) },
  );
}

function facing(share: number): RingPose {
  const near = { ...REST, x: REST.x - 22 * share, lean: 8 * share, wing: 14 * share };
  return apart(near, near);
}

function fighting({ exchanges, fightsAt }: CockfightState, nowMs: number): RingPose {
  const elapsed = Math.max(0, nowMs - (fightsAt ?? nowMs));
  const all = exchanges ?? [];
  const index = Math.min(Math.floor(elapsed / EXCHANGE_MS), all.length - 1);
  const better = all[index];
  if (better === undefined) return facing(1);
  const share = Math.min(1, elapsed / EXCHANGE_MS - index);
  const rises = (side: "meron" | "wala") => (better === side || better === "both" ? 1 : 0.45);
  return {
    meron: leap(share, rises("meron")),
    wala: mirror(leap(share, rises("wala"))),
    feathers: share < CLASH ? null : { share: (share - CLASH) / (1 - CLASH), seed: index },
  };
}

/** @param rise how well it does, 0 to 1 */
function leap(share: number, rise: number): Pose {
  const into = smooth(Math.min(1, share / CLASH));
  const back = smooth(Math.max(0, (share - CLASH) / (1 - CLASH)));
  const air = Math.sin(Math.PI * Math.min(1, share / 0.8));
  /** The other pushes it back, and it returns for the next exchange. */
  const thrown = Math.sin(Math.PI * back);
  return {
    x: -(70 - 30 * (into - back) + (1 - rise) * 40 * thrown),
    up: air * 44 * rise,
    lean: (into - back) * 20 * rise,
    wing: air * (50 + 18 * Math.sin(share * 42)),
    nod: (1 - rise) * 30 * thrown,
    size: 1,
  };
}

function over(result: CockfightState["result"], nowMs: number): RingPose {
  if (result === "draw" || result === null) {
    return apart({ ...REST, x: 76, nod: 16 }, { ...REST, x: 76, nod: 16 });
  }
  const crow = 30 + 14 * Math.sin(nowMs / 160);
  const winner = { ...REST, x: 22, size: 1.22, wing: crow, nod: -18 };
  const loser = { ...REST, x: 112, size: 0.8, nod: 26 };
  return result === "meron" ? apart(winner, loser) : apart(loser, winner);
}

/** Meron is at the left. */
function apart(meron: Pose, wala: Pose): RingPose {
  return { meron: mirror(meron), wala, feathers: null };
}

function mirror(pose: Pose): Pose {
  return { ...pose, x: -pose.x };
}

function smooth(share: number): number {
  return share * share * (3 - 2 * share);
}
