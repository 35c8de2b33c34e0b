import type { HoldReason } from "@perya/contract/operator-wins";
import { businessDay, type Instant } from "@perya/kernel/instant";
import { timesMinor } from "@perya/kernel/money";
import type pg from "pg";
import type { VendorRule } from "../brand/brand.ts";
import type { Effect } from "../ledger/ledger.ts";
import type { Win } from "./wallet-calls.ts";
import { payOfDay, totalsOfWin } from "./win-bounds.store.ts";

/** The bounds of an outside vendor's win, and the member and brand of a held one. */
export interface WinBounds {
  readonly merchantId: string;
  readonly memberId: string;
  /** The brand's zone, which sets the day. */
  readonly zone: string;
  readonly rule: Pick<
    VendorRule,
    "roundPayoutMaxMinor" | "roundPayoutMaxStakes" | "dayPayoutMaxMinor"
  >;
  /** The id of the held win, if it becomes one. */
  readonly heldWinId: () => string;
}

/** Why a win has to wait for an operator now, empty if it need not; and whether it comes late. */
export interface Look {
  readonly reasons: readonly HoldReason[];
  readonly over: boolean;
}

/**
 * Checks before the win is booked, so that most are booked the right way at once. It binds nothing:
 * the conditions of the statements that book it keep the money within the bounds.
 */
export async function lookAtWin(
  pool: pg.Pool,
  { account, vendor, roundId, amount }: Win,
  { merchantId, zone, rule }: WinBounds,
  at: Instant,
): Promise<Look> {
  const of = { merchantId, vendor, roundId, day: businessDay(at, zone) };
  const totals = await totalsOfWin(pool, account, of);
  // The wallet refuses these, or answers a repeat; it pays nothing.
  if (totals === null) return { reasons: [], over: false };
  if (totals.over) return { reasons: [], over: true };
  // Nobody withdraws play money.
  if (account.currency === "FUN") return { reasons: [], over: false };
  const paid = totals.paid_minor + amount;
  const mostOfStake = timesMinor(totals.stake_minor, BigInt(rule.roundPayoutMaxStakes));
  const reasons: HoldReason[] = [];
  if (paid > rule.roundPayoutMaxMinor) reasons.push("round_amount");
  if (paid > mostOfStake) reasons.push("round_multiple");
  if (reasons.length === 0 && totals.day_minor + amount > rule.dayPayoutMaxMinor) {
    reasons.push("vendor_day");
  }
  return { reasons, over: false };
}

/** The bounds of its round, as the statement that pays the win takes them. */
export interface RoundBounds {
  readonly most_minor: string | null;
  readonly most_stakes: number | null;
}

/** Held wins, play money and the house's own games have no bounds. */
export const UNBOUND: RoundBounds = { most_minor: null, most_stakes: null };

export function roundBoundsOf({ account }: Win, { rule }: WinBounds): RoundBounds {
  if (account.currency === "FUN") return UNBOUND;
  return { most_minor: `${rule.roundPayoutMaxMinor}`, most_stakes: rule.roundPayoutMaxStakes };
}

/** What the vendor's day pays of a win that is not held. */
export function dayEffects(win: Win, bounds: WinBounds, at: Instant): readonly Effect[] {
  const { account, vendor, amount } = win;
  if (account.currency === "FUN") return [];
  const row = {
    ...{ merchant_id: bounds.merchantId, vendor, currency: account.currency },
    day: businessDay(at, bounds.zone),
    paid_minor: `${amount}`,
    most_minor: `${bounds.rule.dayPayoutMaxMinor}`,
  };
  return [{ statement: payOfDay, row }];
}
