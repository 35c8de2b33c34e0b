import type { FieldFault } from "@perya/contract/refusal";
import { type Merchant, registerField } from "../brand/brand.ts";
import { isTooCommon } from "./common-passwords.ts";

export interface NewPassword {
  readonly newPassword: string;
  /** Absent where the form has no second field. */
  readonly confirmNewPassword?: string;
}

/** What is wrong with a password that a member wants, by the brand's rule for registration. */
export function newPasswordFaults(
  merchant: Merchant,
  username: string,
  { newPassword, confirmNewPassword = newPassword }: NewPassword,
): FieldFault[] {
  const faults: FieldFault[] = [];
  const rule = registerField(merchant, "password");
  if (rule !== null && newPassword.length > rule.maxLength) {
    faults.push({ field: "newPassword", code: "too_long", limit: String(rule.maxLength) });
  } else if (rule !== null && !new RegExp(`^(?:${rule.pattern})$`, "u").test(newPassword)) {
    faults.push({ field: "newPassword", code: "bad_format" });
  } else if (isTooCommon(newPassword, username)) {
    faults.push({ field: "newPassword", code: "too_common" });
  }
  if (confirmNewPassword !== newPassword) {
    faults.push({ field: "confirmNewPassword", code: "mismatch" });
  }
  return faults;
}
