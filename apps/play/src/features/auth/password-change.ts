import type { Body } from "@perya/client/api";
import { accountRules, type Faults } from "../../parts/account/account-rules.ts";
import type { FieldRule } from "../../parts/forms/field-rule.ts";
import type { FieldFaults } from "../../parts/forms/form-faults.ts";

export interface PasswordValues {
  oldPassword: string;
  /** From the authenticator app, or the payment password. */
  code: string;
  newPassword: string;
  confirmNewPassword: string;
}

/**
 * What the player types to prove ownership of the account: the old password, unless this page holds
 * one typed at the log-in. An account without a password needs a code of the second factor, else
 * the payment password.
 */
export type Asked = "old" | "code" | "payment" | "nothing";

export function passwordFaults(
  values: PasswordValues,
  { asks, rule }: { readonly asks: Asked; readonly rule: FieldRule | undefined },
): FieldFaults<PasswordValues> {
  const skipsOld = asks !== "old" && values.oldPassword === "";
  return {
    code: proofFaults(values.code.trim(), asks),
    oldPassword: skipsOld ? [] : accountRules.loginPassword(values.oldPassword),
    newPassword: accountRules.password(values.newPassword, rule),
    confirmNewPassword:
      values.confirmNewPassword === ""
        ? [{ id: "auth.password_required" }]
        : accountRules.confirmation(
            values.confirmNewPassword,
            values.newPassword,
            "auth.confirm_correct",
          ),
  };
}

function proofFaults(code: string, asks: Asked): Faults {
  if (asks === "payment") return accountRules.paymentPassword(code);
  return asks === "code" ? accountRules.authenticatorCode(code) : [];
}

/**
 * `held` is the password that was typed to open this session; an account without a password sends
 * no old one.
 */
export function passwordBody(
  { oldPassword, code, newPassword, confirmNewPassword }: PasswordValues,
  { asks, held }: { readonly asks: Asked; readonly held: string | null },
): Body<"POST /api/v1/auth/password"> {
  const old = held ?? oldPassword;
  const proof = old !== "" ? { oldPassword: old } : asks === "code" ? { code: code.trim() } : {};
  return { ...proof, newPassword, confirmNewPassword };
}

/** Validated first, then compared, and only then sent (specification, accounts §2.6). */
export function isSamePassword(values: PasswordValues, held: string | null): boolean {
  return values.newPassword === (held ?? values.oldPassword);
}
