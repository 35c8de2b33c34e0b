import { CLOCKS_APART_MS } from "@perya/kernel/instant";
import { describe, expect, it } from "vitest";
import { CLOCK_SETTLES_MS, DatabaseClock, isSettled, untilAllSettledMs } from "./clock.ts";
import { createLogger } from "./log.ts";

const log = createLogger({ level: "silent" });
/** Friday, 6 March 2026, 12:00. */
const NOON = Date.UTC(2026, 2, 6, 12);

function harness() {
  let elapsed = 0;
  let offMs: number | null = 0;
  let ways: readonly number[] = [0];
  let asked = 0;
  const open = async () => ({
    ask: async () => {
      if (offMs === null) throw new Error("the database is away");
      const wayMs = ways[asked++ % ways.length] ?? 0;
      elapsed += wayMs;
      return NOON + elapsed + offMs;
    },
    end: async () => undefined,
  });
  const clock = new DatabaseClock({ open, log, elapsed: () => elapsed });
  return {
    clock,
    pass: (ms: number) => {
      elapsed += ms;
    },
    /** Milliseconds that the database's clock is ahead of this one's; null if it is away. */
    lead: (ms: number | null) => {
      offMs = ms;
    },
    /** How long readings take, all of it on the way there. */
    takes: (...ms: number[]) => {
      ways = ms;
      asked = 0;
    },
    shows: () => clock.now() - NOON - elapsed,
  };
}

describe("the clock of all processes", () => {
  it("is the database's, whatever the machine's own shows, and goes on by itself", async () => {
    const { clock, pass } = harness();
    await clock.compare();
    expect(clock.now()).toBe(NOON);
    pass(1_234);
    expect(clock.now()).toBe(NOON + 1_234);
  });

  it("takes half of a reading's round trip for its age", async () => {
    const { clock, takes, shows } = harness();
    takes(3_000);
    await clock.compare();
    expect(shows()).toBe(1_500);
  });

  it("believes the reading with the shortest round trip", async () => {
    const { clock, takes, shows } = harness();
    takes(900, 4, 300);
    await clock.compare();
    expect(shows()).toBe(2);
  });

  it("is not moved by less than a reading's own error plus a little, nor by a failed reading", async () => {
    const { clock, pass, lead, takes, shows } = harness();
    await clock.compare();
    pass(60_000);
    takes(4_000);
    lead(-3_000);
    await clock.compare();
    expect(shows()).toBe(0);
    takes(0);
    lead(10);
    await clock.compare();
    expect(shows()).toBe(0);
    lead(null);
    await expect(clock.compare()).rejects.toThrow("away");
    expect(shows()).toBe(0);
  });

  it("stays within the distance allowed between two processes' clocks, on a line with a round trip of 10 ms", async () => {
    for (const off of [11, -11, 16, -20, 24, 200]) {
      const early = harness();
      early.takes(10);
      await early.clock.compare();
      early.lead(off);
      await early.clock.compare();
      const late = harness();
      late.takes(10);
      late.lead(off);
      await late.clock.compare();
      expect(Math.abs(early.shows() - late.shows())).toBeLessThan(CLOCKS_APART_MS / 2);
    }
  });

  it("is set by a jump that no drift between machines explains, and by no drift and no error of a reading", async () => {
    for (const [jump, settled] of [
      [10, true],
      [11, false],
      [-11, false],
      [600, false],
    ] as const) {
      const { clock, lead } = harness();
      await clock.compare();
      lead(jump);
      await clock.compare();
      expect(isSettled(clock), `${jump} ms`).toBe(settled);
    }
    const drifting = harness();
    for (let ms = 0; ms <= 100; ms += 5) {
      drifting.lead(ms);
      await drifting.clock.compare();
      expect(isSettled(drifting.clock)).toBe(true);
    }
    expect(drifting.shows()).toBeGreaterThan(85);
    // A reading with half a second of round trip may be off by a quarter.
    const far = harness();
    for (const way of [500, 0, 500, 0]) {
      far.takes(way);
      await far.clock.compare();
      expect(isSettled(far.clock)).toBe(true);
    }
  });

  it.each([
    ["ahead", 1_500],
    ["back", -1_500],
  ])(
    "that is set %s while it runs is settled once all processes have compared since",
    async (_, by) => {
      const { clock, pass, lead } = harness();
      lead(by);
      // What it shows at the start is news to nobody.
      await clock.compare();
      expect([isSettled(clock), untilAllSettledMs(clock)]).toEqual([true, 0]);
      lead(2 * by);
      await clock.compare();
      expect([isSettled(clock), untilAllSettledMs(clock)]).toEqual([false, 2 * CLOCK_SETTLES_MS]);
      pass(CLOCK_SETTLES_MS - 1);
      expect(isSettled(clock)).toBe(false);
      pass(1);
      expect([isSettled(clock), untilAllSettledMs(clock)]).toEqual([true, CLOCK_SETTLES_MS]);
      pass(CLOCK_SETTLES_MS);
      expect(untilAllSettledMs(clock)).toBe(0);
    },
  );

  it("waits for whole milliseconds after it was set, since what is planned by it is found again by its time", async () => {
    const { clock, lead, pass } = harness();
    await clock.compare();
    lead(7_200_000);
    await clock.compare();
    for (let n = 0; n < 5; n++) {
      pass(0.335);
      expect(Number.isInteger(untilAllSettledMs(clock))).toBe(true);
      expect(Number.isInteger(clock.now())).toBe(true);
    }
  });

  it("follows the database after a sleep of the machine", async () => {
    const { clock, lead, shows } = harness();
    await clock.compare();
    lead(7_200_000);
    await clock.compare();
    expect(shows()).toBe(7_200_000);
  });
});
