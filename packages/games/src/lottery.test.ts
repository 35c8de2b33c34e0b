import { createHmac } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  betOf,
  drawLottery,
  factorOf,
  LOTTERY_BETS,
  LOTTERY_MODES,
  LOTTERY_TABLES,
  type LotteryLine,
  lineFault,
  lotteryReturn,
  sameLine,
  ticketPayoutMinor,
  topFactor,
} from "./lottery.ts";
import { drawNumber, drawTimes, LOTTERIES } from "./lottery-games.ts";
import { percentText, rational } from "./rational.ts";

const serverSeed = "c4".repeat(32);
const drawId = "drw_01kaa000000000000000000000";
const line = (play: LotteryLine["play"], ...numbers: number[]): LotteryLine => ({ play, numbers });

describe("a draw", () => {
  test("follows the published scheme from the seed and the draw's id", () => {
    const block = createHmac("sha256", serverSeed).update(`${drawId}:0:0`).digest();
    const digits = [0, 4, 8].map((at) => Math.floor((block.readUInt32BE(at) * 10) / 2 ** 32));
    expect(drawLottery("3d", { serverSeed, drawId })).toEqual(digits);
  });

  test("shows six different numbers of forty-nine from low to high, the same every time", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[0-9a-f]{64}$/), (seed) => {
        const drawn = drawLottery("6-49", { serverSeed: seed, drawId });
        expect(new Set(drawn).size).toBe(6);
        expect(drawn.every((n) => n >= 1 && n <= 49)).toBe(true);
        expect(drawn).toEqual([...drawn].sort((a, b) => a - b));
        expect(drawLottery("6-49", { serverSeed: seed, drawId })).toEqual(drawn);
      }),
    );
  });

  test("shows every number of the 6/49 equally often: six times in forty-nine", () => {
    const seen = Array.from({ length: 50 }, () => 0);
    const draws = 4_900;
    for (let i = 0; i < draws; i++) {
      for (const n of drawLottery("6-49", { serverSeed, drawId: `drw_${i}` })) {
        seen[n] = (seen[n] ?? 0) + 1;
      }
    }
    // 600 expected, a deviation of 23: five of them would occur once in two million numbers.
    for (const count of seen.slice(1)) expect(Math.abs(count - 600)).toBeLessThan(115);
  });
});

describe("a line", () => {
  test.each([
    ["3d", line("straight", 0, 0, 7), null],
    ["3d", line("rambol", 4, 4, 7), null],
    ["3d", line("rambol", 4, 4, 4), "no_orders"],
    ["3d", line("straight", 4, 4), "count"],
    ["3d", line("straight", 4, 4, 10), "range"],
    ["3d", line("six", 1, 2, 3), "play"],
    ["6-49", line("six", 1, 2, 3, 4, 5, 49), null],
    ["6-49", line("six", 1, 2, 3, 4, 5, 5), "repeated"],
    ["6-49", line("six", 0, 2, 3, 4, 5, 6), "range"],
    ["6-49", line("six", 1, 2, 3, 4, 5, 6.5), "range"],
    ["6-49", line("straight", 1, 2, 3), "play"],
  ] as const)("of %s, %j, has the fault %s", (kind, given, fault) => {
    expect(lineFault(kind, given)).toBe(fault);
  });

  test("equals another that wins with it", () => {
    expect(sameLine(line("rambol", 1, 2, 3), line("rambol", 3, 2, 1))).toBe(true);
    expect(sameLine(line("straight", 1, 2, 3), line("straight", 3, 2, 1))).toBe(false);
    expect(sameLine(line("straight", 1, 2, 3), line("rambol", 1, 2, 3))).toBe(false);
    expect(sameLine(line("six", 6, 5, 4, 3, 2, 1), line("six", 1, 2, 3, 4, 5, 6))).toBe(true);
  });

  test("pays by the table of its mode", () => {
    expect(factorOf("trad", line("straight", 1, 2, 3), [1, 2, 3])).toBe(800);
    expect(factorOf("trad", line("straight", 1, 2, 3), [3, 2, 1])).toBe(0);
    expect(factorOf("ent", line("rambol", 1, 2, 3), [3, 2, 1])).toBe(153);
    expect(factorOf("ent", line("rambol", 1, 1, 3), [1, 3, 1])).toBe(306);
    expect(factorOf("ent", line("rambol", 1, 1, 3), [1, 3, 3])).toBe(0);
    const six = line("six", 1, 2, 3, 4, 5, 6);
    expect(factorOf("trad", six, [1, 2, 3, 4, 5, 6])).toBe(2_000_000);
    expect(factorOf("trad", six, [2, 3, 4, 5, 6, 49])).toBe(10_000);
    expect(factorOf("trad", six, [3, 4, 5, 6, 48, 49])).toBe(250);
    expect(factorOf("trad", six, [4, 5, 6, 47, 48, 49])).toBe(15);
    expect(factorOf("trad", six, [5, 6, 46, 47, 48, 49])).toBe(0);
    expect(topFactor("ent", six)).toBe(2_500_000);
  });

  test("adds to its ticket's payout", () => {
    const lines = [line("straight", 1, 2, 3), line("rambol", 3, 2, 1), line("straight", 9, 9, 9)];
    expect(ticketPayoutMinor("trad", { lines, lineStakeMinor: 500n }, [1, 2, 3])).toBe(500n * 933n);
    expect(ticketPayoutMinor("trad", { lines, lineStakeMinor: 500n }, [0, 2, 3])).toBe(0n);
  });
});

describe("the return", () => {
  test.each(LOTTERY_MODES)("of 3D in mode %s equals that of all thousand draws", (mode) => {
    const bets = [line("straight", 4, 5, 6), line("rambol", 4, 5, 6), line("rambol", 4, 4, 6)];
    for (const bet of bets) {
      let returned = 0;
      for (let n = 0; n < 1_000; n++) {
        const drawn = [Math.floor(n / 100), Math.floor(n / 10) % 10, n % 10];
        returned += factorOf(mode, bet, drawn);
      }
      expect(lotteryReturn(mode, betOf(bet))).toEqual(rational(BigInt(returned), 1_000n));
    }
  });

  test("of the 6/49 equals that of its 13,983,816 draws", () => {
    // The draws that hit 6, 5, 4 and 3 of a line, as every table of a 6/49 prints them.
    const ways = [1n, 258n, 13_545n, 246_820n];
    for (const mode of LOTTERY_MODES) {
      const factors = LOTTERY_TABLES[mode].six.map(({ factor }) => BigInt(factor));
      const returned = ways.reduce((sum, count, i) => sum + count * (factors[i] ?? 0n), 0n);
      expect(lotteryReturn(mode, "six")).toEqual(rational(returned, 13_983_816n));
    }
  });

  test("equals the published figure, so it cannot change unnoticed", () => {
    const percents = LOTTERY_MODES.map((mode) =>
      LOTTERY_BETS.map((bet) => percentText(lotteryReturn(mode, bet), 2)),
    );
    expect(percents).toEqual([
      ["80.00", "79.80", "79.80", "83.44"],
      ["92.00", "91.80", "91.80", "91.67"],
    ]);
  });
});

describe("the draws of a day", () => {
  const noon = Date.UTC(2026, 10, 21, 4);

  test("are held in Manila at two, five and nine", () => {
    const times = drawTimes({ hours: [14, 17, 21] }, noon, noon + 24 * 3_600_000);
    expect(times.map((at) => new Date(at).toISOString())).toEqual([
      "2026-11-21T06:00:00.000Z",
      "2026-11-21T09:00:00.000Z",
      "2026-11-21T13:00:00.000Z",
    ]);
    expect(times.map((at) => drawNumber({ hours: [14, 17, 21] }, at))).toEqual([
      "20261121-01",
      "20261121-02",
      "20261121-03",
    ]);
  });

  test("are held every few minutes, across midnight, with none twice and none left out", () => {
    const schedule = { everyMinutes: 3 };
    const midnight = Date.UTC(2026, 10, 21, 16);
    const times = drawTimes(schedule, midnight - 6 * 60_000, midnight + 3 * 60_000);
    expect(times).toEqual([-3, 0, 3].map((minutes) => midnight + minutes * 60_000));
    expect(times.map((at) => drawNumber(schedule, at))).toEqual([
      "20261121-480",
      "20261122-01",
      "20261122-02",
    ]);
  });

  test("have a different number each, and none is number 00", () => {
    for (const { schedule } of LOTTERIES) {
      const times = drawTimes(schedule, noon, noon + 48 * 3_600_000);
      const numbers = times.map((at) => drawNumber(schedule, at));
      expect(new Set(numbers).size).toBe(times.length);
      expect(numbers.every((number) => !number.endsWith("-00"))).toBe(true);
    }
    expect(new Set(LOTTERIES.map(({ gameId }) => gameId)).size).toBe(LOTTERIES.length);
    expect(new Set(LOTTERIES.map(({ gameCode }) => gameCode)).size).toBe(LOTTERIES.length);
  });
});
