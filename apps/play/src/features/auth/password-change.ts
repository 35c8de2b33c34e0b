import type { Body } from "@perya/client/api";
import { accountRules, type FieldRule } from "../../parts/account/account-rules.ts";
import type { FieldFaults } from "../../parts/account/form-faults.ts";

export interface PasswordValues {
  oldPassword: string;
  newPassword: string;
  confirmNewPassword: string;
}

/** `asksOld`: this page holds no password of its own, so the old one is typed. */
export function passwordFaults(
  values: PasswordValues,
  { asksOld, rule }: { readonly asksOld: boolean; readonly rule: FieldRule | undefined },
): FieldFaults<PasswordValues> {
  const skipsOld = !asksOld && values.oldPassword === "";
  return {
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

/** `held` is the password that opened this session; an account without any sends no old one. */
export function passwordBody(
  { oldPassword, newPassword, confirmNewPassword }: PasswordValues,
  held: string | null,
): Body<"POST /api/v1/auth/password"> {
  const old = held ?? oldPassword;
  return { ...(old === "" ? {} : { oldPassword: old }), newPassword, confirmNewPassword };
}

/** Validated first, then compared, and only then sent (specification, accounts §2.6). */
export function isSamePassword(values: PasswordValues, held: string | null): boolean {
  return values.newPassword === (held ?? values.oldPassword);
}
