import { moneyReplacer } from "@perya/kernel/money";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { drawStream, seedHash } from "./fairness.ts";
import { percentText, rational } from "./rational.ts";
import { CHAIN_FORM, crashHundredths, seedChain, settleRide } from "./saranggola.ts";
import { isSoloGameId, type SoloGameId, soloGames } from "./solo-games.ts";
import { type SoloRoundClaim, verifySaranggolaRound, verifySoloRound } from "./verify-round.ts";

const serverSeed = "0f".repeat(32);
const GAMES = Object.keys(soloGames).filter(isSoloGameId);
/** Two bets tell more than one; every other game is played as its rules suggest. */
const CHOICES: Readonly<Record<string, unknown>> = {
  ...Object.fromEntries(
    GAMES.map((id) => [id, JSON.parse(JSON.stringify(soloGames[id].sampleChoices, moneyReplacer))]),
  ),
  "color-game": { bets: { red: "1000", blue: "500" } },
};
const anyGame = fc.constantFrom(...GAMES);

describe("the registry", () => {
  test("opens every game by the game's own id", () => {
    for (const [id, game] of Object.entries(soloGames)) expect(game.id).toBe(id);
    expect(isSoloGameId("parol-fortune")).toBe(true);
    expect(isSoloGameId("toString")).toBe(false);
  });

  test("gives each game's return between 92 and 97 percent, with stake and largest payout", () => {
    for (const id of GAMES) {
      const game = soloGames[id];
      const round = game.open(CHOICES[id]);
      const percent = Number(percentText(game.returnToPlayer(), 16));
      expect(percent).toBeGreaterThan(92);
      expect(percent).toBeLessThan(97);
      expect(round.ok && round.value.maxPayoutMinor > round.value.stakeMinor).toBe(true);
    }
  });

  test("accepts the choices that it stored", () => {
    for (const id of GAMES) {
      const round = soloGames[id].open(CHOICES[id]);
      if (!round.ok) throw new Error("the choices are well-formed");
      const stored: unknown = JSON.parse(JSON.stringify(round.value.choices));
      expect(soloGames[id].open(stored)).toMatchObject({
        ok: true,
        value: { stakeMinor: round.value.stakeMinor, choices: round.value.choices },
      });
    }
  });
});

describe("a solo round", () => {
  test("is confirmed when the claim is true, also after JSON and with keys in another order", () => {
    fc.assert(
      fc.property(anyGame, fc.nat(), (gameId, nonce) => {
        const claim = trueClaim(gameId, nonce);
        const stored: SoloRoundClaim = { ...claim, outcome: reversed(claim.outcome) };
        expect(verifySoloRound(stored)).toMatchObject({ verdict: "confirmed" });
      }),
    );
  });

  test("is refuted when any value of its outcome is changed, and the verdict names the place", () => {
    fc.assert(
      fc.property(anyGame, fc.nat(500), fc.nat(), (gameId, nonce, pick) => {
        const claim = trueClaim(gameId, nonce);
        const paths = leaves(claim.outcome);
        const path = paths[pick % paths.length] ?? [];
        const verdict = verifySoloRound({ ...claim, outcome: forge(claim.outcome, path) });
        expect(verdict).toMatchObject({
          verdict: "refuted",
          differences: [{ path: ["outcome", ...path].join("."), claimed: "forged" }],
        });
      }),
    );
  });

  test("is refuted for a payout, a seed, a nonce or choices from elsewhere", () => {
    const claim = trueClaim("color-game", 3);
    const paid = verifySoloRound({ ...claim, payoutMinor: "1" });
    expect(paid).toMatchObject({ verdict: "refuted", differences: [{ path: "payoutMinor" }] });
    const swapped = verifySoloRound({ ...claim, serverSeed: "0e".repeat(32) });
    expect(swapped).toMatchObject({ verdict: "refuted" });
    expect(JSON.stringify(swapped)).toContain('"path":"seedHash"');
    const choices = { bets: { red: "1000", blue: "600" } };
    expect(verifySoloRound({ ...claim, choices }).verdict).toBe("refuted");
  });

  test("is refuted when values are added or missing, and at most 20 differences are listed", () => {
    const claim = trueClaim("color-game", 3);
    const outcome = Object.fromEntries([...Object.entries(claim.outcome ?? {}), ["bonus", "1"]]);
    expect(verifySoloRound({ ...claim, outcome })).toMatchObject({
      verdict: "refuted",
      differences: [{ path: "outcome.bonus", claimed: "1", recomputed: undefined }],
    });
    expect(verifySoloRound({ ...claim, outcome: null }).verdict).toBe("refuted");
    const stuffed = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`x${i}`, i]));
    const verdict = verifySoloRound({ ...claim, outcome: stuffed });
    expect(verdict.verdict === "refuted" && verdict.differences.length).toBe(20);
  });

  test("is unreadable when malformed, naming each field", () => {
    const claim = trueClaim("color-game", 3);
    const verdict = verifySoloRound({ ...claim, gameId: "mahjong", serverSeed: "x", nonce: -1 });
    expect(verdict).toEqual({
      verdict: "unreadable",
      errors: ["gameId", "serverSeed", "nonce"].map((field) => ({ field, code: "bad_format" })),
    });
    expect(verifySoloRound({ ...claim, choices: { bets: { red: "7" } } })).toMatchObject({
      verdict: "unreadable",
      errors: [{ field: "choices.bets.red", code: "too_small" }],
    });
    expect(verifySoloRound({ ...claim, choices: 1 })).toMatchObject({
      errors: [{ field: "choices", code: "wrong_type" }],
    });
  });
});

describe("a saranggola round", () => {
  const chain = seedChain(serverSeed, 30);
  const salt = "salt";
  const shown = {
    ...{ form: CHAIN_FORM, firstIndex: 1, firstHash: seedHash(chain[1] ?? ""), salt },
    length: chain.length,
  };

  test("is confirmed when the claim is true, for riders and for watchers", () => {
    for (let i = 1; i < chain.length; i++) {
      expect(verifySaranggolaRound(roundClaim(i, 250), shown).verdict).toBe("confirmed");
      const watched = { ...roundClaim(i, 250), ride: null, salt };
      expect(verifySaranggolaRound(watched, shown).verdict).toBe("confirmed");
    }
  });

  test("is refuted for a salt that was not shown, even if its crash fits", () => {
    const claim = roundClaim(4, 250);
    // The fraud to detect: of a few dozen salts, one makes the seed crash at 1.00×.
    const salts = Array.from({ length: 2_000 }, (_, n) => `salt ${n}`.replace(" ", "-"));
    const found = salts.find((one) => crashHundredths(claim.seed, one, 2) === 100) ?? "";
    const crash = { crashHundredths: 100, ride: null };
    expect(verifySaranggolaRound({ ...claim, ...crash, salt: found }, shown)).toMatchObject({
      verdict: "refuted",
      differences: [
        { path: "salt", claimed: found, recomputed: salt },
        { path: "crashHundredths" },
      ],
    });
    expect(verifySaranggolaRound({ ...claim, ...crash }, shown).verdict).toBe("refuted");
  });

  test("is refuted for a crash moved by a hundredth, another chain or a changed payout", () => {
    const claim = roundClaim(4, 250);
    const moved = { ...claim, crashHundredths: claim.crashHundredths + 1 };
    expect(verifySaranggolaRound(moved, shown)).toMatchObject({
      verdict: "refuted",
      differences: [{ path: "crashHundredths" }],
    });
    for (const foreign of [
      { ...claim, index: 5 },
      { ...roundClaim(5, 250), index: 4 },
    ]) {
      expect(verifySaranggolaRound(foreign, shown)).toMatchObject({
        verdict: "refuted",
        differences: [{ path: "isInChain", claimed: true, recomputed: false }],
      });
    }
    const overpaid = { ...claim, ride: { ...claim.ride, payoutMinor: "999" } };
    expect(verifySaranggolaRound(overpaid, shown)).toMatchObject({
      verdict: "refuted",
      differences: [{ path: "ride.payoutMinor", claimed: "999" }],
    });
  });

  test("of an earlier version's chain is confirmed only in that chain's form", () => {
    const crash = crashHundredths(chain[4] ?? "", salt, 1);
    const claim = { ...roundClaim(4, 250), crashHundredths: crash, ride: null };
    expect(verifySaranggolaRound(claim, { ...shown, form: 1 }).verdict).toBe("confirmed");
    expect(verifySaranggolaRound(claim, shown).verdict).toBe("refuted");
  });

  test("is unreadable when seed, salt or index is malformed, naming each", () => {
    const claim = roundClaim(4, 250);
    const malformed = { ...claim, seed: "", index: 30 };
    expect(verifySaranggolaRound(malformed, { ...shown, salt: "" })).toMatchObject({
      verdict: "unreadable",
      errors: [{ field: "seed" }, { field: "salt" }, { field: "index" }],
    });
  });

  test.each([
    [{ manualHundredths: 100 }, "ride.manualHundredths", "too_small"],
    [{ autoHundredths: 1_000_001 }, "ride.autoHundredths", "too_big"],
    [{ autoHundredths: 150.5 }, "ride.autoHundredths", "bad_format"],
    [{ stakeMinor: "550" }, "ride.stakeMinor", "not_multiple"],
  ])("with %j in its ride is unreadable, naming %s: %s", (odd, field, code) => {
    const claim = roundClaim(4, 250);
    const ride = { ...claim.ride, ...odd };
    expect(verifySaranggolaRound({ ...claim, ride }, shown)).toMatchObject({
      verdict: "unreadable",
      errors: [{ field, code }],
    });
  });

  function roundClaim(i: number, autoHundredths: number) {
    const seed = chain[i] ?? "";
    const crash = crashHundredths(seed, salt, 2);
    const settled = settleRide(
      { stakeMinor: 1000n, autoHundredths, manualHundredths: null },
      crash,
    );
    const { cashedHundredths } = settled;
    const payoutMinor = `${settled.payoutMinor}`;
    return {
      ...{ seed, index: i, salt: null },
      crashHundredths: crash,
      ride: {
        stakeMinor: "1000",
        autoHundredths,
        manualHundredths: null,
        cashedHundredths,
        payoutMinor,
      },
    };
  }
});

describe("exact fractions", () => {
  test("are in lowest terms and cut off, never rounded up", () => {
    expect(rational(398n, 432n)).toEqual({ numerator: 199n, denominator: 216n });
    expect(percentText(rational(199n, 216n), 4)).toBe("92.1296");
    expect(percentText(rational(2n, 3n), 0)).toBe("66");
    expect(percentText(rational(1n, 2000n), 2)).toBe("0.05");
    expect(() => rational(1n, 0n)).toThrow(RangeError);
  });
});

function trueClaim(gameId: SoloGameId, nonce: number): SoloRoundClaim {
  const round = soloGames[gameId].open(CHOICES[gameId]);
  if (!round.ok) throw new Error("the choices are well-formed");
  const seeds = { serverSeed, clientSeed: "suki", nonce };
  const { outcome, payoutMinor } = round.value.play(drawStream(seeds));
  const claim = { gameId, ...seeds, seedHash: seedHash(serverSeed), choices: CHOICES[gameId] };
  return { ...claim, outcome, payoutMinor: `${payoutMinor}` };
}

/** As a `jsonb` column returns it: equal, with the keys in another order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).reverse();
  return Object.fromEntries(entries.map(([key, inner]) => [key, reversed(inner)]));
}

function leaves(value: unknown, path: string[] = []): string[][] {
  if (typeof value !== "object" || value === null) return [path];
  return Object.entries(value).flatMap(([key, inner]) => leaves(inner, [...path, key]));
}

function forge(value: unknown, path: readonly string[]): unknown {
  const [key, ...rest] = path;
  if (key === undefined || typeof value !== "object" || value === null) return "forged";
  const entries = Object.entries(value).map(([name, inner]): [string, unknown] =>
    name === key ? [name, forge(inner, rest)] : [name, inner],
  );
  return Array.isArray(value) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries);
}
