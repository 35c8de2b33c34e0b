import type { Call, OperatorCaller } from "./call.ts";
import { shownLine } from "./wire.ts";

/** What an operator may be let do; each call of theirs asks for one of them. */
export const OPERATOR_PERMISSIONS = [
  /** Deposits that players paid by hand: see, confirm, refuse. */
  "deposits",
  /** Withdrawals that the rule left to a person: see, approve, reject. */
  "withdrawals",
  /** Pay-outs that are made by hand: see, claim, mark as paid or failed. */
  "payouts",
  /** The second pair of eyes on large pay-outs that another marked. */
  "payouts.confirm",
  /** Wins of outside vendors beyond their bounds: see, let go, refuse. */
  "wins",
  /** The second pair of eyes on large wins that another would let go. */
  "wins.confirm",
  /** What operators did. */
  "audit",
] as const;
export type OperatorPermission = (typeof OPERATOR_PERMISSIONS)[number];

/** The permission that a call asks of an operator; null where it is none of theirs. */
export function permissionOf({ callers }: Pick<Call, "callers">): OperatorPermission | null {
  const caller = callers.find((one): one is OperatorCaller => one.startsWith("operator:"));
  const named = caller?.slice("operator:".length);
  return OPERATOR_PERMISSIONS.find((one) => one === named) ?? null;
}

/** What an operator says to a player; they read it as it stands. */
export const operatorReason = shownLine.min(3).max(200);
