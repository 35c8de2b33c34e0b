import type { FieldFault } from "@perya/contract/refusal";
import type { Instant } from "@perya/kernel/instant";
import { businessDay } from "@perya/kernel/instant";
import { type Merchant, registerField } from "../brand/brand.ts";
import type { Registration } from "./identity.ts";

/** Fields whose pattern is the brand's; the others have rules of their own below. */
const PATTERNED = ["username", "password", "nickname", "email", "affiliateCode"] as const;

/** Every fault of a registration, by the brand's settings; an empty optional field passes. */
export function registrationFaults(
  merchant: Merchant,
  registration: Registration,
  now: Instant,
): FieldFault[] {
  const faults: FieldFault[] = [];
  for (const name of PATTERNED) {
    const fault = patternFault(merchant, name, registration[name] ?? "");
    if (fault !== null) faults.push(fault);
  }
  if (registration.password !== registration.confirmPassword) {
    faults.push({ field: "confirmPassword", code: "mismatch" });
  }
  const birthday = birthdayFault(merchant, registration.birthday ?? "", now);
  if (birthday !== null) faults.push(birthday);
  return faults;
}

function patternFault(merchant: Merchant, name: string, value: string): FieldFault | null {
  const rule = registerField(merchant, name);
  if (rule === null) return value === "" ? null : { field: name, code: "not_allowed" };
  if (value === "") return rule.required ? { field: name, code: "required" } : null;
  if (value.length > rule.maxLength) {
    return { field: name, code: "too_long", limit: String(rule.maxLength) };
  }
  const matches = new RegExp(`^(?:${rule.pattern})$`, "u").test(value);
  return matches ? null : { field: name, code: "bad_format" };
}

function birthdayFault(merchant: Merchant, birthday: string, now: Instant): FieldFault | null {
  const rule = registerField(merchant, "birthday");
  if (birthday === "") {
    return rule?.required === true ? { field: "birthday", code: "required" } : null;
  }
  if (rule === null) return { field: "birthday", code: "not_allowed" };
  const today = businessDay(now, merchant.zone);
  const { minimumAge } = merchant.settings;
  // ISO days compare as text: the birthday must lie on or before today, minimumAge years ago.
  const latest = `${Number(today.slice(0, 4)) - minimumAge}${today.slice(4)}`;
  if (birthday < "1900-01-01") return { field: "birthday", code: "bad_format" };
  return birthday > latest
    ? { field: "birthday", code: "too_small", limit: String(minimumAge) }
    : null;
}
