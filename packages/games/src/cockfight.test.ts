import { createHmac } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  COCKFIGHT_SIDES,
  cockfightPayoutMinor,
  dividendHundredths,
  drawReturn,
  EXCHANGES,
  fightOf,
  isContest,
  poolReturn,
  resultOf,
} from "./cockfight.ts";
import { percentText } from "./rational.ts";

const matchId = "mch_01kaa000000000000000000000";
const pesos = (n: number | bigint) => BigInt(n) * 100n;
const anyStake = fc.bigInt({ min: 1n, max: 10_000_000n }).map((n) => n * 100n);
const bets = (max: number) => fc.array(anyStake, { maxLength: max });
const sum = (all: readonly bigint[]) => all.reduce((total, one) => total + one, 0n);

describe("a fight", () => {
  test("is decided by the published scheme from the seed and the match's id", () => {
    for (let i = 0; i < 50; i++) {
      const serverSeed = createHmac("sha256", "seed").update(`${i}`).digest("hex");
      const block = createHmac("sha256", serverSeed).update(`${matchId}:0:0`).digest();
      const lot = Math.floor((block.readUInt32BE(0) * 100) / 2 ** 32);
      expect(fightOf({ serverSeed, matchId }).result).toBe(resultOf(lot));
    }
  });

  test("is won by each side in 44 of 100 lots and drawn in 12", () => {
    const results = Array.from({ length: 100 }, (_, lot) => resultOf(lot));
    const count = (side: string) => results.filter((one) => one === side).length;
    expect(COCKFIGHT_SIDES.map(count)).toEqual([44, 44, 12]);
  });

  test("ends with the winner's exchange, and is the same every time", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[0-9a-f]{64}$/), (serverSeed) => {
        const fight = fightOf({ serverSeed, matchId });
        expect(fight.exchanges).toHaveLength(EXCHANGES);
        expect(fight.exchanges.at(-1)).toBe(fight.result === "draw" ? "both" : fight.result);
        expect(fightOf({ serverSeed, matchId })).toEqual(fight);
      }),
    );
  });
});

describe("what a peso pays", () => {
  test("is the pool less 5% over the winner's stakes, cut off to a centavo", () => {
    const pool = { meronMinor: pesos(1_000), walaMinor: pesos(700) };
    expect(dividendHundredths(pool, "meron")).toBe(161n); // 1700 × 0.95 ÷ 1000 = 1.615
    expect(dividendHundredths(pool, "wala")).toBe(230n); // 1700 × 0.95 ÷ 700 = 2.307…
    expect(cockfightPayoutMinor(pool, { side: "wala", stakeMinor: pesos(3) }, "wala")).toBe(690n);
  });

  test("is null for a side that nobody backs", () => {
    expect(dividendHundredths({ meronMinor: 0n, walaMinor: 100n }, "meron")).toBeNull();
  });
});

describe("a pool", () => {
  test.each([
    ["nobody on either side", 0, 0, false],
    ["one side alone", 500, 0, false],
    ["the other alone", 0, 500, false],
    ["both", 500, 500, true],
    // 10,500 × 0.95 ÷ 10,000 = 0.9975: even the winners would have lost.
    ["a side so small that the commission eats it", 10_000, 500, false],
    ["a winner who would get the stake and no more", 1_900, 100, false],
    // 11,270 × 0.95 ÷ 10,000 = 1.07065, and 11,390 × 0.95 ÷ 10,000 = 1.08205.
    ["a side that would have a winner paid 1.07", 10_000, 1_270, false],
    ["a side that has a winner paid 1.08", 10_000, 1_390, true],
  ] as const)("with %s is a contest or not", (_what, meron, wala, contest) => {
    expect(isContest({ meronMinor: pesos(meron), walaMinor: pesos(wala) })).toBe(contest);
  });

  test("of an earlier fight is cancelled by the rule published with it: where a winner got no more than the stake", () => {
    const pool = { meronMinor: pesos(1_900), walaMinor: pesos(122) };
    expect([isContest(pool), isContest(pool, 100)]).toEqual([false, true]);
    const bet = { side: "meron", stakeMinor: 1_000n } as const;
    expect(cockfightPayoutMinor(pool, bet, "meron")).toBe(1_000n);
    expect(cockfightPayoutMinor(pool, bet, "meron", 100)).toBe(1_010n);
  });

  test("that is no contest returns every stake, also on Draw, whatever the result", () => {
    fc.assert(
      fc.property(
        bets(20),
        anyStake,
        fc.constantFrom(...COCKFIGHT_SIDES),
        (meron, draw, result) => {
          const pool = { meronMinor: sum(meron), walaMinor: 0n };
          for (const stakeMinor of meron) {
            expect(cockfightPayoutMinor(pool, { side: "meron", stakeMinor }, result)).toBe(
              stakeMinor,
            );
          }
          expect(cockfightPayoutMinor(pool, { side: "draw", stakeMinor: draw }, result)).toBe(draw);
        },
      ),
    );
  });

  test("of a drawn fight returns the stakes on both sides and pays Draw eightfold", () => {
    const pool = { meronMinor: pesos(400), walaMinor: pesos(300) };
    expect(cockfightPayoutMinor(pool, { side: "meron", stakeMinor: 400n }, "draw")).toBe(400n);
    expect(cockfightPayoutMinor(pool, { side: "wala", stakeMinor: 300n }, "draw")).toBe(300n);
    expect(cockfightPayoutMinor(pool, { side: "draw", stakeMinor: 500n }, "draw")).toBe(4_000n);
    expect(cockfightPayoutMinor(pool, { side: "draw", stakeMinor: 500n }, "wala")).toBe(0n);
  });

  test("leaves the house its 5% and less than a centavo per winning peso", () => {
    fc.assert(
      fc.property(bets(30), bets(30), fc.constantFrom("meron", "wala"), (meron, wala, result) => {
        const pool = { meronMinor: sum(meron), walaMinor: sum(wala) };
        fc.pre(isContest(pool));
        const side = (name: "meron" | "wala", stakes: readonly bigint[]) =>
          sum(
            stakes.map((stakeMinor) => {
              const paid = cockfightPayoutMinor(pool, { side: name, stakeMinor }, result);
              if (name === result) expect(paid).toBeGreaterThan(stakeMinor);
              return paid;
            }),
          );
        const paid = side("meron", meron) + side("wala", wala);
        const kept = pool.meronMinor + pool.walaMinor - paid;
        const commission = ((pool.meronMinor + pool.walaMinor) * 5n) / 100n;
        const winningPesos = (result === "meron" ? pool.meronMinor : pool.walaMinor) / 100n;
        expect(kept).toBeGreaterThanOrEqual(commission);
        expect(kept - commission).toBeLessThan(winningPesos);
      }),
      { numRuns: 2_000 },
    );
  });

  test("pays the same for a stake in one bet as in many", () => {
    fc.assert(
      fc.property(bets(10), anyStake, (stakes, walaMinor) => {
        const pool = { meronMinor: sum(stakes), walaMinor };
        const pay = (stakeMinor: bigint) =>
          cockfightPayoutMinor(pool, { side: "meron", stakeMinor }, "meron");
        expect(sum(stakes.map(pay))).toBe(pay(sum(stakes)));
      }),
    );
  });
});

test("the published returns equal those of the hundred lots", () => {
  expect(percentText(drawReturn(), 2)).toBe("96.00");
  expect(percentText(poolReturn(), 2)).toBe("95.60");
  const pool = { meronMinor: pesos(1_000), walaMinor: pesos(1_000) };
  const lots = Array.from({ length: 100 }, (_, lot) => resultOf(lot));
  const returned = (side: "meron" | "draw") =>
    sum(lots.map((result) => cockfightPayoutMinor(pool, { side, stakeMinor: 100n }, result)));
  expect(returned("draw")).toBe(9_600n);
  expect(returned("meron")).toBe(9_560n);
});
