// @vitest-environment jsdom
import type { Round } from "@perya/contract/rounds";
import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { AutoplayPlan } from "../autoplay.ts";
import type { SoloState } from "../solo-round.ts";
import { useAutoplay } from "./use-autoplay.ts";

const PLAN: AutoplayPlan = { count: 3, stopOnWin: false, lossLimitMinor: null };
let used: ReturnType<typeof useAutoplay>;
let spun: number;
let refuses: boolean;
let root: Root;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  [spun, refuses] = [0, false];
  root = createRoot(document.body);
  await show({ phase: "rest", round: round("before") });
});

afterEach(async () => {
  await act(async () => root.unmount());
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("a run of automatic spins", () => {
  it("spins at once, then after each round's pause, until its count is played", async () => {
    await act(async () => used.start(PLAN));
    await pass(0);
    expect(spun).toBe(1);
    for (const n of [2, 3]) {
      await ends(round(`round ${n - 1}`));
      expect(used.run?.left).toBe(3 - (n - 1));
      await pass(699);
      expect(spun).toBe(n - 1);
      await pass(1);
      expect(spun).toBe(n);
    }
    await ends(round("round 3"));
    expect(used.run).toBeNull();
    await pass(10_000);
    expect(spun).toBe(3);
  });

  it("counts no round twice, and no earlier round", async () => {
    await act(async () => used.start(PLAN));
    await pass(0);
    expect(used.run?.left).toBe(3);
    const last = round("round 1");
    await ends(last);
    await show({ phase: "rest", round: { ...last } });
    expect(used.run?.left).toBe(2);
  });

  it("pauses less where the player wants it quick", async () => {
    await show({ phase: "rest", round: null }, { quick: true });
    await act(async () => used.start(PLAN));
    await pass(0);
    await show({ phase: "rest", round: round("round 1") }, { quick: true });
    await pass(249);
    expect(spun).toBe(1);
    await pass(1);
    expect(spun).toBe(2);
  });

  it("ends with a win if the player chose so, at its loss limit, and where it cannot begin", async () => {
    await act(async () => used.start({ ...PLAN, stopOnWin: true }));
    await pass(0);
    await ends(round("round 1", "101"));
    expect(used.run).toBeNull();
    await act(async () => used.start({ ...PLAN, lossLimitMinor: 150n }));
    await pass(0);
    expect(spun).toBe(2);
    await ends(round("round 2"));
    expect(used.run).toBeNull();
    await act(async () => used.start({ ...PLAN, lossLimitMinor: 99n }));
    await pass(1_000);
    expect([spun, used.run]).toEqual([2, null]);
  });

  it("ends where a spin is refused, or where the end of one is unknown", async () => {
    refuses = true;
    await act(async () => used.start(PLAN));
    await pass(0);
    expect([spun, used.run]).toEqual([1, null]);
    refuses = false;
    await act(async () => used.start(PLAN));
    await pass(0);
    await show({ phase: "waiting" } as SoloState);
    expect(used.run).toBeNull();
  });

  it("ends at the player's tap, without a network, and when the page is hidden", async () => {
    const endings = [
      () => used.stop(),
      () => void dispatchEvent(new Event("offline")),
      () => turn(true),
    ];
    for (const end of endings) {
      await act(async () => used.start(PLAN));
      expect(used.run).not.toBeNull();
      await act(async () => end());
      expect(used.run).toBeNull();
      turn(false);
    }
    await pass(10_000);
    expect(spun).toBe(0);
    await act(async () => used.start(PLAN));
    await act(async () => turn(false));
    expect(used.run).not.toBeNull();
  });
});

function Probe({ state, quick }: { state: SoloState; quick: boolean }) {
  used = useAutoplay(state, 100n, quick, () => {
    spun += 1;
    return !refuses;
  });
  return null;
}

function show(state: SoloState, { quick = false } = {}): Promise<void> {
  return act(async () => root.render(<Probe state={state} quick={quick} />));
}

async function ends(last: Round): Promise<void> {
  await show({ phase: "rest", round: last });
}

/** Only the money of a finished round counts here. */
function round(id: string, payoutMinor = "0"): Round {
  const php = (minor: string) => ({ minor, currency: "PHP" });
  return { id, stake: php("100"), payout: php(payoutMinor) } as Round;
}

async function pass(ms: number): Promise<void> {
  await act(() => vi.advanceTimersByTimeAsync(ms));
}

function turn(hidden: boolean): void {
  Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
  document.dispatchEvent(new Event("visibilitychange"));
}
