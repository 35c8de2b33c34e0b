import { OWN_KEY } from "@perya/client/own-key";
import { ApiRefusal } from "@perya/client/refused";
import type { Round } from "@perya/contract/rounds";
import type { SaranggolaBet } from "@perya/contract/saranggola";
import { isId } from "@perya/kernel/ids";
import { useQuery } from "@tanstack/react-query";
import {
  firstKey,
  keptChain,
  keptFlight,
  ownSeed,
  shownHere,
} from "../../parts/proofs/shown-here.ts";
import { api } from "../../shell/server.ts";
import { useSession } from "../../shell/session.ts";
import type { Flight, FlightProof, FlightReply } from "./flight-proof.ts";
import { type SoloGround, soloGround } from "./solo-ground.ts";
import { type Step, soloSteps } from "./verdict-steps.ts";

export type Proof =
  /** The seed that dealt it is still in use, so nobody may know it yet. */
  | { readonly kind: "sealed"; readonly round: Round }
  | {
      readonly kind: "round";
      readonly round: Round;
      readonly ground: SoloGround;
      readonly steps: readonly Step[];
    }
  | (FlightProof & {
      readonly kind: "flight";
      readonly flight: Flight;
      readonly bet: SaranggolaBet | null;
    })
  | { readonly kind: "unknown" };

/** Fetches the house's claim of a round and recomputes it here. */
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
  if (round !== null) return proveRound(id, round);
  const flight = await found(api.call("GET /api/v1/saranggola/rounds/{id}", { params: { id } }));
  return flight === null ? { kind: "unknown" } : checkFlight(id, flight, loggedIn);
}

async function proveRound(id: string, round: Round): Promise<Proof> {
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
    payoutMinor: `${payout.minor}`,
  });
  const pair = shownHere.find("pair", fairness.seedId);
  const own = ownSeed(fairness.seedId);
  const hash = own?.serverSeedHash ?? pair?.text ?? null;
  const shown = { hash, clientSeed: own?.clientSeed ?? null };
  const ground = soloGround(id, pair, own);
  return { kind: "round", round, ground, steps: soloSteps(round, verdict, shown) };
}

async function checkFlight(id: string, reply: FlightReply, loggedIn: boolean): Promise<Proof> {
  const { chainId, chainIndex } = reply;
  // A process of an earlier version answered, which is about to end: missing fields refute nothing.
  if (chainId === undefined || chainIndex === undefined) throw new Error("no chain was told");
  const flight = { ...reply, chainId, chainIndex };
  const [mine, { chains }, { proveFlight }] = await Promise.all([
    loggedIn ? api.call("GET /api/v1/saranggola/bets/mine") : { bets: [] },
    api.call("GET /api/v1/saranggola/chains"),
    import("./recompute.ts"),
  ]);
  const bet = mine.bets.find(({ roundId }) => roundId === id) ?? null;
  const settled = bet?.state === "cashed" || bet?.state === "lost" ? bet : null;
  const ride = settled === null ? null : rideOf(settled);
  const proof = await proveFlight(flight, ride, {
    shown: keptFlight(id),
    kept: keptChain(chainId),
    published: chains.find((chain) => chain.chainId === chainId) ?? null,
    firstKey: firstKey(),
  });
  return { kind: "flight", flight, bet, ...proof };
}

/** A cash-out below the target, or without a target, was by hand. */
function rideOf({ stake, autoCashOut, cashedOutAt, payout }: SaranggolaBet) {
  const byHand = cashedOutAt !== null && cashedOutAt !== autoCashOut;
  return {
    stakeMinor: `${stake.minor}`,
    autoHundredths: autoCashOut,
    manualHundredths: byHand ? cashedOutAt : null,
    cashedHundredths: cashedOutAt,
    payoutMinor: `${payout.minor}`,
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
