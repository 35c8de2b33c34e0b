import { gridAt } from "@perya/games/parol-fortune";
import { STRIPS } from "@perya/games/parol-reels";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { brake, isStanding, landingOf, positionAt, type ReelMotion } from "./reel-motion.ts";

const stop = fc.integer({ min: 0, max: 31 });

describe("a reel", () => {
  it("comes to rest exactly on its stop, whenever it brakes", () => {
    fc.assert(
      fc.property(stop, stop, fc.integer({ min: 0, max: 60_000 }), (from, target, spunMs) => {
        const spin: ReelMotion = { kind: "spin", from, startMs: 0 };
        const braking = brake(spin, target, spunMs, 460);
        expect(isStanding(braking, spunMs + 459)).toBe(false);
        expect(isStanding(braking, spunMs + 460)).toBe(true);
        expect(positionAt(braking, spunMs + 460)).toBeCloseTo(target, 9);
        expect(positionAt(braking, spunMs + 99_999)).toBeCloseTo(target, 9);
      }),
    );
  });

  it("starts to brake at the part of a symbol that it had reached", () => {
    fc.assert(
      fc.property(stop, stop, fc.integer({ min: 1, max: 60_000 }), (from, target, spunMs) => {
        const spin: ReelMotion = { kind: "spin", from, startMs: 0 };
        const before = positionAt(spin, spunMs);
        const after = positionAt(brake(spin, target, spunMs, 460), spunMs);
        const gap = after - before;
        expect(gap - Math.round(gap)).toBeCloseTo(0, 6);
      }),
    );
  });
});

describe("the landing", () => {
  const stops = fc.tuple(stop, stop, stop, stop, stop);

  it("stops the reels from left to right, tensely only behind two scatters", () => {
    fc.assert(
      fc.property(stops, fc.constantFrom("normal" as const, "quick" as const), (at, pace) => {
        const grid = gridAt(at);
        const { brakeAtMs, teased } = landingOf(grid, pace);
        expect(brakeAtMs).toHaveLength(STRIPS.length);
        expect([...brakeAtMs].sort((a, b) => a - b)).toEqual(brakeAtMs);
        teased.forEach((tease, reel) => {
          const before = grid.slice(0, reel).filter((column) => column.includes("scatter"));
          expect(tease).toBe(before.length >= 2);
        });
      }),
    );
  });
});
