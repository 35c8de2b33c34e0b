import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Autoplay, afterSpin, mayPlay, startAutoplay } from "./autoplay.ts";

const minor = fc.bigInt({ min: 0n, max: 100_000n });

describe("autoplay", () => {
  it("plays at most its count and never risks more than its loss limit", () => {
    fc.assert(
      fc.property(
        fc.record({
          count: fc.integer({ min: 1, max: 100 }),
          stopOnWin: fc.boolean(),
          lossLimitMinor: fc.option(fc.bigInt({ min: 1n, max: 1_000_000n })),
        }),
        fc.bigInt({ min: 1n, max: 50_000n }),
        fc.array(minor, { minLength: 100, maxLength: 100 }),
        (plan, stakeMinor, payouts) => {
          let run: Autoplay = startAutoplay(plan);
          let spins = 0;
          let lost = 0n;
          for (const payoutMinor of payouts) {
            if (!mayPlay(run, stakeMinor)) break;
            spins += 1;
            lost += stakeMinor - payoutMinor;
            if (plan.lossLimitMinor !== null) {
              expect(lost + payoutMinor <= plan.lossLimitMinor).toBe(true);
            }
            const after = afterSpin(run, { stakeMinor, payoutMinor });
            run = after.run;
            if (after.end !== null) break;
          }
          expect(spins).toBeLessThanOrEqual(plan.count);
        },
      ),
    );
  });

  it("stops on a win, but not when only a part of the stake came back", () => {
    const run = startAutoplay({ count: 5, stopOnWin: true, lossLimitMinor: null });
    expect(afterSpin(run, { stakeMinor: 100n, payoutMinor: 100n }).end).toBeNull();
    expect(afterSpin(run, { stakeMinor: 100n, payoutMinor: 101n }).end).toBe("win");
  });

  it("ends with its last spin", () => {
    const run = startAutoplay({ count: 1, stopOnWin: false, lossLimitMinor: null });
    expect(afterSpin(run, { stakeMinor: 100n, payoutMinor: 500n }).end).toBe("count");
  });
});
