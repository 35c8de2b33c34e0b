import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type DrawStream, drawStream } from "./fairness.ts";
import { canDeal, dealPackets, PACKETS_MAX, type RainAmounts, SPREAD_MAX } from "./red-rain.ts";

const amounts = fc
  .record({
    smallest: fc.integer({ min: 1, max: 5_000 }),
    spread: fc.integer({ min: 0, max: 100_000 }),
    packets: fc.integer({ min: 1, max: 200 }),
    odd: fc.integer({ min: 0, max: 4_999 }),
  })
  .map(({ smallest, spread, packets, odd }) => ({
    smallestMinor: BigInt(smallest),
    largestMinor: BigInt(smallest + spread),
    budgetMinor: BigInt(smallest * packets + (odd % smallest)),
  }));

describe("the packets of a rain", () => {
  it("[G2.1-24] add up to at most the budget, each within its bounds, and leave less than one more", () => {
    fc.assert(
      fc.property(amounts, fc.nat(), (given, nonce) => {
        const packets = dealPackets(given, stream(nonce));
        const sum = packets.reduce((all, one) => all + one, 0n);
        expect(sum).toBeLessThanOrEqual(given.budgetMinor);
        expect(given.budgetMinor - sum).toBeLessThan(given.smallestMinor);
        for (const one of packets) {
          expect(one).toBeGreaterThanOrEqual(given.smallestMinor);
          expect(one).toBeLessThanOrEqual(given.largestMinor);
        }
      }),
    );
  });

  it("are small more often than large: on average a third of the spread above the smallest", () => {
    const given = { budgetMinor: 2_000_000n, smallestMinor: 1_000n, largestMinor: 2_000n };
    const packets = Array.from({ length: 10 }, (_, nonce) => dealPackets(given, stream(nonce)));
    const all = packets.flat().map(Number);
    const mean = all.reduce((sum, one) => sum + one, 0) / all.length;
    // Some 15,000 packets: the mean of a linear density deviates by less than 2 from its own.
    expect(mean).toBeGreaterThan(1_323);
    expect(mean).toBeLessThan(1_343);
    const quarter = (from: number) =>
      all.filter((one) => one >= from && one < from + 250).length / all.length;
    // 1 - (3/4)² and (1/4)².
    expect(quarter(1_000)).toBeCloseTo(0.4375, 1);
    expect(quarter(1_750)).toBeCloseTo(0.0625, 1);
  });

  it("come in any order: the remainder is not always caught last", () => {
    const given = { budgetMinor: 1_000n, smallestMinor: 10n, largestMinor: 100n };
    const dealt: bigint[] = [];
    const unshuffled: DrawStream = {
      ...stream(7),
      shuffle: (items) => {
        dealt.push(...(items as readonly bigint[])); // The dealt items are amounts.
        return [...items];
      },
    };
    dealPackets(given, unshuffled);
    const shuffled = dealPackets(given, stream(7));
    expect([...shuffled].sort()).toEqual([...dealt].sort());
    expect(shuffled).not.toEqual(dealt);
  });

  it("are refused where the rule gives no packet or more than the maximum", () => {
    const one: RainAmounts = { budgetMinor: 100n, smallestMinor: 100n, largestMinor: 100n };
    expect(dealPackets(one, stream(0))).toEqual([100n]);
    const most = { ...one, budgetMinor: 100n * BigInt(PACKETS_MAX) };
    expect(dealPackets(most, stream(0))).toHaveLength(PACKETS_MAX);
    const refused: RainAmounts[] = [
      { ...one, budgetMinor: 99n },
      { ...one, largestMinor: 99n },
      { ...one, smallestMinor: 0n },
      { ...one, budgetMinor: 100n * BigInt(PACKETS_MAX + 1) },
      { ...one, largestMinor: 101n + BigInt(SPREAD_MAX) },
    ];
    for (const rule of refused) {
      expect(canDeal(rule)).toBe(false);
      expect(() => dealPackets(rule, stream(0))).toThrow("bounded");
    }
  });
});

function stream(nonce: number): DrawStream {
  return drawStream({ serverSeed: "0f".repeat(32), clientSeed: "rain", nonce });
}
