import type { Body } from "@perya/client/api";
import { accountRules, type Faults } from "../../parts/account/account-rules.ts";
import type { FieldFaults } from "../../parts/account/form-faults.ts";
import type { SecurityState } from "./safety.ts";

export interface PaymentValues {
  /** What shows whose account it is. */
  proof: string;
  paymentPassword: string;
  again: string;
}

/** By what a payment password is set; `login`: an account with nothing but its log-in. */
export type PaymentProof = "current" | "password" | "code" | "login";

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
    paymentPassword: sixDigits(paymentPassword),
    again: accountRules.confirmation(again, paymentPassword, "auth.confirm_mismatch"),
  };
}

export function paymentBody(
  { proof, paymentPassword }: PaymentValues,
  by: PaymentProof,
): Body<"POST /api/v1/member/payment-password"> {
  return by === "login" ? { paymentPassword } : { paymentPassword, [by]: proof.trim() };
}

function proofFaults(proof: string, by: PaymentProof): Faults {
  switch (by) {
    case "current":
      return sixDigits(proof);
    case "password":
      return accountRules.loginPassword(proof);
    case "code":
      return /^\d*$/.test(proof.trim())
        ? accountRules.authenticatorCode(proof.trim())
        : accountRules.recoveryCode(proof);
    case "login":
      return [];
  }
}

function sixDigits(given: string): Faults {
  return /^\d{6}$/.test(given) ? [] : [{ id: "auth.paymentPassword_format" }];
}
