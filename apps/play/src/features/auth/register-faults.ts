import type { Reply } from "@perya/client/api";
import type { ResolverResult } from "react-hook-form";
import { type MessageId, textOf } from "../../shell/text.ts";
import type { RegisterForm } from "./register-popup.tsx";

type Settings = Reply<"GET /api/v1/auth/register-settings">;

/** Fields of the form that carry a message of their own. */
export const SHOWN_FIELDS = [
  "username",
  "password",
  "confirmPassword",
  "nickname",
  "email",
  "birthday",
  "affiliateCode",
  "captcha",
] as const;
type ShownField = (typeof SHOWN_FIELDS)[number];

/** Fields that the brand's patterns judge, and what is said of one that does not match. */
const FORMAT_TEXTS: Partial<Record<ShownField, MessageId>> = {
  username: "auth.username_format",
  password: "auth.password_format",
  nickname: "auth.nickname_format",
  email: "auth.email_format",
  birthday: "auth.birthday_format",
  affiliateCode: "auth.affiliate_format",
};

/** The brand's rules for the whole form; an optional field that is empty passes. */
export function registerFaults(
  settings: Settings,
  values: RegisterForm,
  captchaShown: boolean,
): ResolverResult<RegisterForm> {
  const faults: Partial<Record<ShownField, { type: string; message: string }>> = {};
  const add = (name: ShownField, id: MessageId, more?: Record<string, number>) => {
    faults[name] = { type: id, message: textOf(id, more) };
  };
  for (const [name, format] of Object.entries(FORMAT_TEXTS)) {
    // The keys of the record above.
    const field = name as ShownField;
    const rule = settings.fields[field];
    if (rule === undefined || !rule.enabled) continue;
    const value = field === "password" ? values[field] : values[field].trim();
    if (value === "") {
      if (rule.required) add(field, "auth.required");
    } else if (value.length > rule.maxLength || !matches(rule.pattern, value)) {
      add(field, format);
    }
  }
  if (values.confirmPassword === "") add("confirmPassword", "auth.confirm_required");
  else if (values.confirmPassword !== values.password) {
    add("confirmPassword", "auth.confirm_mismatch");
  }
  if (faults.birthday === undefined && values.birthday !== "" && tooYoung(settings, values)) {
    add("birthday", "auth.too_young", { age: settings.minimumAge });
  }
  if (captchaShown && !/^\d{1,6}$/.test(values.captcha)) {
    add("captcha", values.captcha === "" ? "auth.captcha_required" : "auth.captcha_numeric");
  }
  return Object.keys(faults).length === 0 ? { values, errors: {} } : { values: {}, errors: faults };
}

function matches(pattern: string, value: string): boolean {
  return new RegExp(`^(?:${pattern})$`, "u").test(value);
}

function tooYoung({ minimumAge }: Settings, { birthday }: RegisterForm): boolean {
  const now = new Date();
  const month = String(now.getMonth() + 1).padStart(2, "0");
  const day = String(now.getDate()).padStart(2, "0");
  // ISO days compare as text.
  return birthday > `${now.getFullYear() - minimumAge}-${month}-${day}`;
}
