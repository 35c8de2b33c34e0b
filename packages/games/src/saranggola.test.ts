import { createHash, createHmac } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { percentText } from "./rational.ts";
import {
  CHAIN_FORM,
  cashOutMinor,
  chanceOfReaching,
  commitmentText,
  crashHundredths,
  crashOfHash,
  elapsedAtMs,
  flightEndsAtMs,
  isInChain,
  LONGEST_FLIGHT_MS,
  MAX_CRASH_HUNDREDTHS,
  multiplierAt,
  SARANGGOLA_RETURN,
  seedChain,
  settleRide,
} from "./saranggola.ts";

const HASHES = 2n ** 52n;
const lastSeed = "b7".repeat(32);
const salt = "000000000000000000021a3c";
const anyTarget = fc.integer({ min: 101, max: MAX_CRASH_HUNDREDTHS });
const anyCrash = fc.integer({ min: 100, max: MAX_CRASH_HUNDREDTHS });
const anyStake = fc.bigInt({ min: 1n, max: 10_000_000n }).map((pesos) => pesos * 100n);

describe("the crash", () => {
  test("equals that of published verifiers, which decode the seed's digits", () => {
    for (const seed of seedChain(lastSeed, 2_000)) {
      const bust = Math.min(publishedBust(seed, salt), MAX_CRASH_HUNDREDTHS / 100);
      expect(crashHundredths(seed, salt, 2) / 100).toBe(bust);
    }
  });

  test("hashes the digits as text for chains of earlier versions", () => {
    for (const seed of seedChain(lastSeed, 50)) {
      const hex = createHmac("sha256", salt).update(seed).digest("hex").slice(0, 13);
      const exact = (99n * HASHES) / (HASHES - BigInt(`0x${hex}`));
      expect(crashHundredths(seed, salt, 1)).toBe(Number(exact < 100n ? 100n : exact));
    }
  });

  test("reaches a target for exactly floor(99 × 2^52 / target) of the 2^52 hashes", () => {
    fc.assert(
      fc.property(anyTarget, (target) => {
        const reaching = (99n * HASHES) / BigInt(target);
        expect(crashOfHash(HASHES - reaching)).toBeGreaterThanOrEqual(target);
        expect(crashOfHash(HASHES - reaching - 1n)).toBeLessThan(target);
        const { numerator, denominator } = chanceOfReaching(target);
        expect(numerator * HASHES).toBe(reaching * denominator);
      }),
      { numRuns: 2_000 },
    );
  });

  test("grows with the hash, so exactly the upper hashes reach a target", () => {
    const anyHash = fc.bigInt({ min: 0n, max: HASHES - 1n });
    fc.assert(
      fc.property(anyHash, anyHash, (a, b) => {
        const [low, high] = a < b ? [a, b] : [b, a];
        expect(crashOfHash(low)).toBeLessThanOrEqual(crashOfHash(high));
      }),
    );
  });

  test("keeps one percent at every target, up to one part in 2^52 of its multiple", () => {
    fc.assert(
      fc.property(anyTarget, (target) => {
        const chance = chanceOfReaching(target);
        const numerator = chance.numerator * BigInt(target);
        const denominator = chance.denominator * 100n;
        const short = 99n * denominator - 100n * numerator;
        expect(short >= 0n).toBe(true);
        expect(short * HASHES < BigInt(target) * denominator).toBe(true);
      }),
    );
  });

  test("has the 99% of its rule as its published return", () => {
    expect(percentText(SARANGGOLA_RETURN, 2)).toBe("99.00");
  });

  test("is 1.00× at the lowest hash and the cap at the highest", () => {
    expect(crashOfHash(0n)).toBe(100);
    expect(crashOfHash(HASHES - 1n)).toBe(MAX_CRASH_HUNDREDTHS);
  });

  test.each([101, 150, 200, 1_000, 5_000])(
    "returns 99% to an automatic cash-out at %i hundredths, in 60,000 seeded rounds",
    (target) => {
      const payouts = CRASHES.map((crash) => (crash >= target ? target / 100 : 0));
      const mean = payouts.reduce((sum, payout) => sum + payout, 0) / payouts.length;
      const chance = 99 / target;
      const error = (target / 100) * Math.sqrt((chance * (1 - chance)) / payouts.length);
      expect(Math.abs(mean - 0.99)).toBeLessThan(4 * error);
    },
  );

  test("refuses a malformed seed or salt", () => {
    expect(() => crashHundredths("xyz", salt, 2)).toThrow("seed");
    expect(() => crashHundredths(lastSeed, "", 2)).toThrow("salt");
  });
});

describe("the seed chain", () => {
  test("makes each seed the SHA-256 of the next and ends with the last", () => {
    const chain = seedChain(lastSeed, 20);
    expect(chain).toHaveLength(20);
    expect(chain.at(-1)).toBe(lastSeed);
    for (const [i, seed] of chain.slice(0, -1).entries()) {
      const next = chain[i + 1] ?? "";
      expect(seed).toBe(createHash("sha256").update(next).digest("hex"));
    }
  });

  test("is the same with any SHA-256, so a server may use its machine's own", () => {
    const own = (seed: string) => createHash("sha256").update(seed).digest("hex");
    expect(seedChain(lastSeed, 300, own)).toEqual(seedChain(lastSeed, 300));
    const asked: string[] = [];
    seedChain(lastSeed, 4, (seed) => {
      asked.push(seed);
      return own(seed);
    });
    expect(asked).toHaveLength(3);
  });

  test("is fixed by the hash of the first seed, every seed in its own place", () => {
    const chain = seedChain(lastSeed, 30);
    for (const firstIndex of [0, 7]) {
      const firstHash = createHash("sha256")
        .update(chain[firstIndex] ?? "")
        .digest("hex");
      const shown = { firstIndex, firstHash, length: chain.length };
      for (const [i, seed] of chain.entries()) {
        expect(isInChain(seed, i, shown)).toBe(i >= firstIndex);
        expect(isInChain(seed, i + 1, shown)).toBe(false);
        expect(isInChain(seed, i - 1, shown)).toBe(false);
      }
      // Seeds after the last one were not published as part of the chain.
      expect(isInChain(lastSeed, 29, { ...shown, length: 29 })).toBe(false);
    }
  });

  test("is signed together with everything that fixes its flights", () => {
    const commitment = {
      ...{ chainId: "sed_1", form: CHAIN_FORM, firstIndex: 3, firstHash: "ab", salt: "pinch" },
      ...{ length: 20, committedAt: 1_700_000_000_000 },
    };
    expect(commitmentText(commitment)).toBe(
      [
        "perya saranggola chain\nchain sed_1\nform 2\nfirst index 3\nfirst hash ab",
        "salt pinch\nlength 20\ncommitted at 1700000000000",
      ].join("\n"),
    );
  });

  test("is broken by a change of any digit", () => {
    const [first = "", second = ""] = seedChain(lastSeed, 2);
    const digit = fc.integer({ min: 0, max: 63 });
    fc.assert(
      fc.property(digit, (i) => {
        const other = second[i] === "0" ? "1" : "0";
        const forged = second.slice(0, i) + other + second.slice(i + 1);
        expect(isInChain(forged, 1, { firstIndex: 1, firstHash: first, length: 2 })).toBe(false);
      }),
    );
    const shown = { firstIndex: 1, firstHash: first, length: 2 };
    expect(isInChain(second, 1, shown)).toBe(true);
    expect(isInChain("not a seed", 1, shown)).toBe(false);
  });
});

describe("the flight", () => {
  test("is floor(100 × e^(0.00006 t)) in every millisecond, none of them near a boundary", () => {
    let nearest = 1;
    let wrong = 0;
    for (let ms = 1; ms < LONGEST_FLIGHT_MS; ms++) {
      const real = 100 * Math.exp(0.00006 * ms);
      nearest = Math.min(nearest, Math.abs(real - Math.round(real)));
      if (ms % 7 === 0 && multiplierAt(ms) !== Math.floor(real)) wrong += 1;
    }
    expect(wrong).toBe(0);
    expect(nearest).toBeGreaterThan(2 ** -24);
  });

  test("never falls, starts at 1.00× and ends at the cap", () => {
    fc.assert(
      fc.property(fc.nat(200_000), fc.nat(2_000), (ms, more) => {
        expect(multiplierAt(ms)).toBeLessThanOrEqual(multiplierAt(ms + more));
      }),
    );
    expect([multiplierAt(-5), multiplierAt(0), multiplierAt(0.9)]).toEqual([100, 100, 100]);
    expect(multiplierAt(LONGEST_FLIGHT_MS - 1)).toBeLessThan(MAX_CRASH_HUNDREDTHS);
    expect(100 * Math.exp(0.00006 * LONGEST_FLIGHT_MS)).toBeGreaterThan(MAX_CRASH_HUNDREDTHS);
    expect(multiplierAt(LONGEST_FLIGHT_MS)).toBe(MAX_CRASH_HUNDREDTHS);
    expect(multiplierAt(1e9)).toBe(MAX_CRASH_HUNDREDTHS);
  });

  test("first has a multiplier in the millisecond that elapsedAtMs gives", () => {
    fc.assert(
      fc.property(anyCrash, (hundredths) => {
        const ms = elapsedAtMs(hundredths);
        expect(multiplierAt(ms)).toBeGreaterThanOrEqual(hundredths);
        if (ms > 0) expect(multiplierAt(ms - 1)).toBeLessThan(hundredths);
      }),
    );
    expect(elapsedAtMs(100)).toBe(0);
    expect(elapsedAtMs(200)).toBe(11_553);
    expect(() => elapsedAtMs(99)).toThrow("multiplier");
  });

  test("ends in the first millisecond past the crash, and at once for a crash at 1.00×", () => {
    fc.assert(
      fc.property(fc.integer({ min: 101, max: MAX_CRASH_HUNDREDTHS - 1 }), (crash) => {
        const ends = flightEndsAtMs(crash);
        expect(multiplierAt(ends)).toBeGreaterThan(crash);
        expect(multiplierAt(ends - 1)).toBeLessThanOrEqual(crash);
      }),
    );
    expect(flightEndsAtMs(100)).toBe(0);
    expect(flightEndsAtMs(MAX_CRASH_HUNDREDTHS)).toBe(LONGEST_FLIGHT_MS);
  });
});

describe("a ride", () => {
  test("rounds a cash-out down, never up", () => {
    expect(cashOutMinor(100n, 199)).toBe(199n);
    expect(cashOutMinor(333n, 101)).toBe(336n);
  });

  test("pays the target if the flight got there, else nothing", () => {
    fc.assert(
      fc.property(anyStake, anyTarget, anyCrash, (stakeMinor, autoHundredths, crash) => {
        const ride = { stakeMinor, autoHundredths, manualHundredths: null };
        const reached = autoHundredths <= crash;
        expect(settleRide(ride, crash)).toEqual({
          cashedHundredths: reached ? autoHundredths : null,
          payoutMinor: reached ? (stakeMinor * BigInt(autoHundredths)) / 100n : 0n,
        });
      }),
    );
  });

  test("ends by hand or by target, whichever is lower", () => {
    const ride = { stakeMinor: 1_000n, autoHundredths: 300, manualHundredths: 250 };
    expect(settleRide(ride, 400).cashedHundredths).toBe(250);
    expect(settleRide({ ...ride, manualHundredths: 350 }, 400).cashedHundredths).toBe(300);
    expect(settleRide(ride, 249)).toEqual({ cashedHundredths: null, payoutMinor: 0n });
  });

  test("is cashed out automatically at the cap, and not before", () => {
    const ride = { stakeMinor: 100n, autoHundredths: null, manualHundredths: null };
    expect(settleRide(ride, MAX_CRASH_HUNDREDTHS)).toEqual({
      cashedHundredths: MAX_CRASH_HUNDREDTHS,
      payoutMinor: 1_000_000n,
    });
    expect(settleRide(ride, MAX_CRASH_HUNDREDTHS - 1).payoutMinor).toBe(0n);
  });

  test("cannot end at 1.00×, which would be a bet without an edge", () => {
    const ride = { stakeMinor: 100n, autoHundredths: null, manualHundredths: 100 };
    expect(() => settleRide(ride, 500)).toThrow("cash-out");
  });
});

/**
 * The function of the seeding event as public verifiers have it, in doubles: copied from
 * https://bitcointalk.org/index.php?topic=2807542, with the digits decoded.
 */
function publishedBust(seed: string, salt: string): number {
  const hash = createHmac("sha256", salt).update(Buffer.from(seed, "hex")).digest("hex");
  const X = 99 / (1 - Number.parseInt(hash.slice(0, 13), 16) / 2 ** 52);
  return Math.max(1, Math.floor(X) / 100);
}

const CRASHES = seedChain(lastSeed, 60_000).map((seed) => crashHundredths(seed, salt, 2));
