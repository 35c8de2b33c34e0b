/**
 * Saranggola: everybody rides the same flight. It rises, its multiplier grows, and at a height fixed
 * before the round its string snaps; a player who cashed out earlier gets that multiple of the stake.
 *
 * Multipliers are whole hundredths: 100 is 1.00×.
 *
 * The crash is that of bustabit's published second version, so its public verifiers reproduce it
 * (seeding event, https://bitcointalk.org/index.php?topic=2807542): h is the first 52 bits of
 * HMAC-SHA256(key = salt as text, message = the bytes that the seed's digits stand for), and
 *
 *   crash = floor(99 × 2^52 / (2^52 - h)), at least 100, at most 1,000,000 hundredths.
 *
 * So crash >= m, for a target m from 101 up, holds exactly when 2^52 - h <= 99 × 2^52 / m, which
 * floor(99 × 2^52 / m) of the 2^52 values of h do: P(crash >= m) = 0.99 ÷ (m / 100), short of it
 * by less than 2^-52. Staying until m pays m / 100, so every target returns 99%. About 1.98% of
 * flights crash at 1.00×, where nobody can have cashed out.
 *
 * The cap of 10,000.00× costs nobody anything: every remaining rider is cashed out there, so it is
 * a target like any other and returns 99% too.
 */
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import { assert } from "@perya/kernel/assert";
import { ok, type Result, refuse } from "@perya/kernel/result";
import { isServerSeed, seedHash } from "./fairness.ts";
import type { GameTerms } from "./house-game.ts";
import { type Rational, rational } from "./rational.ts";
import {
  type FieldError,
  fitsRule,
  MAX_STAKE_MINOR,
  payOutMinor,
  type StakeRule,
} from "./stake.ts";

const MIN_CRASH_HUNDREDTHS = 100;
export const MIN_CASH_OUT_HUNDREDTHS = 101;
export const MAX_CRASH_HUNDREDTHS = 1_000_000;

/** Whole pesos. */
export const SARANGGOLA_STAKE: StakeRule = {
  minMinor: 100n,
  maxMinor: MAX_STAKE_MINOR,
  stepMinor: 100n,
};

const HASH_BITS = 52n;
const HASHES = 1n << HASH_BITS;
const HASH_HEX_DIGITS = 13;
const RETURN_PERCENT = 99n;
const SALT = /^[\x21-\x7e]{1,128}$/;

/**
 * How a chain makes a crash from a seed: 2 hashes the bytes of its digits, as public verifiers do.
 * Chains of earlier versions have form 1, which hashes the digits as text.
 */
export type ChainForm = 1 | 2;
export const CHAIN_FORM: ChainForm = 2;

/**
 * @param seed the round's link of the chain, 64 hexadecimal digits.
 * @param salt the text that was published with the chain's end: 1 to 128 visible ASCII characters.
 * @throws Error when either is malformed.
 */
export function crashHundredths(seed: string, salt: string, form: ChainForm): number {
  assert(isServerSeed(seed), "a seed is 64 hexadecimal digits");
  assert(isSalt(salt), "a salt is 1 to 128 visible ASCII characters");
  const message = form === 1 ? utf8ToBytes(seed) : hexToBytes(seed);
  const digest = bytesToHex(hmac(sha256, utf8ToBytes(salt), message));
  return crashOfHash(BigInt(`0x${digest.slice(0, HASH_HEX_DIGITS)}`));
}

/** @param hash the 52 bits: 0 to 2^52 - 1. */
export function crashOfHash(hash: bigint): number {
  assert(hash >= 0n && hash < HASHES, "the hash has 52 bits");
  const hundredths = (RETURN_PERCENT * HASHES) / (HASHES - hash);
  if (hundredths < BigInt(MIN_CRASH_HUNDREDTHS)) return MIN_CRASH_HUNDREDTHS;
  if (hundredths > BigInt(MAX_CRASH_HUNDREDTHS)) return MAX_CRASH_HUNDREDTHS;
  return Number(hundredths);
}

/** P(crash >= target), exactly. */
export function chanceOfReaching(targetHundredths: number): Rational {
  assertTarget(targetHundredths);
  return rational((RETURN_PERCENT * HASHES) / BigInt(targetHundredths), HASHES);
}

/** The rule's return at every target; 52 bits fall short of it by less than 10^-11. */
export const SARANGGOLA_RETURN: Rational = rational(RETURN_PERCENT, 100n);

export const saranggolaTerms: GameTerms = {
  stake: SARANGGOLA_STAKE,
  returnToPlayer: () => SARANGGOLA_RETURN,
};

/**
 * Seeds in the order of play. Each is the SHA-256 of the next one's text, so they are made
 * backwards from the last; publishing `seedHash(chain[0])` before the first round fixes them all.
 * @param hash what `seedHash` does, where a machine's own SHA-256 is quicker
 */
export function seedChain(lastSeed: string, length: number, hash = seedHash): string[] {
  assert(isServerSeed(lastSeed), "a seed is 64 hexadecimal digits");
  assert(Number.isInteger(length) && length >= 1 && length <= MAX_CHAIN, "a chain has 1 to 10^7");
  const chain = [lastSeed];
  for (let seed = lastSeed; chain.length < length; ) {
    seed = hash(seed);
    chain.push(seed);
  }
  return chain.reverse();
}

const MAX_CHAIN = 10_000_000;

/** The facts published about a chain before its first flight; they fix all its flights. */
export interface ChainCommitment {
  readonly chainId: string;
  readonly form: ChainForm;
  /** The place of the first flight that this fixes: 0, except for chains of earlier versions. */
  readonly firstIndex: number;
  /** The SHA-256 of the seed in that place, as `seedHash` gives it. */
  readonly firstHash: string;
  readonly salt: string;
  /** The number of seeds in the chain, including those before `firstIndex`. */
  readonly length: number;
  /** When it was signed, in milliseconds since 1970. */
  readonly committedAt: number;
}

/** The signed text, one figure per line: the public key is enough to check it without our code. */
export function commitmentText(commitment: ChainCommitment): string {
  const { chainId, form, firstIndex, firstHash, salt, length, committedAt } = commitment;
  return [
    "perya saranggola chain",
    `chain ${chainId}`,
    `form ${form}`,
    `first index ${firstIndex}`,
    `first hash ${firstHash}`,
    `salt ${salt}`,
    `length ${length}`,
    `committed at ${committedAt}`,
  ].join("\n");
}

/** Whether a seed in this place, hashed back to the chain's first, gives that one's hash. */
export function isInChain(
  seed: string,
  index: number,
  chain: Pick<ChainCommitment, "firstIndex" | "firstHash" | "length">,
): boolean {
  const { firstIndex, firstHash, length } = chain;
  if (!isServerSeed(seed) || !Number.isInteger(index) || length > MAX_CHAIN) return false;
  // A place below the first does not exist, and the loop would count down to it for ever.
  if (!(firstIndex >= 0) || index < firstIndex || index >= length) return false;
  let hash = seedHash(seed);
  for (let place = index; place > firstIndex; place--) hash = seedHash(hash);
  return hash === firstHash;
}

export function isSalt(text: unknown): text is string {
  return typeof text === "string" && SALT.test(text);
}

/** The flight: e^(k t), k = 0.00006 per millisecond, so 2× after 11.6 s and 10× after 38.4 s. */
const GROWTH_NUMERATOR = 6n;
const GROWTH_DENOMINATOR = 100_000n;

/** When the flight reaches 10,000.00×, where every flight ends. */
export const LONGEST_FLIGHT_MS = 153_506;

/**
 * floor(100 × e^(0.00006 × elapsedMs)), from 100 up to the cap. Computed in integers, since engines
 * may differ in the last bits of `Math.exp`, and phone and server must agree.
 * @param elapsedMs since take-off; fractions are cut off, and before take-off the result is 100.
 */
export function multiplierAt(elapsedMs: number): number {
  const ms = Math.floor(elapsedMs);
  if (ms <= 0) return MIN_CRASH_HUNDREDTHS;
  if (ms >= LONGEST_FLIGHT_MS) return MAX_CRASH_HUNDREDTHS;
  const exponent = (BigInt(ms) * GROWTH_NUMERATOR * ONE) / GROWTH_DENOMINATOR;
  return Number((100n * exponential(exponent)) / ONE);
}

/** The first whole millisecond at which `multiplierAt` is at least this; 0 for 100. */
export function elapsedAtMs(hundredths: number): number {
  assert(
    Number.isInteger(hundredths) &&
      hundredths >= MIN_CRASH_HUNDREDTHS &&
      hundredths <= MAX_CRASH_HUNDREDTHS,
    "a multiplier is 100 to 1,000,000 hundredths",
  );
  let low = 0;
  let high = LONGEST_FLIGHT_MS;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (multiplierAt(middle) >= hundredths) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * When the string snaps: the first millisecond whose multiplier is past the crash. A flight that
 * crashes at 1.00× ends at take-off; one at the cap ends in the millisecond that reaches it.
 */
export function flightEndsAtMs(crash: number): number {
  if (crash === MIN_CRASH_HUNDREDTHS) return 0;
  return elapsedAtMs(Math.min(crash + 1, MAX_CRASH_HUNDREDTHS));
}

/** Stake × multiplier, a fraction of a minor unit cut off. */
export function cashOutMinor(stakeMinor: bigint, hundredths: number): bigint {
  return payOutMinor(stakeMinor, hundredths, 100);
}

export interface Ride {
  readonly stakeMinor: bigint;
  /** The target set before take-off, or null. */
  readonly autoHundredths: number | null;
  /** `multiplierAt` of the moment when a cash-out by hand reached the server, or null. */
  readonly manualHundredths: number | null;
}

export interface RideResult {
  /** The multiplier of the cash-out; null for a stake that was lost with the flight. */
  readonly cashedHundredths: number | null;
  readonly payoutMinor: bigint;
}

/**
 * The earliest of hand, target and cap counts, if the flight was still up: multiplier <= crash. So
 * each way to leave has the same 1% edge, and nobody leaves at 1.00×.
 */
export function settleRide(ride: Ride, crash: number): RideResult {
  assert(fitsRule(ride.stakeMinor, SARANGGOLA_STAKE), "the stake fits the rule");
  const leavesAt = Math.min(
    ride.autoHundredths ?? MAX_CRASH_HUNDREDTHS,
    ride.manualHundredths ?? MAX_CRASH_HUNDREDTHS,
  );
  assertTarget(leavesAt);
  if (leavesAt > crash) return { cashedHundredths: null, payoutMinor: 0n };
  return { cashedHundredths: leavesAt, payoutMinor: cashOutMinor(ride.stakeMinor, leavesAt) };
}

/** A cash-out multiplier in hundredths, or null. */
export function readTarget(field: string, raw: unknown): Result<number | null, FieldError> {
  if (raw === null) return ok(null);
  if (typeof raw !== "number" || !Number.isInteger(raw)) {
    return refuse({ field, code: "bad_format" });
  }
  if (raw < MIN_CASH_OUT_HUNDREDTHS) {
    return refuse({ field, code: "too_small", limit: `${MIN_CASH_OUT_HUNDREDTHS}` });
  }
  if (raw > MAX_CRASH_HUNDREDTHS) {
    return refuse({ field, code: "too_big", limit: `${MAX_CRASH_HUNDREDTHS}` });
  }
  return ok(raw);
}

/** Fixed-point numbers with 160 bits after the point. */
const ONE = 1n << 160n;
const HALVINGS = 5n;

/**
 * e^x for 0 <= x < 10 in fixed point: e^(x/32) by its series, then squared five times. The error
 * stays far below 2^-120, and the curve comes no nearer than 2^-24 to a whole hundredth in any
 * millisecond (tested), so the floor is exact.
 */
function exponential(x: bigint): bigint {
  const part = x >> HALVINGS;
  let sum = ONE;
  for (let term = ONE, n = 1n; term > 0n; n++) {
    term = (term * part) / (ONE * n);
    sum += term;
  }
  for (let i = 0n; i < HALVINGS; i++) sum = (sum * sum) / ONE;
  return sum;
}

function assertTarget(hundredths: number): void {
  assert(
    Number.isInteger(hundredths) &&
      hundredths >= MIN_CASH_OUT_HUNDREDTHS &&
      hundredths <= MAX_CRASH_HUNDREDTHS,
    "a cash-out is 101 to 1,000,000 hundredths",
  );
}
