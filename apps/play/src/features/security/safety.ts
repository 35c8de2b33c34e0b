import type { Reply } from "@perya/client/api";

export type SecurityState = Reply<"GET /api/v1/member/security">;

/** The props of each sheet of the security centre. */
export interface SecuritySheet {
  readonly state: SecurityState;
  readonly close: () => void;
}

/** The account's safeguards, in the order in which they are offered. */
export const SAFEGUARDS = ["password", "email", "mobile", "secondFactor", "payment"] as const;
type Safeguard = (typeof SAFEGUARDS)[number];

export interface Safety {
  readonly level: "weak" | "fair" | "strong";
  readonly set: readonly Safeguard[];
  readonly missing: readonly Safeguard[];
}

/**
 * How safe an account is. A passkey counts as a second factor, because it replaces both. Without a
 * second factor or a way to recover the password an account is weak, even if all else is set.
 */
export function safetyOf(state: SecurityState): Safety {
  const isSet: Readonly<Record<Safeguard, boolean>> = {
    password: state.hasPassword,
    email: state.email?.verified === true,
    mobile: state.mobile?.verified === true,
    secondFactor: state.totp.enabled || state.passkeys.length > 0,
    payment: state.hasPaymentPassword,
  };
  const missing = SAFEGUARDS.filter((one) => !isSet[one]);
  const recoverable = isSet.email || isSet.mobile;
  const fair = isSet.secondFactor && recoverable;
  return {
    level: missing.length === 0 ? "strong" : fair ? "fair" : "weak",
    set: SAFEGUARDS.filter((one) => isSet[one]),
    missing,
  };
}
