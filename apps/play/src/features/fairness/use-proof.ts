import type { Reply } from "@perya/client/api";
import { OWN_KEY } from "@perya/client/queries";
import { ApiRefusal } from "@perya/client/refused";
import type { Round, SaranggolaBet } from "@perya/contract/rounds";
import { isId } from "@perya/kernel/ids";
import { useQuery } from "@tanstack/react-query";
import { api } from "../../shell/server.ts";
import { useSession } from "../../shell/session.ts";
import { flightSteps, type Step, soloSteps } from "./verdict-steps.ts";

type Flight = Reply<"GET /api/v1/saranggola/rounds/{id}">;

export type Proof =
  /** The seed that dealt it is still in use, so nobody may know it yet. */
  | { readonly kind: "sealed"; readonly round: Round }
  | { readonly kind: "round"; readonly round: Round; readonly steps: readonly Step[] }
  | {
      readonly kind: "flight";
      readonly flight: Flight;
      readonly bet: SaranggolaBet | null;
      readonly steps: readonly Step[];
    }
  | { readonly kind: "unknown" };

/** Fetches what the house claims of a round and recomputes it here. */
export function useProof(id: string | null) {
  const loggedIn = useSession((held) => held.session !== null);
  return useQuery({
    queryKey: [OWN_KEY, "proof", id, loggedIn],
    queryFn: () => prove(id ?? "", loggedIn),
    enabled: id !== null && isId("round", id),
    staleTime: 0,
    gcTime: 0,
  });
}

async function prove(id: string, loggedIn: boolean): Promise<Proof> {
  const round = loggedIn
    ? await found(api.call("GET /api/v1/rounds/{id}", { params: { id } }))
    : null;
  if (round !== null) return proveRound(round);
  const flight = await found(api.call("GET /api/v1/saranggola/rounds/{id}", { params: { id } }));
  return flight === null ? { kind: "unknown" } : proveFlight(flight, loggedIn);
}

async function proveRound(round: Round): Promise<Proof> {
  const { gameId, choices, outcome, payout, fairness } = round;
  const { serverSeed, clientSeed, nonce, serverSeedHash } = fairness;
  if (serverSeed === null) return { kind: "sealed", round };
  const { verifySoloRound } = await import("./recompute.ts");
  const verdict = verifySoloRound({
    gameId,
    serverSeed,
    clientSeed,
    nonce,
    seedHash: serverSeedHash,
    choices,
    outcome,
    payoutMinor: payout.minor,
  });
  return { kind: "round", round, steps: soloSteps(round, verdict) };
}

async function proveFlight(flight: Flight, loggedIn: boolean): Promise<Proof> {
  const mine = loggedIn ? await api.call("GET /api/v1/saranggola/bets/mine") : { bets: [] };
  const bet = mine.bets.find(({ roundId }) => roundId === flight.id) ?? null;
  const settled = bet?.state === "cashed" || bet?.state === "lost" ? bet : null;
  const { verifySaranggolaRound } = await import("./recompute.ts");
  const verdict = verifySaranggolaRound({
    seed: flight.seed,
    // What was shown before this flight is the seed of the one before it.
    previousSeed: flight.seedHash,
    salt: flight.salt,
    crashHundredths: flight.crashedAt,
    ride: settled === null ? null : rideOf(settled),
  });
  const claim = { ...flight, payout: settled?.payout.minor ?? null };
  return { kind: "flight", flight, bet, steps: flightSteps(claim, verdict) };
}

/** A cash-out below the target, or without one, was by hand. */
function rideOf({ stake, autoCashOut, cashedOutAt, payout }: SaranggolaBet) {
  const byHand = cashedOutAt !== null && cashedOutAt !== autoCashOut;
  return {
    stakeMinor: stake.minor,
    autoHundredths: autoCashOut,
    manualHundredths: byHand ? cashedOutAt : null,
    cashedHundredths: cashedOutAt,
    payoutMinor: payout.minor,
  };
}

async function found<T>(call: Promise<T>): Promise<T | null> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ApiRefusal && error.problem.code === "not_found") return null;
    throw error;
  }
}
