import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type DrawStream, drawStream } from "./fairness.ts";
import { evaluateGrid, gridAt, PAROL_STAKE, parolFortune, playParol } from "./parol-fortune.ts";
import { LINES, PAYTABLE, type ParolSymbol, STRIPS } from "./parol-reels.ts";
import { PAROL_FIGURES, parolReturn } from "./parol-return.ts";
import { percentText } from "./rational.ts";

const serverSeed = "5e".repeat(32);
const anyRound = fc.record({
  nonce: fc.nat(),
  stakeMinor: fc.bigInt({ min: 1n, max: 1_000_000n }).map((lines) => lines * 20n),
});

describe("a round", () => {
  test("pays at least zero and at most the published largest win", () => {
    fc.assert(
      fc.property(anyRound, ({ nonce, stakeMinor }) => {
        const { payoutMinor } = play(nonce, stakeMinor);
        expect(payoutMinor >= 0n).toBe(true);
        expect(payoutMinor <= (stakeMinor * BigInt(PAROL_FIGURES.maxWinUnits)) / 20n).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test("depends only on seeds and stake, and its outcome only on seeds", () => {
    fc.assert(
      fc.property(anyRound, ({ nonce, stakeMinor }) => {
        expect(play(nonce, stakeMinor)).toEqual(play(nonce, stakeMinor));
        expect(play(nonce, stakeMinor).outcome).toEqual(play(nonce, 20n).outcome);
      }),
    );
  });

  test("survives JSON unchanged", () => {
    fc.assert(
      fc.property(anyRound, ({ nonce, stakeMinor }) => {
        const { outcome } = play(nonce, stakeMinor);
        expect(JSON.parse(JSON.stringify(outcome))).toEqual(outcome);
      }),
    );
  });

  test("adds up: lines to spins, spins to the round, the round to the payout", () => {
    for (const { outcome, payoutMinor } of rounds(2_000)) {
      for (const spin of outcome.spins) {
        const units = spin.lineWins.map((win) => PAYTABLE[win.symbol][win.count]);
        expect(spin.payUnits).toBe(spin.multiplier * units.reduce((a, b) => a + b, 0));
        expect(spin.grid).toEqual(gridAt(spin.stops));
      }
      expect(outcome.payUnits).toBe(outcome.spins.reduce((sum, spin) => sum + spin.payUnits, 0));
      expect(payoutMinor).toBe(BigInt(outcome.payUnits));
    }
  });

  test("plays every free spin that it awarded, at three times the pays", () => {
    const features = rounds(2_000).filter(({ outcome }) => outcome.spins.length > 1);
    expect(features.length).toBeGreaterThan(5);
    for (const { outcome } of features) {
      const [base, ...free] = outcome.spins;
      const awarded = outcome.spins.reduce((sum, spin) => sum + spin.freeSpinsAwarded, 0);
      expect(free).toHaveLength(awarded);
      expect(base?.kind).toBe("base");
      expect(base?.multiplier).toBe(1);
      for (const spin of free) expect([spin.kind, spin.multiplier]).toEqual(["free", 3]);
      expect(outcome.spins.at(-1)?.freeSpinsLeft).toBe(0);
      expect(base?.freeSpinsLeft).toBe(base?.freeSpinsAwarded);
    }
  });

  test("stops at 50 free spins even if five stars come every time", () => {
    const { outcome } = playParol(stoppingAt(STRIPS.map((s) => s.indexOf("scatter"))), {
      stakeMinor: 20n,
    });
    expect(outcome.spins).toHaveLength(51);
    expect(outcome.spins.slice(0, 5).map((spin) => spin.freeSpinsAwarded)).toEqual([
      15, 15, 15, 5, 0,
    ]);
    expect(outcome.spins.map((spin) => spin.freeSpinsLeft).slice(-3)).toEqual([2, 1, 0]);
  });

  test("refuses a stake that does not divide over the lines", () => {
    for (const stakeMinor of [0n, -20n, 10n, 21n, PAROL_STAKE.maxMinor + 20n]) {
      expect(() => play(0, stakeMinor)).toThrow("multiple of 20");
    }
  });

  test("returns, over 150,000 seeded rounds, the exact figure within four standard errors", () => {
    const count = 150_000;
    let units = 0;
    let features = 0;
    for (let nonce = 0; nonce < count; nonce++) {
      const { outcome } = play(nonce, 20n);
      units += outcome.payUnits;
      if (outcome.spins.length > 1) features += 1;
    }
    const standardError = PAROL_FIGURES.standardDeviation / Math.sqrt(count);
    const returned = units / LINES.length / count;
    expect(Math.abs(returned - Number(percentText(parolReturn(), 16)) / 100)).toBeLessThan(
      4 * standardError,
    );
    const chance = PAROL_FIGURES.features / 2 ** 25;
    const featureError = Math.sqrt((chance * (1 - chance)) / count);
    expect(Math.abs(features / count - chance)).toBeLessThan(4 * featureError);
  });
});

describe("a line", () => {
  test("pays the first reel's symbol, with the parol as a wild on reels 2 to 4", () => {
    const win = middleLine("base", "mango", "wild", "mango", "wild", "q");
    expect(win).toEqual({ line: 0, symbol: "mango", count: 4, payUnits: 150 });
  });

  test("pays three times as much in free spins", () => {
    const win = middleLine("free", "jeepney", "wild", "wild", "wild", "jeepney");
    expect(win).toEqual({ line: 0, symbol: "jeepney", count: 5, payUnits: 6000 });
  });

  test("pays nothing for two in a row, from the right, or for stars", () => {
    expect(middleLine("base", "a", "a", "k", "a", "a")).toBeUndefined();
    expect(middleLine("base", "q", "a", "a", "a", "a")).toBeUndefined();
    expect(middleLine("base", "scatter", "scatter", "scatter", "j", "q")).toBeUndefined();
  });

  test("cannot begin with a star that the parol would continue", () => {
    expect(middleLine("base", "scatter", "wild", "wild", "wild", "j")).toBeUndefined();
  });
});

describe("a grid", () => {
  test("counts its stars wherever they show", () => {
    expect(evaluateGrid(grid("scatter", "a", "scatter", "j", "scatter"), "base").scatters).toBe(3);
    expect(evaluateGrid(grid("q", "a", "wild", "j", "q"), "base").scatters).toBe(0);
  });

  test("continues past the end of a strip at its start", () => {
    const top = STRIPS.map((strip) => strip.length - 1);
    expect(gridAt(top).map((shown) => shown[1])).toEqual(STRIPS.map((strip) => strip[0]));
  });
});

describe("choices", () => {
  test("are a stake in minor units as a decimal string", () => {
    expect(parolFortune.parseChoices({ stakeMinor: "2000" })).toEqual({
      ok: true,
      value: { stakeMinor: 2000n },
    });
  });

  test.each([
    [undefined, "", "required"],
    [[], "", "wrong_type"],
    [{}, "stakeMinor", "required"],
    [{ stakeMinor: 2000 }, "stakeMinor", "bad_format"],
    [{ stakeMinor: "-20" }, "stakeMinor", "bad_format"],
    [{ stakeMinor: "20.0" }, "stakeMinor", "bad_format"],
    [{ stakeMinor: "0" }, "stakeMinor", "too_small"],
    [{ stakeMinor: "30" }, "stakeMinor", "not_multiple"],
    [{ stakeMinor: "100000000020" }, "stakeMinor", "too_big"],
    [{ stakeMinor: "20", lines: 1 }, "lines", "unknown_field"],
  ])('are refused where they are %j, naming "%s": %s', (raw, field, code) => {
    const parsed = parolFortune.parseChoices(raw);
    expect(parsed).toMatchObject({ ok: false, error: [{ field, code }] });
  });
});

function play(nonce: number, stakeMinor: bigint) {
  return playParol(drawStream({ serverSeed, clientSeed: "parol", nonce }), { stakeMinor });
}

function rounds(count: number) {
  return Array.from({ length: count }, (_, nonce) => play(nonce, 20n));
}

/** The win of the straight middle line. */
function middleLine(kind: "base" | "free", ...middle: ParolSymbol[]) {
  return evaluateGrid(grid(...middle), kind).lineWins.find((win) => win.line === 0);
}

function grid(...middle: ParolSymbol[]): ParolSymbol[][] {
  return middle.map((symbol) => ["j", symbol, "bibingka"]);
}

/** Draws that always stop the reels at these positions. */
function stoppingAt(stops: readonly number[]): DrawStream {
  let draws = 0;
  const next = () => stops[draws++ % stops.length] ?? 0;
  return { uint32: next, float: next, below: next, shuffle: (items) => [...items] };
}
