import { shownLine } from "./wire.ts";

/** The permissions of operators; each of their calls needs one of them, some either of two. */
export const OPERATOR_PERMISSIONS = [
  /**
   * Deposits that players paid by hand: see, confirm, refuse. Also deposits at a provider that a
   * restored database has lost: write in again.
   */
  "deposits",
  /** Withdrawals that the rule left to an operator: see, approve, reject. */
  "withdrawals",
  /**
   * Pay-outs by hand: see, claim, mark as paid or failed, release. Also pay-outs that are stuck at
   * a provider: see, take over.
   */
  "payouts",
  /** The second check of large pay-outs that another operator marked: see, confirm, return. */
  "payouts.confirm",
  /** Wins of outside vendors beyond their bounds: see, release, refuse. */
  "wins",
  /** The second check of large wins that another operator would release: see, confirm. */
  "wins.confirm",
  "audit",
] as const;
export type OperatorPermission = (typeof OPERATOR_PERMISSIONS)[number];

/** The part of a call's declaration that names permissions. */
interface Called {
  readonly callers: readonly string[];
}

/** The permissions of which a call needs one; empty for calls that operators cannot make. */
export function permissionsOf({ callers }: Called): readonly OperatorPermission[] {
  return OPERATOR_PERMISSIONS.filter((one) => callers.includes(`operator:${one}`));
}

export function isOperators(call: Called): boolean {
  return permissionsOf(call).length > 0;
}

/** An operator's reason, which the player reads unchanged. */
export const operatorReason = shownLine.min(3).max(200);
