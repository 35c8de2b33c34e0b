import { shownLine } from "./wire.ts";

/** What an operator may be let do; each call of theirs asks for one of them, some for either of two. */
export const OPERATOR_PERMISSIONS = [
  /**
   * Deposits that players paid by hand: see, confirm, refuse. And those of a provider that a restore
   * of the database has lost: write in again.
   */
  "deposits",
  /** Withdrawals that the rule left to a person: see, approve, reject. */
  "withdrawals",
  /**
   * Pay-outs that are made by hand: see, claim, mark as paid or failed, release. And those that stick
   * at a provider: see, take over.
   */
  "payouts",
  /** The second pair of eyes on large pay-outs that another marked: see, confirm, return. */
  "payouts.confirm",
  /** Wins of outside vendors beyond their bounds: see, let go, refuse. */
  "wins",
  /** The second pair of eyes on large wins that another would let go: see, confirm. */
  "wins.confirm",
  /** What operators did. */
  "audit",
] as const;
export type OperatorPermission = (typeof OPERATOR_PERMISSIONS)[number];

/** Of a call's declaration, for which the permissions stand. */
interface Called {
  readonly callers: readonly string[];
}

/** The permissions of which a call asks an operator for one; none where it is no call of theirs. */
export function permissionsOf({ callers }: Called): readonly OperatorPermission[] {
  return OPERATOR_PERMISSIONS.filter((one) => callers.includes(`operator:${one}`));
}

export function isOperators(call: Called): boolean {
  return permissionsOf(call).length > 0;
}

/** What an operator says to a player; they read it as it stands. */
export const operatorReason = shownLine.min(3).max(200);
