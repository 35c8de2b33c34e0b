/**
 * Recomputes any round in the player's browser: the fairness page passes the product's claim and
 * shows what differs. A claim has the shape that the contract gives it; the values of its fields
 * are not trusted.
 */
import { isClientSeed } from "./client-seed.ts";
import { drawStream, isNonce, isServerSeed, type RoundSeeds, seedHash } from "./fairness.ts";
import {
  type ChainCommitment,
  crashHundredths,
  isInChain,
  isSalt,
  readTarget,
  SARANGGOLA_STAKE,
  settleRide,
} from "./saranggola.ts";
import { isSoloGameId, soloGames } from "./solo-games.ts";
import { type FieldError, type FieldErrors, readStake } from "./stake.ts";

export interface SoloRoundClaim extends RoundSeeds {
  readonly gameId: string;
  /** The hash that was shown before the round. */
  readonly seedHash: string;
  readonly choices: unknown;
  readonly outcome: unknown;
  /** Minor units as a decimal string. */
  readonly payoutMinor: string;
}

export interface SaranggolaRoundClaim {
  /** The round's seed, revealed after it. */
  readonly seed: string;
  /** Its place in the chain, from 0. */
  readonly index: number;
  /** The chain's salt that came with the round; null where none did. */
  readonly salt: string | null;
  readonly crashHundredths: number;
  /** The player's own part; null for one who only watched. */
  readonly ride: SaranggolaRideClaim | null;
}

/** The facts that were shown about a chain; no claim contains them. */
export type ShownChain = Pick<
  ChainCommitment,
  "form" | "firstIndex" | "firstHash" | "salt" | "length"
>;

export interface SaranggolaRideClaim {
  readonly stakeMinor: string;
  readonly autoHundredths: number | null;
  readonly manualHundredths: number | null;
  readonly cashedHundredths: number | null;
  readonly payoutMinor: string;
}

interface Difference {
  /** A path such as `outcome.spins.0.stops.2`. */
  readonly path: string;
  readonly claimed: unknown;
  readonly recomputed: unknown;
}

export type Verdict<Recomputed> =
  | { readonly verdict: "confirmed"; readonly recomputed: Recomputed }
  | {
      readonly verdict: "refuted";
      readonly recomputed: Recomputed;
      /** At least one, at most 20. */
      readonly differences: readonly Difference[];
    }
  /** The claim is malformed or names an unknown game: no verdict is possible. */
  | { readonly verdict: "unreadable"; readonly errors: FieldErrors };

export interface RecomputedSoloRound {
  readonly seedHash: string;
  readonly outcome: unknown;
  readonly payoutMinor: string;
}

export interface RecomputedSaranggolaRound {
  readonly isInChain: boolean;
  readonly salt: string;
  readonly crashHundredths: number;
  readonly ride: SaranggolaRideClaim | null;
}

export function verifySoloRound(claim: SoloRoundClaim): Verdict<RecomputedSoloRound> {
  const { gameId, serverSeed, clientSeed, nonce } = claim;
  const errors = malformed([
    ["gameId", isSoloGameId(gameId)],
    ["serverSeed", isServerSeed(serverSeed)],
    ["clientSeed", isClientSeed(clientSeed)],
    ["nonce", isNonce(nonce)],
  ]);
  if (errors.length > 0 || !isSoloGameId(gameId)) return { verdict: "unreadable", errors };
  const round = soloGames[gameId].open(claim.choices);
  if (!round.ok) return { verdict: "unreadable", errors: within("choices", round.error) };

  const { outcome, payoutMinor } = round.value.play(drawStream({ serverSeed, clientSeed, nonce }));
  const recomputed = {
    seedHash: seedHash(serverSeed),
    outcome,
    payoutMinor: payoutMinor.toString(),
  };
  const { seedHash: hash, outcome: claimedOutcome, payoutMinor: claimedPayout } = claim;
  return judge({ seedHash: hash, outcome: claimedOutcome, payoutMinor: claimedPayout }, recomputed);
}

/** @param shown what was shown before the round: a claim with another salt or chain is refuted. */
export function verifySaranggolaRound(
  claim: SaranggolaRoundClaim,
  shown: ShownChain,
): Verdict<RecomputedSaranggolaRound> {
  const { seed, index } = claim;
  const { salt, form, length } = shown;
  const errors = malformed([
    ["seed", isServerSeed(seed)],
    ["salt", isSalt(salt)],
    ["index", Number.isInteger(index) && index >= 0 && index < length],
  ]);
  if (errors.length > 0) return { verdict: "unreadable", errors };
  const crash = crashHundredths(seed, salt, form);
  const ride = claim.ride === null ? null : recomputeRide(claim.ride, crash);
  if (ride !== null && "errors" in ride) return { verdict: "unreadable", errors: ride.errors };
  const claimed = { isInChain: true, salt: claim.salt ?? salt, ride: claim.ride };
  return judge(
    { ...claimed, crashHundredths: claim.crashHundredths },
    { isInChain: isInChain(seed, index, shown), salt, crashHundredths: crash, ride },
  );
}

function recomputeRide(
  claim: SaranggolaRideClaim,
  crash: number,
): SaranggolaRideClaim | { readonly errors: FieldErrors } {
  const stake = readStake("ride.stakeMinor", claim.stakeMinor, SARANGGOLA_STAKE);
  const auto = readTarget("ride.autoHundredths", claim.autoHundredths);
  const manual = readTarget("ride.manualHundredths", claim.manualHundredths);
  if (!stake.ok || !auto.ok || !manual.ok) {
    return { errors: [stake, auto, manual].flatMap((part) => (part.ok ? [] : [part.error])) };
  }
  const chosen = { autoHundredths: auto.value, manualHundredths: manual.value };
  const settled = settleRide({ stakeMinor: stake.value, ...chosen }, crash);
  return {
    stakeMinor: `${stake.value}`,
    ...chosen,
    cashedHundredths: settled.cashedHundredths,
    payoutMinor: `${settled.payoutMinor}`,
  };
}

const MAX_DIFFERENCES = 20;

function judge<Recomputed>(claimed: unknown, recomputed: Recomputed): Verdict<Recomputed> {
  const differences: Difference[] = [];
  compare("", claimed, recomputed, differences);
  return differences.length === 0
    ? { verdict: "confirmed", recomputed }
    : { verdict: "refuted", recomputed, differences };
}

/** Walks the recomputed value, whose depth we control; also reports what only the claim has. */
function compare(path: string, claimed: unknown, recomputed: unknown, found: Difference[]): void {
  if (found.length >= MAX_DIFFERENCES || Object.is(claimed, recomputed)) return;
  if (!isBranch(claimed) || !isBranch(recomputed) || isList(claimed) !== isList(recomputed)) {
    found.push({ path, claimed, recomputed });
    return;
  }
  const theirs = new Map<string, unknown>(Object.entries(claimed));
  const ours = new Map<string, unknown>(Object.entries(recomputed));
  for (const key of new Set([...ours.keys(), ...theirs.keys()])) {
    compare(path === "" ? key : `${path}.${key}`, theirs.get(key), ours.get(key), found);
  }
}

function isBranch(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function isList(value: object): boolean {
  return Array.isArray(value);
}

function malformed(checks: readonly (readonly [field: string, wellFormed: boolean])[]) {
  return checks.flatMap(([field, wellFormed]): FieldError[] =>
    wellFormed ? [] : [{ field, code: "bad_format" }],
  );
}

function within(parent: string, errors: FieldErrors): FieldErrors {
  return errors.map((error) => ({
    ...error,
    field: error.field === "" ? parent : `${parent}.${error.field}`,
  }));
}
