import { LOGIN_USERNAME } from "@perya/contract/login-name";
import type { MessageId, TextValues } from "../../shell/text.ts";
import { type FieldRule, fitsRule } from "../forms/field-rule.ts";

/** What is wrong with one value, as a text of the player's language. */
interface Fault {
  readonly id: MessageId;
  readonly values?: TextValues;
}
export type Faults = readonly Fault[];

/** The longest that the inputs take (specification, accounts §9). */
export const MOBILE_INPUT_MAX = 20;
export const CODE_INPUT_MAX = 10;
export const CAPTCHA_INPUT_MAX = 6;
export const SIMPLE_CAPTCHA_MAX = 16;

const LOGIN_PASSWORD = /^.{6,128}$/su;
const CODE = /^\d{4,10}$/;
const AUTHENTICATOR_CODE = /^\d{6}$/;
const RECOVERY_CODE = /^[A-Za-z0-9]{4}-?[A-Za-z0-9]{4}$/;
const CAPTCHA = /^\d{1,6}$/;
const SIMPLE_CAPTCHA = /^[A-Za-z0-9]{1,16}$/;
/** Word characters with dotted segments, a domain, one to three suffixes (accounts §5). */
const EMAIL = /^\w+(?:\.\w+)*@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*?(?:\.[A-Za-z]{2,3}){1,3}$/;
const TOO_MANY_SUFFIXES = /(?:\.[A-Za-z]{2,3}){4}$/;

/**
 * The rules that log-in, recovery and the password forms share: the same input gets the same
 * verdict in each of them (accounts §5). An empty result means that nothing is wrong.
 */
export const accountRules = {
  loginUsername: (value: string): Faults =>
    filled(value.trim(), "auth.username_required") ??
    matching(LOGIN_USERNAME, value.trim(), "auth.username_format"),

  loginPassword: (value: string): Faults =>
    filled(value, "auth.password_required") ??
    matching(LOGIN_PASSWORD, value, "auth.password_format"),

  /** `minDigits` of the chosen country; a trunk zero does not count. */
  loginMobileNum: (value: string, minDigits: number): Faults =>
    filled(value.trim(), "auth.mobile_required") ??
    (isMobile(value, minDigits) ? [] : [{ id: "auth.mobile_enter_valid" }]),

  mobileNum: (value: string, minDigits: number): Faults =>
    filled(value.trim(), "auth.mobile_required") ??
    (isMobile(value, minDigits) ? [] : [{ id: "auth.in_mobileNum_error" }]),

  verificationCode: (value: string): Faults =>
    filled(value, "auth.enter_verification_code") ?? matching(CODE, value, "auth.code_format"),

  /** A new password, by the brand's own pattern; until the pattern has loaded, none passes. */
  password: (value: string, rule: FieldRule | undefined): Faults => {
    const empty = filled(value, "auth.password_required");
    if (empty !== null) return empty;
    const fits = rule !== undefined && value.length <= rule.maxLength && fitsRule(value, rule);
    return fits ? [] : [{ id: "auth.password_format" }];
  },

  captcha: (value: string): Faults =>
    filled(value, "auth.captcha_required") ?? matching(CAPTCHA, value, "auth.captcha_numeric"),

  /** For a picture of characters or of an equation (accounts §5, §9). */
  simpleCaptcha: (value: string): Faults =>
    filled(value.trim(), "auth.captcha_enter") ??
    matching(SIMPLE_CAPTCHA, value.trim(), "auth.captcha_simple_hint"),

  authenticatorCode: (value: string): Faults =>
    filled(value, "auth.enter_verification_code") ??
    matching(AUTHENTICATOR_CODE, value, "auth.code_format"),

  recoveryCode: (value: string): Faults =>
    filled(value.trim(), "auth.enter_verification_code") ??
    matching(RECOVERY_CODE, value.trim(), "auth.code_format"),

  /** Six digits of the app, or a recovery code instead. */
  secondFactor: (value: string): Faults =>
    filled(value.trim(), "auth.enter_verification_code") ??
    matching(
      /^\d*$/.test(value.trim()) ? AUTHENTICATOR_CODE : RECOVERY_CODE,
      value.trim(),
      "auth.code_format",
    ),

  paymentPassword: (value: string): Faults =>
    /^\d{6}$/.test(value) ? [] : [{ id: "auth.paymentPassword_format" }],

  /** A password typed a second time. */
  confirmation: (value: string, password: string, differs: MessageId): Faults =>
    filled(value, "auth.confirm_required") ?? (value === password ? [] : [{ id: differs }]),

  email: (value: string): Faults =>
    filled(value.trim(), "auth.email_required") ??
    (TOO_MANY_SUFFIXES.test(value.trim())
      ? [{ id: "auth.email_format" }]
      : matching(EMAIL, value.trim(), "auth.email_format")),
} as const;

/** As it is sent: digits alone, whatever separators the player types. */
export function digitsOf(value: string): string {
  return value.replace(/\D/g, "");
}

function isMobile(value: string, minDigits: number): boolean {
  if (!/^[\d\s().-]+$/.test(value)) return false;
  const digits = digitsOf(value);
  return digits.replace(/^0+/, "").length >= minDigits && digits.length <= MOBILE_INPUT_MAX;
}

function filled(value: string, id: MessageId): Faults | null {
  return value === "" ? [{ id }] : null;
}

function matching(pattern: RegExp, value: string, id: MessageId): Faults {
  return pattern.test(value) ? [] : [{ id }];
}
