import type { Round } from "@perya/contract/rounds";
import { drawStream, seedHash } from "@perya/games/fairness";
import { crashHundredths } from "@perya/games/saranggola";
import { soloGames } from "@perya/games/solo-games";
import { CHAIN_VECTOR } from "@perya/games/verify-us";
import { mintId } from "@perya/kernel/ids";
import { describe, expect, it } from "vitest";
import { drawByHand, verifySoloRound } from "./recompute.ts";
import { drawsOf, type ShownPair, soloSteps, winsOf } from "./verdict-steps.ts";

const serverSeed = "5".repeat(64);
const clientSeed = "perya";

/** A round as the server answers it, dealt by the real rules. */
function playedRound(nonce: number): Round {
  const choices = { bets: { red: "500", green: "100" } };
  const opened = soloGames["color-game"].open(choices);
  if (!opened.ok) throw new Error("the choices fit the rules");
  const played = opened.value.play(drawStream({ serverSeed, clientSeed, nonce }));
  return {
    id: mintId("round", 1, new Uint8Array(16)),
    gameId: "color-game",
    state: "settled",
    stake: { minor: 600n, currency: "PHP" },
    payout: { minor: BigInt(played.payoutMinor), currency: "PHP" },
    choices,
    outcome: JSON.parse(JSON.stringify(played.outcome)),
    fairness: { seedId: "s", serverSeedHash: seedHash(serverSeed), serverSeed, clientSeed, nonce },
    openedAt: 1,
    settledAt: 1,
  };
}

function check(round: Round, shown: ShownPair = { hash: null, clientSeed: null }) {
  const { gameId, choices, outcome, payout, fairness } = round;
  const verdict = verifySoloRound({
    gameId,
    serverSeed,
    clientSeed: fairness.clientSeed,
    nonce: fairness.nonce,
    seedHash: fairness.serverSeedHash,
    choices,
    outcome,
    payoutMinor: `${payout.minor}`,
  });
  return Object.fromEntries(
    soloSteps(round, verdict, shown).map((step) => [step.name, step.holds]),
  );
}

it.each([
  [{ perColour: { red: { matches: 2 }, green: {} } }, "red 2, green 0"],
  [{ perColour: { red: 3, green: null } }, "red 0, green 0"],
  [{ payUnits: 45 }, "45"],
  [{ perColour: null }, ""],
  [{ perColour: "red" }, ""],
  [{ perColour: undefined }, ""],
  [{}, ""],
  [null, ""],
  ["red", ""],
])(
  "the winnings of an outcome are its own figure, and malformed ones count for nothing: %j",
  (outcome, figure) => {
    expect(winsOf(outcome)).toBe(figure);
  },
);

describe("the proof of a round", () => {
  it("holds in every step for a round that the house really dealt", () => {
    for (let nonce = 0; nonce < 20; nonce++) {
      const all = { hash: true, draws: true, outcome: true, payout: true };
      expect(check(playedRound(nonce))).toEqual(all);
    }
  });

  it("names the step that a forged round breaks", () => {
    const round = playedRound(3);
    expect(check({ ...round, payout: { minor: 1n, currency: "PHP" } })).toMatchObject({
      hash: true,
      draws: true,
      outcome: true,
      payout: false,
    });
    const other = { ...round, fairness: { ...round.fairness, serverSeedHash: "0".repeat(64) } };
    expect(check(other)).toMatchObject({ hash: false, draws: true, payout: true });
    const another = playedRound(4).outcome;
    expect(drawsOf(another)).not.toBe(drawsOf(round.outcome));
    expect(check({ ...round, outcome: another })).toMatchObject({ draws: false, outcome: false });
  });

  it("is refuted where hash or client seed differs from the shown one, even if all else fits", () => {
    const round = playedRound(3);
    const shown = { hash: round.fairness.serverSeedHash, clientSeed };
    const all = { shown: true, client: true, hash: true };
    expect(check(round, shown)).toMatchObject(all);
    const other = { ...shown, hash: "0".repeat(64) };
    expect(check(round, other)).toMatchObject({ ...all, shown: false });
    // Knowing the server seed, the chooser of the client seed chooses the result.
    const chosen = { ...shown, clientSeed: "the-players" };
    expect(check(round, chosen)).toMatchObject({ ...all, client: false, draws: true });
  });

  it("says that it cannot be read where a seed is malformed", () => {
    const round = playedRound(1);
    const broken = { ...round, fairness: { ...round.fairness, clientSeed: "with space" } };
    expect(check(broken)).toEqual({ readable: false });
  });
});

describe("a draw by hand", () => {
  it("is the draw that the round was dealt with", () => {
    const drawn = drawByHand({ game: "color-game", serverSeed, clientSeed, nonce: 7 });
    expect(drawn).toEqual({ hash: seedHash(serverSeed), lines: [drawsOf(playedRound(7).outcome)] });
  });

  it("of a flight uses the published form, and the earlier form for earlier chains", () => {
    const { salt, flights } = CHAIN_VECTOR;
    for (const [seed, crash] of flights) {
      const input = { serverSeed: seed, clientSeed: salt, nonce: 0 };
      const lines = [`${Math.round(Number(crash) * 100)}`];
      expect(drawByHand({ ...input, game: "saranggola" })).toMatchObject({ lines });
      expect(drawByHand({ ...input, game: "saranggola-before" })).toMatchObject({
        lines: [`${crashHundredths(seed, salt, 1)}`],
      });
    }
  });

  it("names the input that is wrong", () => {
    const input = { game: "parol-fortune", serverSeed, clientSeed, nonce: 0 } as const;
    expect(drawByHand({ ...input, serverSeed: "zz" })).toEqual({ fault: "server_seed" });
    expect(drawByHand({ ...input, clientSeed: "" })).toEqual({ fault: "client_seed" });
    expect(drawByHand({ ...input, nonce: -1 })).toEqual({ fault: "nonce" });
  });
});
