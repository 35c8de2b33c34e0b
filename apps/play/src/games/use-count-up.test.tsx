// @vitest-environment jsdom
import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { useCountUp } from "./use-count-up.ts";

let shown: bigint;
let root: Root;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["requestAnimationFrame", "cancelAnimationFrame", "performance"] });
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  root = createRoot(document.body);
});

afterEach(async () => {
  await act(async () => root.unmount());
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("an amount that counts up", () => {
  it("rises, ever more slowly, ends exactly on the amount, and moves no more", async () => {
    await show(1_000_007n, true);
    const seen: bigint[] = [];
    for (let ms = 0; ms < 1_000; ms += 100) {
      await pass(100);
      seen.push(shown);
    }
    expect([...seen].sort((a, b) => (a < b ? -1 : 1))).toEqual(seen);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen[4]).toBeGreaterThan(750_000n);
    expect(seen.at(-1)).toBeLessThan(1_000_007n);
    await pass(120);
    expect(shown).toBe(1_000_007n);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("is never below zero, even in a frame that carries a time from before it began", async () => {
    let draw = (_: number): void => undefined;
    vi.stubGlobal("requestAnimationFrame", (next: typeof draw) => {
      draw = next;
      return 1;
    });
    await show(1_000n, true);
    await act(async () => draw(performance.now() - 16));
    expect(shown).toBe(0n);
  });

  it("shows the final amount at once with reduced motion, or where there is nothing to count", async () => {
    await show(500n, false);
    expect(shown).toBe(500n);
    await show(700n, false);
    expect([shown, vi.getTimerCount()]).toEqual([700n, 0]);
    await show(0n, true);
    expect([shown, vi.getTimerCount()]).toEqual([0n, 0]);
  });

  it("shows the final amount at once where it is skipped", async () => {
    await show(1_000n, true);
    await pass(100);
    expect(shown).toBeLessThan(1_000n);
    await show(1_000n, false);
    expect([shown, vi.getTimerCount()]).toEqual([1_000n, 0]);
  });
});

function Probe({ minor, running }: { minor: bigint; running: boolean }) {
  shown = useCountUp(minor, running);
  return null;
}

function show(minor: bigint, running: boolean): Promise<void> {
  return act(async () => root.render(<Probe minor={minor} running={running} />));
}

async function pass(ms: number): Promise<void> {
  await act(async () => vi.advanceTimersByTime(ms));
}
