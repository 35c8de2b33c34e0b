/**
 * How games read stakes from a player, and the one rule that turns them into payouts. Games know no
 * currency: they count minor units, and only the wallet knows of which currency.
 */
import { scaleMinor } from "@perya/kernel/money";
import { ok, type Result, refuse } from "@perya/kernel/result";

export interface StakeRule {
  readonly minMinor: bigint;
  readonly maxMinor: bigint;
  /** Stakes are multiples of this. */
  readonly stepMinor: bigint;
}

/**
 * A technical ceiling (a billion pesos), so that the largest payout of any game fits the database's
 * `bigint`. The brand's setting for players lies far below it.
 */
export const MAX_STAKE_MINOR = 100_000_000_000n;

/** Without a text, by the contract's words (`FieldFaultCode`); `limit` is the one that was missed. */
export type FieldError = {
  /** A path such as `bets.red`; empty for the choices as a whole. */
  readonly field: string;
} & (
  | { readonly code: "too_small" | "too_big" | "not_multiple"; readonly limit: string }
  | {
      readonly code: "required" | "wrong_type" | "unknown_field" | "bad_format";
      readonly limit?: undefined;
    }
);

export type FieldErrors = readonly FieldError[];

const AMOUNT = /^(0|[1-9]\d{0,17})$/;

/** Reads a decimal string of minor units, the form of amounts in JSON. */
export function readStake(
  field: string,
  raw: unknown,
  rule: StakeRule,
): Result<bigint, FieldError> {
  if (raw === undefined || raw === null) return refuse({ field, code: "required" });
  if (typeof raw !== "string" || !AMOUNT.test(raw)) return refuse({ field, code: "bad_format" });
  const minor = BigInt(raw);
  const { minMinor, maxMinor, stepMinor } = rule;
  if (minor < minMinor) return refuse({ field, code: "too_small", limit: `${minMinor}` });
  if (minor > maxMinor) return refuse({ field, code: "too_big", limit: `${maxMinor}` });
  if (minor % stepMinor !== 0n) {
    return refuse({ field, code: "not_multiple", limit: `${stepMinor}` });
  }
  return ok(minor);
}

export function fitsRule(minor: bigint, { minMinor, maxMinor, stepMinor }: StakeRule): boolean {
  return minor >= minMinor && minor <= maxMinor && minor % stepMinor === 0n;
}

/** The largest multiple of the rule's step that is no more than this. */
export function wholeSteps(minor: bigint, { stepMinor }: StakeRule): bigint {
  return minor - (minor % stepMinor);
}

/** `stake × numerator ÷ denominator`, rounded down to a minor unit, in the house's favour. */
export function payOutMinor(stakeMinor: bigint, numerator: number, denominator = 1): bigint {
  return scaleMinor(stakeMinor, BigInt(numerator), BigInt(denominator), "down");
}

/** A plain object with only the named fields, or what is wrong with it. */
export function readFields(
  field: string,
  raw: unknown,
  known: readonly string[],
): Result<Readonly<Record<string, unknown>>, FieldErrors> {
  if (typeof raw !== "object" || raw === null || Array.isArray(raw)) {
    return refuse([{ field, code: raw === undefined ? "required" : "wrong_type" }]);
  }
  const fields = Object.entries(raw);
  const prefix = field === "" ? "" : `${field}.`;
  const unknown = fields.filter(([name]) => !known.includes(name)).slice(0, MAX_ERRORS);
  if (unknown.length > 0) {
    return refuse(unknown.map(([name]) => ({ field: prefix + name, code: "unknown_field" })));
  }
  return ok(Object.fromEntries(fields));
}

const MAX_ERRORS = 10;
