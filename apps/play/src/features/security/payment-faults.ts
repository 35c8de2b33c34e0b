import type { Body } from "@perya/client/api";
import { accountRules, type Faults } from "../../parts/account/account-rules.ts";
import type { FieldFaults } from "../../parts/forms/form-faults.ts";
import type { SecurityState } from "./safety.ts";

export interface PaymentValues {
  /** The proof of the account's ownership. */
  proof: string;
  paymentPassword: string;
  again: string;
}

/** The kind of proof that identifies the owner; `login`: an account with nothing but its log-in. */
export type OwnerProof = "code" | "password" | "paymentPassword" | "login";

/** The strongest proof of the account, which is the one that the server takes. */
export function ownerProofOf(state: SecurityState): OwnerProof {
  if (state.totp.enabled) return "code";
  if (state.hasPassword) return "password";
  return state.hasPaymentPassword ? "paymentPassword" : "login";
}

export function ownerProofFaults(proof: string, by: OwnerProof): Faults {
  return proofFaults(proof, by === "paymentPassword" ? "current" : by);
}

/** The proof that sets a payment password: the current one, or the owner's other proof. */
export type PaymentProof = "current" | "password" | "code" | "login";

/** Whether another proof identifies the owner; a fresh log-in does not. */
export function canForget(state: SecurityState): boolean {
  return state.hasPaymentPassword && ownerProofOf(state) !== "paymentPassword";
}

/** @param forgotten the player says that the current one is forgotten */
export function paymentProofOf(state: SecurityState, forgotten: boolean): PaymentProof {
  if (state.hasPaymentPassword && !forgotten) return "current";
  if (state.totp.enabled) return "code";
  return state.hasPassword ? "password" : "login";
}

/** Six digits, typed twice; the server knows which ones are too easy. */
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
  // A code may be pasted with a space; spaces in a password belong to it.
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
