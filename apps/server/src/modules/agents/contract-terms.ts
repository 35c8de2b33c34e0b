import type { ContractKind, DIVIDEND_PERIODS } from "@perya/contract/agents";
import type { FieldFault, LimitUnit, PlainFaultCode } from "@perya/contract/refusal";
import { present } from "@perya/kernel/assert";
import type { Currency, Money } from "@perya/kernel/money";
import { ok, type Result, refuse } from "@perya/kernel/result";
import type { Merchant } from "../brand/brand.ts";

export type DividendPeriod = (typeof DIVIDEND_PERIODS)[number];

/** What is paid from a certain figure of the team on, with a minimum of members who played. */
interface Tier {
  /** Turnover of a day or an hour; for dividends what the team lost in the period. Minor units. */
  readonly fromMinor: bigint;
  readonly activeMembers: number;
  /** Of that turnover or loss; null for hourly salaries. */
  readonly basisPoints: number | null;
  /** For each such hour, minor units; null for a share. */
  readonly amountMinor: bigint | null;
}

export interface Terms {
  readonly kind: ContractKind;
  readonly period: DividendPeriod | null;
  readonly currency: Currency;
  /** Rising; the highest tier that is reached counts. */
  readonly tiers: readonly Tier[];
}

export interface GivenTerms {
  readonly kind: ContractKind;
  readonly period?: DividendPeriod | undefined;
  readonly tiers: readonly {
    readonly from: Money;
    readonly activeMembers: number;
    readonly basisPoints?: number | undefined;
    readonly amount?: Money | undefined;
  }[];
}

/**
 * The terms, or every fault in them: only a dividend has a period; only an hourly salary is an
 * amount, all else a share; the currency is the brand's; a tier begins above the one before,
 * requires no fewer members and pays no less.
 */
export function readTerms(merchant: Merchant, given: GivenTerms): Result<Terms, FieldFault[]> {
  const { kind, period = null } = given;
  const { currency } = merchant;
  const faults: FieldFault[] = [];
  const fault = (field: string, code: PlainFaultCode) => faults.push({ field, code });
  const below = (field: string, limit: bigint | number, unit?: LimitUnit) =>
    faults.push({ field, code: "too_small", limit: `${limit}`, ...(unit && { unit }) });
  if (kind === "dividend" && period === null) fault("period", "required");
  if (kind !== "dividend" && period !== null) fault("period", "not_allowed");
  const [wanted, unwanted] =
    kind === "hourly" ? (["amount", "basisPoints"] as const) : (["basisPoints", "amount"] as const);
  const tiers = given.tiers.map((tier, at): Tier => {
    const { from, activeMembers, basisPoints, amount } = tier;
    if (tier[wanted] === undefined) fault(`tiers.${at}.${wanted}`, "required");
    if (tier[unwanted] !== undefined) fault(`tiers.${at}.${unwanted}`, "not_allowed");
    for (const [name, money] of Object.entries({ from, amount })) {
      if (money !== undefined && money.currency !== currency) {
        fault(`tiers.${at}.${name}.currency`, "foreign_currency");
      }
    }
    return {
      fromMinor: from.minor,
      activeMembers,
      basisPoints: basisPoints ?? null,
      amountMinor: amount === undefined ? null : amount.minor,
    };
  });
  for (const [at, tier] of tiers.entries()) {
    const before = tiers[at - 1];
    if (before === undefined) continue;
    if (tier.fromMinor <= before.fromMinor) {
      below(`tiers.${at}.from.minor`, before.fromMinor + 1n, currency);
    }
    if (tier.activeMembers < before.activeMembers) {
      below(`tiers.${at}.activeMembers`, before.activeMembers);
    }
    if (payOf(tier) < payOf(before)) {
      below(payField(kind, at), payOf(before), payUnit({ kind, currency }));
    }
  }
  return faults.length === 0 ? ok({ kind, period, currency, tiers }) : refuse(faults);
}

/**
 * The terms that exceed the giver's own, who would pay the difference: a dividend over another
 * period, or a tier that pays more than theirs does at the same point.
 */
export function beyondOwn(terms: Terms, own: Terms): FieldFault[] {
  if (terms.period !== own.period) return [{ field: "period", code: "not_allowed" }];
  return terms.tiers.flatMap((tier, at): FieldFault[] => {
    const most = own.tiers.findLast(
      (one) => one.fromMinor <= tier.fromMinor && one.activeMembers <= tier.activeMembers,
    );
    if (most === undefined) return [belowOwn(tier, at, own)];
    return beyond(terms, at, tier, payOf(most));
  });
}

export function beyondBrand(terms: Terms, { settings }: Merchant): FieldFault[] {
  const { dailyMaxBasisPoints, dividendMaxBasisPoints, hourlyMaxMinor } = settings.contracts;
  const most = {
    daily: BigInt(dailyMaxBasisPoints),
    dividend: BigInt(dividendMaxBasisPoints),
    hourly: hourlyMaxMinor,
  }[terms.kind];
  return terms.tiers.flatMap((tier, at) => beyond(terms, at, tier, most));
}

export function isSameTerms(one: Terms, other: Terms): boolean {
  return (
    one.kind === other.kind &&
    one.period === other.period &&
    one.currency === other.currency &&
    one.tiers.length === other.tiers.length &&
    one.tiers.every((tier, at) => {
      const beside = other.tiers[at];
      return (
        tier.fromMinor === beside?.fromMinor &&
        tier.activeMembers === beside.activeMembers &&
        tier.basisPoints === beside.basisPoints &&
        tier.amountMinor === beside.amountMinor
      );
    })
  );
}

/** A tier that would pay before the giver is paid anything. */
function belowOwn(tier: Tier, at: number, { tiers, currency }: Terms): FieldFault {
  const { fromMinor, activeMembers } = present(tiers[0], "the first tier of a contract");
  const code = "too_small";
  return tier.fromMinor < fromMinor
    ? { field: `tiers.${at}.from.minor`, code, limit: `${fromMinor}`, unit: currency }
    : { field: `tiers.${at}.activeMembers`, code, limit: `${activeMembers}` };
}

function beyond(terms: Terms, at: number, tier: Tier, most: bigint): FieldFault[] {
  if (payOf(tier) <= most) return [];
  const field = payField(terms.kind, at);
  return [{ field, code: "too_big", limit: `${most}`, unit: payUnit(terms) }];
}

/** Basis points or minor units: the same within one kind of contract. */
function payOf({ basisPoints, amountMinor }: Tier): bigint {
  return amountMinor ?? BigInt(basisPoints ?? 0);
}

function payField(kind: ContractKind, at: number): string {
  return kind === "hourly" ? `tiers.${at}.amount.minor` : `tiers.${at}.basisPoints`;
}

function payUnit({ kind, currency }: Pick<Terms, "kind" | "currency">): LimitUnit {
  return kind === "hourly" ? currency : "basis_points";
}
