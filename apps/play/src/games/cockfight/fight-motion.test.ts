import type { CockfightState } from "@perya/contract/socket";
import { EXCHANGES, fightOf } from "@perya/games/cockfight";
import { mintId } from "@perya/kernel/ids";
import { expect, it } from "vitest";
import { EXCHANGE_MS, ringPose, stillPose } from "./fight-motion.ts";

const matchId = mintId("match", 1, new Uint8Array(16));
const { exchanges } = fightOf({ serverSeed: "5a".repeat(32), matchId });
/** The length of a fight at the server: the animation must be over when the result comes. */
const FIGHT_MS = 12_000;

function match(change: Partial<CockfightState>): CockfightState {
  return {
    matchId,
    number: 1,
    phase: "betting",
    seedHash: "h",
    now: 0,
    closesAt: 10_000,
    fightsAt: null,
    exchanges: null,
    result: null,
    pools: [],
    history: [],
    ...change,
  };
}

it("all exchanges fit into the fight", () => {
  expect(EXCHANGES * EXCHANGE_MS).toBeLessThanOrEqual(FIGHT_MS);
});

it("Meron stays left of Wala, and both on the ring, at every moment of a fight", () => {
  const fight = match({ phase: "fighting", fightsAt: 13_000, exchanges: [...exchanges] });
  let before = ringPose(fight, 13_000);
  for (let ms = 13_000; ms <= 13_000 + FIGHT_MS; ms += 16) {
    const pose = ringPose(fight, ms);
    expect(pose.meron.x).toBeLessThan(pose.wala.x);
    for (const side of ["meron", "wala"] as const) {
      expect(Math.abs(pose[side].x)).toBeLessThan(130);
      expect(pose[side].up).toBeGreaterThanOrEqual(0);
      // Nothing jumps from one frame to the next, even between two exchanges.
      expect(Math.abs(pose[side].x - before[side].x)).toBeLessThan(6);
    }
    before = pose;
  }
});

it("the winner is the larger in the middle, and a draw shows two alike, moving or still", () => {
  for (const pose of [ringPose, stillPose]) {
    const after = (result: CockfightState["result"]) =>
      pose(match({ phase: "settled", result }), 30_000);
    const meron = after("meron");
    expect(meron.meron.size).toBeGreaterThan(meron.wala.size);
    expect(Math.abs(meron.meron.x)).toBeLessThan(Math.abs(meron.wala.x));
    const wala = after("wala");
    expect(wala.wala.size).toBeGreaterThan(wala.meron.size);
    const draw = after("draw");
    expect(draw.meron.size).toBe(draw.wala.size);
  }
});

it("with reduced motion every phase is one pose, whatever the clock says", () => {
  const fight = match({ phase: "fighting", fightsAt: 13_000, exchanges: [...exchanges] });
  expect(stillPose(fight).feathers).toBeNull();
  expect(stillPose(match({}))).toEqual(stillPose(null));
});

it("the two that wait step about their places and peck now and then, each in its own time", () => {
  const at = (ms: number) => ringPose(null, ms);
  const seen = Array.from({ length: 2_000 }, (_, i) => at(i * 16));
  expect(at(7_000)).toEqual(ringPose(match({}), 7_000));
  for (const [left, right] of [
    ["meron", "wala"],
    ["wala", "meron"],
  ] as const) {
    const places = seen.map((pose) => Math.abs(pose[left].x));
    expect(Math.max(...places) - Math.min(...places)).toBeGreaterThan(9);
    expect(Math.max(...places) - Math.min(...places)).toBeLessThanOrEqual(10);
    expect((Math.max(...places) + Math.min(...places)) / 2).toBeCloseTo(92, 0);
    // Nothing jumps from one frame to the next.
    const steps = places.slice(1).map((x, i) => Math.abs(x - (places[i] ?? x)));
    expect(Math.max(...steps)).toBeLessThan(0.2);
    const nods = seen.map((pose) => pose[left].nod);
    expect(Math.min(...nods)).toBe(0);
    expect(Math.max(...nods)).toBeGreaterThan(45);
    expect(nods).not.toEqual(seen.map((pose) => pose[right].nod));
  }
});
