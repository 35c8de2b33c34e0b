import { z } from "zod";
import {
  captchaAnswer,
  dialingCode,
  externalPhoneProof,
  mobileNum,
  password,
  smsCode,
  username,
} from "./account-fields.ts";
import { call } from "./call.ts";
import { idWire, instantWire, shownLine } from "./wire.ts";

/** What the browser keeps under MC_SESSION_INFO; the other half of the session is a cookie. */
export const sessionReply = z.object({
  token: z.string(),
  merchantCode: z.string(),
  userName: z.string(),
  /** 0 member; 1 and 2 agents; 4 trial; 40 to 42 internal accounts. */
  type: z.number().int(),
  firstTimeLogin: z.boolean(),
});

/** A trial account's session; its type has the name that the specification gives it. */
const trialReply = sessionReply
  .omit({ type: true })
  .extend({ customerType: sessionReply.shape.type });

/** A login that still needs its second factor; an authenticator code finishes it. */
const secondFactorReply = z.object({
  secondFactor: z.literal(true),
  pending: z.string(),
  expiresAt: instantWire,
});
export const loginReply = z.union([sessionReply, secondFactorReply]);

const LOGIN_TYPES = ["username", "sms", "firebase"] as const;
const REGISTER_METHODS = ["APP", "H5", "PWA", "WEBCLIP"] as const;

/** Registration fields whose value a form may have checked by itself. */
export const VERIFIABLE_FIELDS = [
  "username",
  "nickname",
  "payeeName",
  "email",
  "birthday",
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

const CAPTCHA_KINDS = ["digits", "simple"] as const;
export type CaptchaKind = (typeof CAPTCHA_KINDS)[number];

const shortText = (max: number) => shownLine.max(max).optional();

/** All fields of a registration; `register-settings` says which of them a brand asks for. */
export const registrationFields = {
  /** Absent where a mobile number or an outside account replaces it: the server makes the name. */
  username: username.optional(),
  nickname: shortText(40),
  email: shortText(254),
  payeeName: shortText(80),
  paymentPassword: z.string().max(128).optional(),
  countryDialingCode: dialingCode.optional(),
  mobileNum: mobileNum.optional(),
  /** The code that was sent to the number for the purpose `register`. */
  verificationCode: smsCode.optional(),
  idNumber: shortText(40),
  qqNum: shortText(20),
  facebook: shortText(100),
  wechat: shortText(40),
  line: shortText(40),
  whatsapp: shortText(40),
  zalo: shortText(40),
  birthday: z.iso.date().optional(),
  affiliateCode: shortText(32),
  /** The id or username of the member whose link the player followed. */
  recommenderId: shortText(40),
  ...externalPhoneProof,
  registerMethod: z.enum(REGISTER_METHODS),
  registerUrl: shownLine.max(500).optional(),
  domain: shownLine.max(253).optional(),
  /** The player is of age and accepts the terms. */
  agreed: z.literal(true),
};

/** What a registration may answer, by whatever proves who registers. */
export const REGISTRATION_REFUSALS = [
  ...(["username_taken", "mobile_taken", "code_wrong", "invitation_wrong"] as const),
  ...(["referrer_wrong", "feature_off", "not_agent_account"] as const),
] as const;

export const authCalls = {
  "POST /api/v1/auth/login": call({
    summary: "Log in by username and password, or by mobile number and code",
    callers: ["visitor"],
    regional: true,
    encrypted: true,
    body: z.strictObject({
      type: z.enum(LOGIN_TYPES),
      /** With type `sms`, the digits of the mobile number. */
      username: username.optional(),
      /** With type `sms`, the code that was sent to that number. */
      password: password.optional(),
      countryDialingCode: dialingCode.optional(),
      /** The number as typed; the service's token proves the number that counts. */
      firebaseMobileNo: mobileNum.optional(),
      ...externalPhoneProof,
      ...captchaAnswer,
    }),
    reply: loginReply,
    refusals: [
      "login_failed",
      "code_wrong",
      "user_missing",
      "captcha_wrong",
      "feature_off",
      "not_member_account",
      "not_agent_account",
    ],
    rate: { max: 30, windowMs: 60_000 },
  }),
  "PUT /api/v1/auth/register": call({
    summary: "Register a member by username or by mobile number",
    callers: ["visitor"],
    regional: true,
    encrypted: true,
    body: z.strictObject({
      ...registrationFields,
      password,
      confirmPassword: password,
      type: z.literal(0),
      ...captchaAnswer,
    }),
    reply: z.object({ userName: z.string() }),
    refusals: [...REGISTRATION_REFUSALS, "captcha_wrong"],
    rate: { max: 20, windowMs: 60_000 },
  }),
  "GET /api/v1/auth/register-settings": call({
    summary: "Which registration fields the brand shows and requires, and their patterns",
    callers: ["visitor"],
    reply: z.object({
      minimumAge: z.number().int(),
      /** The ways to register; a brand with both shows two tabs. */
      methods: z.object({ username: z.boolean(), mobile: z.boolean() }),
      /**
       * `messageCode` is the SMS code of a registration by username; by mobile one is always sent.
       */
      fields: z.record(
        z.string(),
        z.object({
          enabled: z.boolean(),
          required: z.boolean(),
          /** An RE2 expression for the whole value: see decision 49. */
          pattern: z.string(),
          maxLength: z.number().int(),
        }),
      ),
    }),
  }),
  "GET /api/v1/auth/verification": call({
    summary: "Whether a registration would take this value of a field; never asked of secrets",
    callers: ["visitor"],
    query: z.object({ field: z.enum(VERIFIABLE_FIELDS), value: z.string().max(254) }),
    reply: z.object({
      valid: z.boolean(),
      faults: z.array(z.object({ code: z.string(), limit: z.string().optional() })),
    }),
    rate: { max: 60, windowMs: 60_000 },
  }),
  "GET /api/v1/auth/invitation-code": call({
    summary: "Whether an invitation code is valid",
    callers: ["visitor"],
    query: z.object({ code: z.string().trim().min(1).max(32) }),
    reply: z.object({ success: z.boolean() }),
    rate: { max: 20, windowMs: 60_000 },
  }),
  "GET /api/v1/auth/username-availability": call({
    summary: "Whether a username is free",
    callers: ["visitor"],
    query: z.object({ username }),
    reply: z.object({ available: z.boolean() }),
    rate: { max: 60, windowMs: 60_000 },
  }),
  "GET /api/v1/auth/captcha": call({
    summary: "A fresh picture to read; valid for one try",
    callers: ["visitor"],
    query: z.object({
      /**
       * `digits` at login and registration, `simple` elsewhere: characters, or an equation's
       * result. Each place accepts only its own kind.
       */
      kind: z.enum(CAPTCHA_KINDS).default("digits"),
    }),
    reply: z.object({
      id: idWire("captcha"),
      /** Base64 PNG, without the `data:` prefix. */
      cap: z.string(),
      expiresAt: instantWire,
    }),
    rate: { max: 60, windowMs: 60_000 },
  }),
  "POST /api/v1/auth/test-play": call({
    summary: "Start free play: a trial account with trial credit",
    callers: ["visitor"],
    regional: true,
    body: z.strictObject({ moduleId: z.string().max(40).optional() }),
    reply: trialReply,
    refusals: ["feature_off", "not_agent_account"],
    rate: { max: 20, windowMs: 60_000 },
  }),
  "GET /api/v1/auth/trial-account": call({
    summary:
      "Make a trial account with trial credit, for a page of the brand's that says its language",
    callers: ["visitor"],
    regional: true,
    reply: trialReply,
    refusals: ["feature_off", "not_agent_account"],
    rate: { max: 20, windowMs: 60_000 },
  }),
  "DELETE /api/v1/auth/logout": call({
    summary: "End this session",
    callers: ["member", "trial", "agent"],
    inMaintenance: true,
    reply: z.object({ ended: z.literal(true) }),
  }),
} as const;

export const memberCalls = {
  "GET /api/v1/member/info": call({
    summary: "Who is logged in",
    callers: ["member", "trial", "agent"],
    reply: z.object({
      id: idWire("member"),
      account: z.string(),
      nickname: z.string().nullable(),
      type: z.number().int(),
      clubLabel: z.object({ labelName: z.string() }).nullable(),
      createdAt: instantWire,
      lastLoginAt: instantWire.nullable(),
    }),
  }),
} as const;
