import { LOGIN_USERNAME } from "@perya/contract/login-name";
import { isNameOfNumber } from "@perya/contract/number-names";
import { accountRules, digitsOf, type Faults } from "../../parts/account/account-rules.ts";
import { fitsRule } from "../../parts/forms/field-rule.ts";
import type { FieldFaults } from "../../parts/forms/form-faults.ts";
import {
  fieldLook,
  isRequired,
  type Outside,
  type RegisterName,
  type RegisterValues,
  ruleOf,
  type Settings,
} from "./register-fields.ts";

interface Judged {
  readonly settings: Settings;
  readonly shown: readonly RegisterName[];
  readonly captchaShown: boolean;
  /** Of the chosen country. */
  readonly minDigits: number;
  /** An outside account replaces part of the form. */
  readonly outside: Outside | null;
  /** The player's day, `2026-11-21`. */
  readonly today: string;
  /** The code of the friend's link that the player followed. */
  readonly linked: string | null;
}

/** The brand's rules for the whole form; an empty optional field passes. */
export function registerFaults(values: RegisterValues, form: Judged): FieldFaults<RegisterValues> {
  const faults: FieldFaults<RegisterValues> = {};
  for (const name of form.shown) faults[name] = faultsOf(name, values, form);
  if (form.captchaShown) faults.captcha = accountRules.captcha(values.captcha);
  if (!values.agreed) faults.agreed = [{ id: "auth.agree_needed" }];
  return faults;
}

function faultsOf(name: RegisterName, values: RegisterValues, form: Judged): Faults {
  const { settings, minDigits, outside } = form;
  const rule = ruleOf(settings, name);
  if (name === "password") return accountRules.password(values.password, rule);
  if (name === "confimpsw") {
    return accountRules.confirmation(values.confimpsw, values.password, "auth.confirm_mismatch");
  }
  const value = values[name].trim();
  const required = isRequired(settings, name, values, outside);
  if (value === "" && !required) return [];
  const fits = (sent: string) =>
    rule === undefined || (sent.length <= rule.maxLength && fitsRule(sent, rule));
  const byPattern = (sent: string): Faults =>
    rule?.enabled !== true || fits(sent) ? [] : [{ id: fieldLook(name).format }];
  if (name === "mobileNum1" || name === "mobileNum2") {
    const faults = accountRules.mobileNum(value, minDigits);
    return faults.length > 0 ? faults : byPattern(digitsOf(value));
  }
  if (name === "messageCode1" || name === "messageCode2") {
    const faults = accountRules.verificationCode(value);
    return faults.length > 0 ? faults : byPattern(value);
  }
  if (value === "") return [{ id: "auth.required" }];
  const isOdd =
    (name === "birthday" && !isDay(value)) || (name === "username" && !LOGIN_USERNAME.test(value));
  const odd =
    name === "affiliateCode" ? invitationFault(value, form.linked) : fieldLook(name).format;
  if (isOdd || !fits(value)) return [{ id: odd }];
  // The server refuses such a name, and reports none of them as free or taken.
  if (name === "username" && isNameOfNumber(value)) return [{ id: "auth.username_number" }];
  if (name === "birthday" && isTooYoung(value, form)) {
    return [{ id: "auth.too_young", values: { age: settings.minimumAge } }];
  }
  return [];
}

/** The fault of an unknown code: the link is wrong where the code came with it (accounts §8). */
export function invitationFault(code: string, linked: string | null) {
  return code === linked ? "auth.referrer_wrong" : "auth.affiliate_format";
}

/** The picker begins in 1900; ISO days compare as text. */
export const FIRST_BIRTHDAY = "1900-01-01";

/** A day that the calendar has. */
function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || text < FIRST_BIRTHDAY) return false;
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

function isTooYoung(birthday: string, { settings, today }: Judged): boolean {
  const latest = `${Number(today.slice(0, 4)) - settings.minimumAge}${today.slice(4)}`;
  return birthday > latest;
}
