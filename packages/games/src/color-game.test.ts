import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  allThrows,
  COLOURS,
  type ColorBets,
  colorGame,
  colorGameReturn,
  playColorGame,
  settleColorGame,
} from "./color-game.ts";
import { drawStream } from "./fairness.ts";
import { rational } from "./rational.ts";

const serverSeed = "c0".repeat(32);
const anyStake = fc.bigInt({ min: 1n, max: 1_000_000n }).map((pesos) => pesos * 100n);
const anyBets = fc
  .dictionary(fc.constantFrom(...COLOURS), anyStake, { minKeys: 1, noNullPrototype: true })
  .map((bets): ColorBets => bets);

describe("the odds", () => {
  test("leave the house exactly 17/216 of a single bet, over all 216 throws", () => {
    expect(allThrows()).toHaveLength(216);
    expect(new Set(allThrows().map((dice) => dice.join())).size).toBe(216);
    for (const colour of COLOURS) {
      const returned = allThrows().reduce(
        (sum, dice) => sum + settleColorGame(dice, { [colour]: 100n }).payoutMinor,
        0n,
      );
      expect(rational(21_600n - returned, 21_600n)).toEqual(rational(17n, 216n));
    }
    expect(colorGameReturn()).toEqual({ numerator: 199n, denominator: 216n });
  });

  test("leave the house the same 17/216 of any combination of bets", () => {
    fc.assert(
      fc.property(anyBets, (bets) => {
        const staked = Object.values(bets).reduce((sum, stake) => sum + stake, 0n);
        const returned = allThrows().reduce(
          (sum, dice) => sum + settleColorGame(dice, bets).payoutMinor,
          0n,
        );
        expect(returned).toBe(staked * 199n);
      }),
      { numRuns: 30 },
    );
  });

  test.each([
    [["blue", "white", "pink"], "0"],
    [["red", "white", "pink"], "2000"],
    [["red", "white", "red"], "3000"],
    [["red", "red", "red"], "4000"],
  ] as const)("1000 on red and %j returns %s", (dice, payoutMinor) => {
    const { outcome } = settleColorGame(dice, { red: 1000n });
    expect(outcome.perColour).toEqual({
      red: { stakeMinor: "1000", matches: dice.filter((die) => die === "red").length, payoutMinor },
    });
  });
});

describe("a round", () => {
  test("pays the sum of its colours, between zero and the largest payout", () => {
    fc.assert(
      fc.property(fc.nat(), anyBets, (nonce, bets) => {
        const { outcome, payoutMinor } = play(nonce, bets);
        const sum = Object.values(outcome.perColour).reduce(
          (s, r) => s + BigInt(r.payoutMinor),
          0n,
        );
        expect(payoutMinor).toBe(sum);
        expect(payoutMinor >= 0n).toBe(true);
        expect(payoutMinor <= colorGame.maxPayoutMinor({ bets })).toBe(true);
        expect(Object.keys(outcome.perColour).sort()).toEqual(Object.keys(bets).sort());
      }),
    );
  });

  test("throws the same dice whatever the bets, and survives JSON unchanged", () => {
    fc.assert(
      fc.property(fc.nat(), anyBets, (nonce, bets) => {
        const { outcome } = play(nonce, bets);
        expect(outcome.dice).toEqual(play(nonce, { red: 100n }).outcome.dice);
        expect(JSON.parse(JSON.stringify(outcome))).toEqual(outcome);
      }),
    );
  });

  test("shows each colour on a sixth of the dice of 20,000 rounds, within four errors", () => {
    const counts = new Map(COLOURS.map((colour) => [colour, 0]));
    const rounds = 20_000;
    for (let nonce = 0; nonce < rounds; nonce++) {
      for (const die of play(nonce, { red: 100n }).outcome.dice) {
        counts.set(die, (counts.get(die) ?? 0) + 1);
      }
    }
    const dice = rounds * 3;
    const error = Math.sqrt((1 / 6) * (5 / 6) * dice);
    for (const count of counts.values()) {
      expect(Math.abs(count - dice / 6)).toBeLessThan(4 * error);
    }
  });

  test("has as its largest payout exactly that of its best throw", () => {
    fc.assert(
      fc.property(anyBets, (bets) => {
        const paid = allThrows().map((dice) => settleColorGame(dice, bets).payoutMinor);
        const best = paid.reduce((most, one) => (one > most ? one : most));
        expect(colorGame.maxPayoutMinor({ bets })).toBe(best);
      }),
    );
  });

  test("can pay at most four stakes on one colour, and less than the sum on several", () => {
    expect(colorGame.maxPayoutMinor({ bets: { red: 1000n } })).toBe(4000n);
    expect(colorGame.maxPayoutMinor({ bets: { red: 1000n, blue: 900n } })).toBe(4800n);
  });
});

describe("choices", () => {
  test("keep each colour's stake and add up to the round's", () => {
    const parsed = colorGame.parseChoices({ bets: { red: "1000", blue: "500" } });
    expect(parsed).toEqual({ ok: true, value: { bets: { blue: 500n, red: 1000n } } });
    expect(parsed.ok && colorGame.stakeMinor(parsed.value)).toBe(1500n);
  });

  test.each([
    [null, "", "wrong_type"],
    [{}, "bets", "required"],
    [{ bets: {} }, "bets", "required"],
    [{ bets: ["red"] }, "bets", "wrong_type"],
    [{ bets: { purple: "1000" } }, "bets.purple", "unknown_field"],
    [{ bets: { red: "1000" }, dice: [] }, "dice", "unknown_field"],
    [{ bets: { red: 1000 } }, "bets.red", "bad_format"],
    [{ bets: { red: "1e3" } }, "bets.red", "bad_format"],
    [{ bets: { red: null } }, "bets.red", "required"],
    [{ bets: { red: "99" } }, "bets.red", "too_small"],
    [{ bets: { red: "150" } }, "bets.red", "not_multiple"],
    [{ bets: { red: "100000000100" } }, "bets.red", "too_big"],
  ])('are refused where they are %j, naming "%s": %s', (raw, field, code) => {
    expect(colorGame.parseChoices(raw)).toMatchObject({ ok: false, error: [{ field, code }] });
  });

  test("name all wrong colours at once", () => {
    const parsed = colorGame.parseChoices({ bets: { red: "1", green: "x", blue: "500" } });
    expect(!parsed.ok && parsed.error.map((error) => error.field)).toEqual([
      "bets.red",
      "bets.green",
    ]);
  });
});

function play(nonce: number, bets: ColorBets) {
  return playColorGame(drawStream({ serverSeed, clientSeed: "perya", nonce }), bets);
}
