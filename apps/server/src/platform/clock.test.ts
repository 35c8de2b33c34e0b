import { describe, expect, it } from "vitest";
import { DatabaseClock } from "./clock.ts";
import { createLogger } from "./log.ts";

const log = createLogger({ level: "silent" });
/** Friday, 6 March 2026, 12:00. */
const NOON = Date.UTC(2026, 2, 6, 12);

function desk() {
  let elapsed = 0;
  let shown: number | null = NOON;
  let takesMs = 0;
  const read = async () => {
    elapsed += takesMs;
    if (shown === null) throw new Error("the database is away");
    return shown;
  };
  const clock = new DatabaseClock({ read, log, elapsed: () => elapsed });
  return {
    clock,
    pass: (ms: number) => {
      elapsed += ms;
    },
    show: (instant: number | null, took = 0) => {
      shown = instant;
      takesMs = took;
    },
  };
}

describe("the clock of all processes", () => {
  it("is the database's, whatever the machine's own shows, and goes on by itself", async () => {
    const { clock, pass } = desk();
    await clock.compare();
    expect(clock.now()).toBe(NOON);
    pass(1_234);
    expect(clock.now()).toBe(NOON + 1_234);
  });

  it("takes half of a reading's way for its age", async () => {
    const { clock, show } = desk();
    show(NOON, 3_000);
    await clock.compare();
    expect(clock.now()).toBe(NOON + 1_500);
  });

  it("is not moved by a reading that was slow, by a hair, or by none", async () => {
    const { clock, pass, show } = desk();
    await clock.compare();
    pass(60_000);
    show(NOON + 3_600_000, 1_001);
    await clock.compare();
    expect(clock.now()).toBe(NOON + 61_001);
    show(NOON + 61_001 + 249);
    await clock.compare();
    expect(clock.now()).toBe(NOON + 61_001);
    show(null);
    await expect(clock.compare()).rejects.toThrow("away");
    expect(clock.now()).toBe(NOON + 61_001);
  });

  it("follows the database after a sleep of the machine", async () => {
    const { clock, show } = desk();
    await clock.compare();
    show(NOON + 7_200_000);
    await clock.compare();
    expect(clock.now()).toBe(NOON + 7_200_000);
  });
});
