import type { Reply } from "@perya/client/api";
import { OWN_KEY } from "@perya/client/queries";
import { ApiRefusal } from "@perya/client/refused";
import type { Verdict } from "@perya/games/verify-round";
import { queryOptions } from "@tanstack/react-query";
import { api } from "../../shell/server.ts";

type Round = Reply<"GET /api/v1/rounds/{id}">;
type Flight = Reply<"GET /api/v1/saranggola/rounds/{id}">;

export type Proof =
  /** The seed is still in use: its hash is known, the seed itself is not. */
  | { readonly kind: "sealed"; readonly round: Round }
  | { readonly kind: "solo"; readonly round: Round; readonly verdict: Verdict<unknown> }
  | { readonly kind: "flight"; readonly flight: Flight; readonly verdict: Verdict<unknown> };

/** Loads a round and recomputes it here, in the player's own browser. */
export function proofQuery(id: string) {
  return queryOptions({
    queryKey: [OWN_KEY, "fairness", "proof", id],
    queryFn: async ({ signal }): Promise<Proof> => {
      const round = await findRound(id, signal);
      if (round === null) return proveFlight(id, signal);
      const { serverSeed, clientSeed, nonce, serverSeedHash } = round.fairness;
      if (serverSeed === null) return { kind: "sealed", round };
      const { verifySoloRound } = await import("@perya/games/verify-round");
      const verdict = verifySoloRound({
        gameId: round.gameId,
        serverSeed,
        clientSeed,
        nonce,
        seedHash: serverSeedHash,
        choices: round.choices,
        outcome: round.outcome,
        payoutMinor: round.payout.minor,
      });
      return { kind: "solo", round, verdict };
    },
  });
}

async function findRound(id: string, signal: AbortSignal): Promise<Round | null> {
  try {
    return await api.call("GET /api/v1/rounds/{id}", { params: { id }, signal });
  } catch (error) {
    if (error instanceof ApiRefusal && error.problem.code === "not_found") return null;
    throw error;
  }
}

/** A flight with the player's own ride on it, where it is one of the latest. */
async function proveFlight(id: string, signal: AbortSignal): Promise<Proof> {
  const [flight, { bets }] = await Promise.all([
    api.call("GET /api/v1/saranggola/rounds/{id}", { params: { id }, signal }),
    api.call("GET /api/v1/saranggola/bets/mine", { signal }),
  ]);
  const bet = bets.find((one) => one.roundId === id && one.state !== "voided");
  const { verifySaranggolaRound } = await import("@perya/games/verify-round");
  const byHand =
    bet !== undefined && bet.cashedOutAt !== null && bet.cashedOutAt !== bet.autoCashOut;
  const verdict = verifySaranggolaRound({
    seed: flight.seed,
    // The hash that was shown before the flight is the link before its seed.
    previousSeed: flight.seedHash,
    salt: flight.salt,
    crashHundredths: flight.crashedAt,
    ride:
      bet === undefined
        ? null
        : {
            stakeMinor: bet.stake.minor,
            autoHundredths: bet.autoCashOut,
            manualHundredths: byHand ? bet.cashedOutAt : null,
            cashedHundredths: bet.cashedOutAt,
            payoutMinor: bet.payout.minor,
          },
  });
  return { kind: "flight", flight, verdict };
}
