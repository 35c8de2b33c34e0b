import type { Caller } from "@perya/contract/call";
import { DAY_MS, HOUR_MS, type Instant, MINUTE_MS } from "@perya/kernel/instant";
import type { Currency } from "@perya/kernel/money";

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

/** Whose rows they are: a table of a member's own things is keyed by both. */
export type MemberKey = Pick<Session, "merchantId" | "memberId">;

/** The member of a session and the session itself, as rows name them. */
export function ownerIn({ id: sessionId, memberId }: Session) {
  return { sessionId, memberId };
}

export type SessionMethod = "password" | "sms" | "google" | "facebook" | "passkey" | "trial";

/** A session ends this long after it was last used … */
export const SESSION_IDLE_MS = 12 * HOUR_MS;
/** … and this long after its login in any case. */
export const SESSION_ABSOLUTE_MS = 30 * DAY_MS;

/** The most sensitive calls need a proof of who plays that is no older than this. */
export const FRESH_MS = 10 * MINUTE_MS;
