import type { Round } from "@perya/contract/rounds";
import type {
  RecomputedSaranggolaRound,
  RecomputedSoloRound,
  Verdict,
} from "@perya/games/verify-round";

export interface Step {
  readonly name:
    | "hash"
    | "shown"
    | "client"
    | "draws"
    | "outcome"
    | "payout"
    | "flight"
    | "published"
    | "signature"
    | "chain"
    | "salt"
    | "crash"
    | "ride"
    | "readable";
  readonly holds: boolean;
  readonly claimed: string;
  readonly recomputed: string;
}

type Differences = readonly { readonly path: string }[];

/** What a device was shown of a pair: the server seed's hash and the client seed, or null. */
export interface ShownPair {
  readonly hash: string | null;
  readonly clientSeed: string | null;
}

export function soloSteps(
  { fairness, outcome, payout }: Round,
  verdict: Verdict<RecomputedSoloRound>,
  shown: ShownPair,
): Step[] {
  if (verdict.verdict === "unreadable") return [unreadable(verdict.errors)];
  const { recomputed } = verdict;
  const differences = verdict.verdict === "refuted" ? verdict.differences : [];
  const { serverSeedHash } = fairness;
  const steps: Step[] = [
    {
      name: "hash",
      holds: !differs(differences, "seedHash"),
      claimed: serverSeedHash,
      recomputed: recomputed.seedHash,
    },
    {
      name: "draws",
      holds: drawsOf(outcome) === drawsOf(recomputed.outcome),
      claimed: drawsOf(outcome),
      recomputed: drawsOf(recomputed.outcome),
    },
    {
      name: "outcome",
      holds: !differs(differences, "outcome"),
      claimed: winsOf(outcome),
      recomputed: winsOf(recomputed.outcome),
    },
    {
      name: "payout",
      holds: !differs(differences, "payoutMinor"),
      claimed: `${payout.minor}`,
      recomputed: recomputed.payoutMinor,
    },
  ];
  return [
    ...shownStep("shown", serverSeedHash, shown.hash),
    ...shownStep("client", fairness.clientSeed, shown.clientSeed),
    ...steps,
  ];
}

function shownStep(name: "shown" | "client", claimed: string, shown: string | null): Step[] {
  return shown === null ? [] : [{ name, holds: claimed === shown, claimed, recomputed: shown }];
}

export function flightSteps(
  claim: {
    readonly seedHash: string;
    readonly salt: string | null;
    readonly crashedAt: number;
    readonly payout: string | null;
  },
  verdict: Verdict<RecomputedSaranggolaRound>,
): Step[] {
  if (verdict.verdict === "unreadable") return [unreadable(verdict.errors)];
  const { recomputed } = verdict;
  const differences = verdict.verdict === "refuted" ? verdict.differences : [];
  const steps: Step[] = [
    {
      name: "chain",
      holds: !differs(differences, "isInChain"),
      claimed: claim.seedHash,
      recomputed: "",
    },
    {
      name: "salt",
      holds: !differs(differences, "salt"),
      claimed: claim.salt ?? recomputed.salt,
      recomputed: recomputed.salt,
    },
    {
      name: "crash",
      holds: !differs(differences, "crashHundredths"),
      claimed: `${claim.crashedAt}`,
      recomputed: `${recomputed.crashHundredths}`,
    },
  ];
  if (claim.payout === null || recomputed.ride === null) return steps;
  const ride: Step = {
    name: "ride",
    holds: !differs(differences, "ride"),
    claimed: claim.payout,
    recomputed: recomputed.ride.payoutMinor,
  };
  return [...steps, ride];
}

/** Reel stops by spin, or the three dice: the draw before any payout. */
export function drawsOf(outcome: unknown): string {
  if (typeof outcome !== "object" || outcome === null) return "";
  if ("dice" in outcome && Array.isArray(outcome.dice)) return outcome.dice.join(" ");
  if (!("spins" in outcome) || !Array.isArray(outcome.spins)) return "";
  return outcome.spins
    .map((spin: unknown) => {
      const stops = typeof spin === "object" && spin !== null && "stops" in spin ? spin.stops : [];
      return Array.isArray(stops) ? stops.join(" ") : "";
    })
    .join(" | ");
}

/** Line bets won, or dice that matched: the outcome's own figure. */
export function winsOf(outcome: unknown): string {
  if (typeof outcome !== "object" || outcome === null) return "";
  if ("payUnits" in outcome) return `${outcome.payUnits}`;
  if (!("perColour" in outcome)) return "";
  const { perColour } = outcome;
  if (typeof perColour !== "object" || perColour === null) return "";
  return Object.entries(perColour)
    .map(([colour, result]: [string, unknown]) => {
      const matches =
        typeof result === "object" && result !== null && "matches" in result ? result.matches : 0;
      return `${colour} ${matches}`;
    })
    .join(", ");
}

function differs(differences: Differences, field: string): boolean {
  return differences.some(({ path }) => path === field || path.startsWith(`${field}.`));
}

function unreadable(errors: readonly { readonly field: string }[]): Step {
  const claimed = errors.map(({ field }) => field).join(", ");
  return { name: "readable", holds: false, claimed, recomputed: "" };
}
