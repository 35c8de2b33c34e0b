import type { Body, Reply } from "@perya/client/api";
import type { MessageId } from "../../shell/text.ts";

export type Settings = Reply<"GET /api/v1/auth/register-settings">;
type RegisterBody = Body<"PUT /api/v1/auth/register">;

export type RegisterMethod = "username" | "mobile";

/** How an input of the form behaves; a field's messages have the ids `auth.` plus its `text`. */
interface FieldLook {
  /** Its name in the request and in the server's faults; also in its settings, except for codes. */
  readonly wire: string;
  readonly label: MessageId;
  /** The message for a value that does not fit the server's pattern. */
  readonly format: MessageId;
  readonly type?: "email" | "tel";
  readonly inputMode?: "numeric" | "email" | "tel" | "url";
  readonly autoComplete?: string;
  /** Never kept in a draft. */
  readonly secret?: true;
}

/** Every field of the specification's list, in the order of the form (accounts §2.4). */
export const REGISTER_FIELDS = {
  username: {
    wire: "username",
    label: "auth.username",
    format: "auth.username_format",
    autoComplete: "username",
  },
  mobileNum2: { wire: "mobileNum", label: "auth.mobileNum", format: "auth.in_mobileNum_error" },
  messageCode2: {
    wire: "verificationCode",
    label: "auth.sms_code",
    format: "auth.code_format",
    secret: true,
  },
  password: {
    wire: "password",
    label: "auth.password",
    format: "auth.password_format",
    autoComplete: "new-password",
    secret: true,
  },
  confimpsw: {
    wire: "confirmPassword",
    label: "auth.confirm_password",
    format: "auth.confirm_mismatch",
    autoComplete: "new-password",
    secret: true,
  },
  mobileNum1: { wire: "mobileNum", label: "auth.mobileNum", format: "auth.in_mobileNum_error" },
  messageCode1: {
    wire: "verificationCode",
    label: "auth.sms_code",
    format: "auth.code_format",
    secret: true,
  },
  email: {
    wire: "email",
    label: "auth.email",
    format: "auth.email_format",
    type: "email",
    inputMode: "email",
    autoComplete: "email",
  },
  nickname: {
    wire: "nickname",
    label: "auth.nickname",
    format: "auth.name_format",
    autoComplete: "nickname",
  },
  payeeName: {
    wire: "payeeName",
    label: "auth.payeeName",
    format: "auth.name_format",
    autoComplete: "name",
  },
  birthday: {
    wire: "birthday",
    label: "auth.birthday",
    format: "auth.birthday_format",
    autoComplete: "bday",
  },
  paymentPassword: {
    wire: "paymentPassword",
    label: "auth.paymentPassword",
    format: "auth.paymentPassword_format",
    inputMode: "numeric",
    autoComplete: "off",
    secret: true,
  },
  idNumber: {
    wire: "idNumber",
    label: "auth.idNumber",
    format: "auth.field_format",
    autoComplete: "off",
    secret: true,
  },
  qqNum: { wire: "qqNum", label: "auth.qqNum", format: "auth.field_format", inputMode: "numeric" },
  facebook: { wire: "facebook", label: "auth.facebook", format: "auth.field_format" },
  wechat: { wire: "wechat", label: "auth.wechat", format: "auth.field_format" },
  line: { wire: "line", label: "auth.line", format: "auth.field_format" },
  whatsapp: {
    wire: "whatsapp",
    label: "auth.whatsapp",
    format: "auth.field_format",
    inputMode: "tel",
  },
  zalo: { wire: "zalo", label: "auth.zalo", format: "auth.field_format", inputMode: "tel" },
  recommenderId: {
    wire: "recommenderId",
    label: "auth.recommenderId",
    format: "auth.field_format",
  },
  affiliateCode: {
    wire: "affiliateCode",
    label: "auth.affiliateCode",
    format: "auth.affiliate_format",
  },
  captcha: { wire: "captcha", label: "auth.captcha", format: "auth.captcha_numeric", secret: true },
} as const satisfies Record<string, FieldLook>;

export type RegisterName = keyof typeof REGISTER_FIELDS;
export type RegisterValues = Record<RegisterName, string> & { agreed: boolean };

// Keys of the table above.
export const REGISTER_NAMES = Object.keys(REGISTER_FIELDS) as RegisterName[];

export const EMPTY_REGISTRATION: RegisterValues = {
  // Every field of the table, each a text.
  ...(Object.fromEntries(REGISTER_NAMES.map((name) => [name, ""])) as Omit<
    RegisterValues,
    "agreed"
  >),
  agreed: false,
};

export function fieldLook(name: RegisterName): FieldLook {
  return REGISTER_FIELDS[name];
}

/** Fields that belong to one method alone. */
const OF_USERNAME: readonly RegisterName[] = ["username", "mobileNum1", "messageCode1"];
const OF_MOBILE: readonly RegisterName[] = ["mobileNum2", "messageCode2"];

/** The ways to register; the first is open at first (accounts §2.4). */
export function registerMethods({ methods }: Settings): readonly RegisterMethod[] {
  if (!methods.mobile) return ["username"];
  return methods.username ? ["username", "mobile"] : ["mobile"];
}

/** The server's rule for a field; the codes of both methods share one entry. */
export function ruleOf(
  { fields }: Settings,
  name: RegisterName,
): Settings["fields"][string] | undefined {
  const isCode = name === "messageCode1" || name === "messageCode2";
  return fields[isCode ? "messageCode" : REGISTER_FIELDS[name].wire];
}

/** The fields to fill in, in order, without the captcha, which comes and goes by itself. */
export function shownFields(settings: Settings, method: RegisterMethod): RegisterName[] {
  const enabled = (name: RegisterName) => ruleOf(settings, name)?.enabled === true;
  return REGISTER_NAMES.filter((name) => {
    if (name === "captcha") return false;
    if (OF_MOBILE.includes(name)) return method === "mobile";
    if (OF_USERNAME.includes(name) && method !== "username") return false;
    if (name === "username" || name === "password" || name === "confimpsw") return true;
    // Without a number no code can be sent.
    return enabled(name) && (name !== "messageCode1" || enabled("mobileNum1"));
  });
}

/** The server's answer for an outside account that no account here belongs to. */
export type AwaitedRegistration = Extract<
  Reply<"POST /api/v1/auth/external/finish">,
  { readonly registration: true }
>;
export type Outside = Pick<AwaitedRegistration, "email" | "requires">;

/**
 * The fields for a player whom a provider knows: those that the brand requires, the inviter, the
 * birthday, and the name that the player may choose. The provider replaces password, captcha and
 * address.
 */
export function shownOutside(settings: Settings, outside: Outside): RegisterName[] {
  const { requires } = outside;
  const has = (name: RegisterName) => ruleOf(settings, name)?.enabled === true;
  const needs = (name: RegisterName) => has(name) && ruleOf(settings, name)?.required === true;
  return REGISTER_NAMES.filter((name) => {
    if (name === "password" || name === "confimpsw" || name === "captcha") return false;
    if (name === "username") return has(name);
    if (OF_MOBILE.includes(name)) return requires.mobileNum;
    if (name === "mobileNum1") return !requires.mobileNum && needs(name);
    if (name === "messageCode1") return !requires.mobileNum && needs("mobileNum1") && needs(name);
    if (name === "birthday" || name === "affiliateCode") return has(name);
    return needs(name) && (name !== "email" || outside.email === null);
  });
}

/** Whether the form requires it; a mobile registration always requires its number. */
export function isRequired(
  settings: Settings,
  name: RegisterName,
  values: RegisterValues,
  outside: Outside | null = null,
): boolean {
  if (name === "username") return outside === null || outside.requires.username;
  if (["password", "confimpsw", ...OF_MOBILE].includes(name)) return true;
  const required = ruleOf(settings, name)?.required === true;
  return required && (name !== "messageCode1" || values.mobileNum1.trim() !== "");
}

/** The field of this form for a fault from the server. */
export function nameOfWire(wire: string, shown: readonly RegisterName[]): RegisterName | undefined {
  if (wire === "captchaId") return "captcha";
  return [...shown, "captcha" as const].find((name) => REGISTER_FIELDS[name].wire === wire);
}

/** The page that a registration comes from. */
export interface RegisterPage {
  /** Of the chosen country. */
  readonly dialingCode: string | undefined;
  readonly registerMethod: RegisterBody["registerMethod"];
  readonly registerUrl: string;
  readonly domain: string;
}

/** The whole request, without empty optional fields. */
export function registrationBody(
  values: RegisterValues,
  shown: readonly RegisterName[],
  page: RegisterPage,
): RegisterBody {
  return {
    ...sentFields(values, shown, page),
    password: values.password,
    confirmPassword: values.confimpsw,
    type: 0,
  };
}

/** The same for an outside account, identified by its ticket. */
export function outsideBody(
  ticket: string,
  values: RegisterValues,
  shown: readonly RegisterName[],
  page: RegisterPage,
): Body<"PUT /api/v1/auth/external/register"> {
  return { ticket, ...sentFields(values, shown, page) };
}

function sentFields(
  values: RegisterValues,
  shown: readonly RegisterName[],
  { dialingCode, registerMethod, registerUrl, domain }: RegisterPage,
) {
  const given = givenFields(values, shown);
  const numbered = given.mobileNum !== undefined && dialingCode !== undefined;
  return {
    ...given,
    ...(numbered ? { countryDialingCode: dialingCode } : {}),
    registerMethod,
    registerUrl: registerUrl.slice(0, URL_MAX),
    domain,
    agreed: true as const,
  };
}

/** The length of the page's address that the request allows. */
const URL_MAX = 500;

function givenFields(
  values: RegisterValues,
  shown: readonly RegisterName[],
): Partial<Omit<Body<"PUT /api/v1/auth/external/register">, "ticket">> {
  const entries = shown
    .filter((name) => name !== "password" && name !== "confimpsw")
    .map((name) => [REGISTER_FIELDS[name].wire, sentAs(name, values[name])] as const)
    .filter(([, value]) => value !== "");
  // The names on the wire are the contract's own; their values are all text.
  return Object.fromEntries(entries);
}

function sentAs(name: RegisterName, value: string): string {
  if (name === "mobileNum1" || name === "mobileNum2") return value.replace(/\D/g, "");
  return value.trim();
}
