import type { FieldFault } from "@perya/contract/refusal";
import { fitsPattern, type Merchant, registerField } from "../../brand/brand.ts";
import { isTooCommon } from "./common-passwords.ts";

export interface NewPassword {
  readonly newPassword: string;
  /** Absent if the form has no second field. */
  readonly confirmNewPassword?: string;
}

/** No brand's pattern allows less (ASVS 5.0, 6.2.1); counted in characters as people see them. */
const FEWEST_CHARACTERS = 8;

/** What is wrong with a chosen password, by the brand's rule and by the rules for every brand. */
export function passwordFault(
  merchant: Merchant,
  username: string,
  field: "password" | "newPassword",
  password: string,
): FieldFault[] {
  const rule = registerField(merchant, "password");
  if (password === "") return [{ field, code: "required" }];
  if (rule !== null && password.length > rule.maxLength) {
    return [{ field, code: "too_long", limit: String(rule.maxLength) }];
  }
  if ([...password].length < FEWEST_CHARACTERS) {
    return [{ field, code: "too_short", limit: String(FEWEST_CHARACTERS) }];
  }
  if (rule !== null && !fitsPattern(rule, password)) return [{ field, code: "bad_format" }];
  const common = isTooCommon(password, [username, merchant.name]);
  return common ? [{ field, code: "too_common" }] : [];
}

/** The same for a member who sets another one. */
export function newPasswordFaults(
  merchant: Merchant,
  username: string,
  { newPassword, confirmNewPassword = newPassword }: NewPassword,
): FieldFault[] {
  const faults = passwordFault(merchant, username, "newPassword", newPassword);
  if (confirmNewPassword !== newPassword) {
    faults.push({ field: "confirmNewPassword", code: "mismatch" });
  }
  return faults;
}
