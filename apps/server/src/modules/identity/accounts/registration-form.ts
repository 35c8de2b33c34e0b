import type { authCalls } from "@perya/contract/auth";
import type { BodyOf } from "@perya/contract/call";
import { LOGIN_USERNAME } from "@perya/contract/login-name";
import { isNameOfNumber } from "@perya/contract/number-names";
import type { FieldFault } from "@perya/contract/refusal";
import { businessDay, type Instant } from "@perya/kernel/instant";
import { ok, type Result, refuse } from "@perya/kernel/result";
import type pg from "pg";
import { fitsPattern, type Merchant, registerField } from "../../brand/brand.ts";
import { isTooCommon } from "../members/common-passwords.ts";
import { passwordFault } from "../members/new-password.ts";
import { type PhoneNumber, readMobile } from "../members/phone-numbers.ts";

type Form = BodyOf<(typeof authCalls)["PUT /api/v1/auth/register"]>;
type Own = "type" | "agreed" | "password" | "confirmPassword" | "captchaId" | "captcha";

/** What any registration may contain (accounts §2.4); the brand decides what it asks for. */
export type RegistrationFields = Partial<Omit<Form, Own>>;

export type Registration = RegistrationFields & Omit<Pick<Form, Own>, "type" | "agreed">;

export interface OutsideAccount {
  readonly email: string | null;
  /** Whether the provider has verified that the address is the player's. */
  readonly emailVerified: boolean;
  /** Written in the member's transaction. */
  readonly also: (client: pg.ClientBase, memberId: string) => Promise<void>;
}

/** Fields whose pattern is the brand's; the others have rules of their own below. */
const PATTERNED = [
  "username",
  "password",
  "paymentPassword",
  "nickname",
  "payeeName",
  "email",
  "idNumber",
  "qqNum",
  "facebook",
  "wechat",
  "line",
  "whatsapp",
  "zalo",
  "affiliateCode",
  "recommenderId",
] as const;

type Proof = "code" | "outside" | "none";

export interface ReadNumber {
  readonly number: PhoneNumber | null;
  readonly proof: Proof;
}

export function takesMembers({ settings: { registration } }: Merchant): boolean {
  return registration.username || registration.mobile;
}

/**
 * How the brand identifies a player with an external account: by that account, if it leaves the
 * choice between name and number, else by its one way.
 */
export function requiredOutside({ settings: { registration } }: Merchant) {
  return { username: !registration.mobile, mobileNum: !registration.username };
}

/**
 * The form by the brand's rules, or every fault in it; an empty optional field passes.
 * @param outside the account that replaces password and address; null for the whole form
 */
export function readForm(
  merchant: Merchant,
  form: RegistrationFields & Partial<Registration>,
  now: Instant,
  outside: OutsideAccount | null,
): Result<ReadNumber, FieldFault[]> {
  const { registration: methods } = merchant.settings;
  const chosen = form.username !== undefined;
  const byMobile = methods.mobile && (!methods.username || (!chosen && outside === null));
  const needsName = outside === null ? !byMobile : requiredOutside(merchant).username;
  const told = outside !== null && outside.email !== null;
  const called = form.username ?? form.mobileNum ?? "";
  const faults = PATTERNED.flatMap((name) => {
    if (name === "username" && !chosen) return [];
    if (name === "password") {
      return outside === null ? passwordFault(merchant, called, name, form.password ?? "") : [];
    }
    if (name === "email" && told) return form.email ? [notAsked(name)] : [];
    return patternFault(merchant, name, form[name] ?? "");
  });
  if (needsName && !chosen) faults.unshift({ field: "username", code: "required" });
  if (form.password !== form.confirmPassword) {
    faults.push({ field: "confirmPassword", code: "mismatch" });
  }
  const { paymentPassword } = form;
  const clear = faults.every(({ field }) => field !== "paymentPassword");
  if (clear && paymentPassword && isTooCommon(paymentPassword, [called, merchant.name])) {
    faults.push({ field: "paymentPassword", code: "too_common" });
  }
  faults.push(...birthdayFault(merchant, form.birthday ?? "", now));
  const read = readNumber(merchant, form, byMobile);
  if (!read.ok) faults.push(...read.error);
  return faults.length === 0 && read.ok ? read : refuse(faults);
}

function notAsked(field: string): FieldFault {
  return { field, code: "not_allowed" };
}

export function patternFault(merchant: Merchant, name: string, value: string): FieldFault[] {
  const rule = registerField(merchant, name);
  if (rule === null) return value === "" ? [] : [notAsked(name)];
  if (value === "") return rule.required ? [{ field: name, code: "required" }] : [];
  if (value.length > rule.maxLength) {
    return [{ field: name, code: "too_long", limit: String(rule.maxLength) }];
  }
  const open = name !== "username" || (LOGIN_USERNAME.test(value) && !isNameOfNumber(value));
  return open && fitsPattern(rule, value) ? [] : [{ field: name, code: "bad_format" }];
}

export function birthdayFault(merchant: Merchant, birthday: string, now: Instant): FieldFault[] {
  const rule = registerField(merchant, "birthday");
  if (birthday === "") {
    return rule?.required === true ? [{ field: "birthday", code: "required" }] : [];
  }
  if (rule === null) return [{ field: "birthday", code: "not_allowed" }];
  const today = businessDay(now, merchant.zone);
  const { minimumAge } = merchant.settings;
  // ISO days compare as text: the birthday must be on or before today, minimumAge years ago.
  const latest = `${Number(today.slice(0, 4)) - minimumAge}${today.slice(4)}`;
  if (birthday < "1900-01-01") return [{ field: "birthday", code: "bad_format" }];
  return birthday > latest
    ? [{ field: "birthday", code: "too_young", limit: String(minimumAge) }]
    : [];
}

/**
 * The number and how it is proven. By mobile there is always a code; by username only if the brand
 * has the field `messageCode`, and if that is optional, a number without a code is only claimed.
 */
function readNumber(
  merchant: Merchant,
  form: RegistrationFields,
  byMobile: boolean,
): Result<ReadNumber, FieldFault[]> {
  const { countryDialingCode, mobileNum = "", verificationCode, firebaseIdToken } = form;
  const asksCode = registerField(merchant, "messageCode");
  // By mobile it is always asked for, whatever the brand sets for the field.
  const judged = !byMobile || registerField(merchant, "mobileNum") !== null;
  const faults = judged ? patternFault(merchant, "mobileNum", mobileNum) : [];
  if (byMobile && mobileNum === "" && faults.length === 0)
    faults.push({ field: "mobileNum", code: "required" });
  if (asksCode === null && !merchant.settings.registration.mobile) {
    const proofs = { verificationCode, firebaseIdToken };
    for (const [field, given] of Object.entries(proofs)) {
      if (given !== undefined) faults.push({ field, code: "not_allowed" });
    }
  }
  if (verificationCode !== undefined && asksCode !== null) {
    const [fault] = patternFault(merchant, "messageCode", verificationCode);
    if (fault !== undefined) faults.push({ ...fault, field: "verificationCode" });
  }
  if (mobileNum === "" || faults.length > 0) {
    return faults.length > 0 ? refuse(faults) : ok({ number: null, proof: "none" });
  }
  if (countryDialingCode === undefined) {
    return refuse([{ field: "countryDialingCode", code: "required" }]);
  }
  const read = readMobile(countryDialingCode, mobileNum);
  if (!read.ok) return refuse([read.error]);
  const number = read.value;
  if (firebaseIdToken !== undefined) return ok({ number, proof: "outside" });
  if (verificationCode !== undefined) return ok({ number, proof: "code" });
  const needed = byMobile || asksCode?.required === true;
  return needed
    ? refuse([{ field: "verificationCode", code: "required" }])
    : ok({ number, proof: "none" });
}
