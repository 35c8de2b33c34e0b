import type { Reply } from "@perya/client/api";
import type { FlightChain } from "@perya/contract/saranggola";
import { commitmentText } from "@perya/games/saranggola";
import {
  type SaranggolaRideClaim,
  type ShownChain,
  verifySaranggolaRound,
} from "@perya/games/verify-round";
import { chainText, flightText, type ShownFlight } from "../../parts/proofs/flight-chain.ts";
import { flightSteps, type Step } from "./verdict-steps.ts";

export type FlightReply = Reply<"GET /api/v1/saranggola/rounds/{id}">;
export interface Flight extends FlightReply {
  readonly chainId: string;
  readonly chainIndex: number;
}

/**
 * The evidence for a flight. `before`: this phone was shown it while it could be bet on. `later`:
 * its chain is known, but this phone did not see it with this flight. `old`: it flew before chains
 * were published, and its own answer is the only evidence.
 */
type FlightGround = "before" | "later" | "old";

export interface FlightEvidence {
  /** What this device keeps of the flight from when it could be bet on, or null. */
  readonly shown: ShownFlight | null;
  /** What this device keeps of the chain that the flight names, or null. */
  readonly kept: FlightChain | null;
  /** The published data of that chain now, or null. */
  readonly published: FlightChain | null;
  /** The key of the first chain that this device was shown. */
  readonly firstKey: string | null;
}

export interface FlightProof {
  readonly ground: FlightGround;
  /** The data that the flight is recomputed from; for an old flight, its own answer. */
  readonly fixed: ShownChain;
  /** The signed data of its chain; null for an old flight, and where the chain is unknown. */
  readonly chain: FlightChain | null;
  readonly steps: readonly Step[];
}

/**
 * Checks a flight against what was shown before it, never against what comes with it: only the
 * ground `before` proves that nothing was chosen after the bets.
 */
export async function proveFlight(
  flight: Flight,
  ride: SaranggolaRideClaim | null,
  { shown, kept, published, firstKey }: FlightEvidence,
): Promise<FlightProof> {
  const { seed, seedHash, chainId, chainIndex, crashedAt, salt } = flight;
  const known = kept ?? published;
  // A flight from before its chain was published is not fixed by it.
  const chain = known !== null && chainIndex >= known.firstIndex ? known : null;
  const ground = shown !== null ? "before" : chain !== null ? "later" : "old";
  const fixed: ShownChain = shown ??
    chain ?? {
      ...{ form: 1, firstIndex: chainIndex, firstHash: seedHash, salt: salt ?? "" },
      length: chainIndex + 1,
    };
  const claim = { seed, index: chainIndex, salt, crashHundredths: crashedAt, ride };
  const verdict = verifySaranggolaRound(claim, fixed);
  const steps: Step[] = [];
  if (shown !== null) {
    const now = flightText({ ...(chain ?? shown), chainId, chainIndex, seedHash });
    const then = flightText(shown);
    steps.push({ name: "flight", holds: now === then, claimed: now, recomputed: then });
  }
  if (kept !== null && published !== null) {
    const [then, now] = [chainText(kept), chainText(published)];
    steps.push({ name: "published", holds: then === now, claimed: now, recomputed: then });
  }
  if (chain !== null) steps.push(...(await signatureStep(chain, firstKey)));
  steps.push(...flightSteps({ ...flight, payout: ride?.payoutMinor ?? null }, verdict));
  return { ground, fixed, chain, steps };
}

/** Empty where the browser does not know Ed25519, or the page came without TLS. */
async function signatureStep(chain: FlightChain, firstKey: string | null): Promise<Step[]> {
  const { publicKey, signature } = chain;
  const step = { name: "signature", claimed: publicKey, recomputed: firstKey ?? "" } as const;
  if (firstKey !== null && publicKey !== firstKey) return [{ ...step, holds: false }];
  // Undefined without TLS, although the types deny it.
  const subtle: SubtleCrypto | undefined = crypto.subtle;
  if (subtle === undefined) return [];
  try {
    const jwk = { kty: "OKP", crv: "Ed25519", x: publicKey };
    const key = await subtle.importKey("jwk", jwk, "Ed25519", false, ["verify"]);
    const text = new TextEncoder().encode(commitmentText(chain));
    return [{ ...step, holds: await subtle.verify("Ed25519", key, bytes(signature), text) }];
  } catch (error) {
    const isUnknown = error instanceof DOMException && error.name === "NotSupportedError";
    // Any other failure means an invalid key or signature.
    return isUnknown ? [] : [{ ...step, holds: false }];
  }
}

function bytes(base64url: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64url.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(text, (sign) => sign.charCodeAt(0));
}
