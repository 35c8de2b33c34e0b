import type { Body } from "@perya/client/api";
import { accountRules, type Faults } from "../../parts/account/account-rules.ts";
import type { FieldFaults } from "../../parts/forms/form-faults.ts";
import type { SecurityState } from "./safety.ts";

export interface PaymentValues {
  /** What shows whose account it is. */
  proof: string;
  paymentPassword: string;
  again: string;
}

/** By what its owner is known; `login`: an account with nothing but its log-in. */
export type OwnerProof = "code" | "password" | "paymentPassword" | "login";

/** The strongest of what the account has, which is the one that the server takes. */
export function ownerProofOf(state: SecurityState): OwnerProof {
  if (state.totp.enabled) return "code";
  if (state.hasPassword) return "password";
  return state.hasPaymentPassword ? "paymentPassword" : "login";
}

export function ownerProofFaults(proof: string, by: OwnerProof): Faults {
  return proofFaults(proof, by === "paymentPassword" ? "current" : by);
}

/** By what a payment password is set: the one before, or as its owner is known without it. */
export type PaymentProof = "current" | "password" | "code" | "login";

/** Whether anything else shows whose account it is; a fresh log-in does not. */
export function canForget(state: SecurityState): boolean {
  return state.hasPaymentPassword && ownerProofOf(state) !== "paymentPassword";
}

/** @param forgotten the player says that the one before is forgotten */
export function paymentProofOf(state: SecurityState, forgotten: boolean): PaymentProof {
  if (state.hasPaymentPassword && !forgotten) return "current";
  if (state.totp.enabled) return "code";
  return state.hasPassword ? "password" : "login";
}

/** Six digits, and the same ones again; which ones are too easy the server knows. */
export function paymentFaults(
  { proof, paymentPassword, again }: PaymentValues,
  by: PaymentProof,
): FieldFaults<PaymentValues> {
  return {
    proof: proofFaults(proof, by),
    paymentPassword: accountRules.paymentPassword(paymentPassword),
    again: accountRules.confirmation(again, paymentPassword, "auth.confirm_mismatch"),
  };
}

export function paymentBody(
  { proof, paymentPassword }: PaymentValues,
  by: PaymentProof,
): Body<"POST /api/v1/member/payment-password"> {
  if (by === "login") return { paymentPassword };
  // A code may be pasted with a space; a password's own belongs to it.
  return { paymentPassword, [by]: by === "code" ? proof.trim() : proof };
}

function proofFaults(proof: string, by: PaymentProof): Faults {
  switch (by) {
    case "current":
      return accountRules.paymentPassword(proof);
    case "password":
      return accountRules.loginPassword(proof);
    case "code":
      return accountRules.secondFactor(proof);
    case "login":
      return [];
  }
}
