import { accountRules } from "../../parts/account/account-rules.ts";
import type { FieldFaults } from "../../parts/account/form-faults.ts";

export interface PaymentValues {
  paymentPassword: string;
  again: string;
}

/** Six digits, and the same ones again; which ones are too easy the server knows. */
export function paymentFaults({
  paymentPassword,
  again,
}: PaymentValues): FieldFaults<PaymentValues> {
  return {
    paymentPassword: /^\d{6}$/.test(paymentPassword) ? [] : [{ id: "auth.paymentPassword_format" }],
    again: accountRules.confirmation(again, paymentPassword, "auth.confirm_mismatch"),
  };
}
