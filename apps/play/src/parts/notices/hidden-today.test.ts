import { DAY_MS, HOUR_MS } from "@perya/kernel/instant";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { arePopupsHidden, hidePopupsToday } from "./hidden-today.ts";

const MANILA = "Asia/Manila";
/** Half past eleven at night in Manila. */
const LATE = Date.UTC(2026, 2, 6, 15, 30);

beforeEach(() => {
  const kept = new Map<string, string>();
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
    removeItem: (key: string) => kept.delete(key),
  });
});
afterEach(() => vi.unstubAllGlobals());

describe("hidden pop-ups", () => {
  it("[G2.2-14] stay hidden until midnight in the brand's zone", () => {
    expect(arePopupsHidden(LATE, MANILA)).toBe(false);
    hidePopupsToday(LATE, MANILA, true);
    expect(arePopupsHidden(LATE + HOUR_MS / 2 - 1, MANILA)).toBe(true);
    expect(arePopupsHidden(LATE + HOUR_MS / 2, MANILA)).toBe(false);
    expect(arePopupsHidden(LATE + HOUR_MS, "America/New_York")).toBe(true);
    expect(arePopupsHidden(LATE + DAY_MS, MANILA)).toBe(false);
  });

  it("come back when the tick is removed, or where storage is unavailable", () => {
    hidePopupsToday(LATE, MANILA, true);
    hidePopupsToday(LATE, MANILA, false);
    expect(arePopupsHidden(LATE, MANILA)).toBe(false);
    vi.stubGlobal("localStorage", undefined);
    hidePopupsToday(LATE, MANILA, true);
    expect(arePopupsHidden(LATE, MANILA)).toBe(false);
  });
});
