import type { Caller } from "@perya/contract/call";
import { type Refusal, refusal } from "@perya/contract/refusal";
import type { Instant } from "@perya/kernel/instant";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@perya/kernel/instant";
import type { Currency } from "@perya/kernel/money";
import type { Merchant } from "../../brand/brand.ts";

/** Who is calling, as every module behind the login sees it. */
export interface Session {
  readonly id: string;
  readonly merchantId: string;
  readonly memberId: string;
  readonly username: string;
  readonly nickname: string | null;
  readonly type: number;
  readonly caller: Caller;
  /** Of the wallet that this session plays with: FUN for free play, else the brand's. */
  readonly currency: Currency;
  /** A blocked player may not bet or pay; wins and refunds still arrive. */
  readonly blocked: boolean;
  readonly createdAt: Instant;
}

/** How the player of a session proved who they are. */
export type SessionMethod = "password" | "sms" | "google" | "facebook" | "passkey" | "trial";

/** The type of a member who registers. */
export const MEMBER_TYPE = 0;
export const TRIAL_TYPE = 4;

/** A session ends this long after it was last used … */
export const SESSION_IDLE_MS = 12 * HOUR_MS;
/** … and this long after its login in any case. */
export const SESSION_ABSOLUTE_MS = 30 * DAY_MS;

/** The most sensitive calls need a proof of who plays that is no older than this. */
export const FRESH_MS = 10 * MINUTE_MS;

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
