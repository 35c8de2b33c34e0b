import type { Caller } from "@perya/contract/call";
import { type Refusal, refusal } from "@perya/contract/refusal";
import type { Merchant } from "../../brand/brand.ts";

export const MEMBER_TYPE = 0;
export const TRIAL_TYPE = 4;

/** Any other type is an operator's, who works in the office. */
const PLAYER_TYPES: ReadonlySet<number> = new Set([0, 1, 2, TRIAL_TYPE, 40, 41, 42]);

export function isPlayerType(type: number): boolean {
  return PLAYER_TYPES.has(type);
}

/**
 * Types 0 and 40 are members, 4 free play, 1, 2, 41 and 42 agents: so we read the specification.
 */
export function callerOfType(type: number): Caller {
  if (type === TRIAL_TYPE) return "trial";
  return type === 0 || type === 40 ? "member" : "agent";
}

/** Whether an account of this type may log in on a host of this kind (accounts §8). */
export function doorFault(
  merchant: Merchant,
  type: number,
  host: string | undefined,
): Refusal | null {
  if (!isPlayerType(type)) return refusal("not_member_account");
  const agentsOnly = host !== undefined && merchant.settings.agentHosts.includes(host);
  return agentsOnly && callerOfType(type) !== "agent" ? refusal("not_agent_account") : null;
}
