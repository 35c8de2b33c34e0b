import { z } from "zod";
import {
  dialingCode,
  externalPhoneProof,
  mobileNum,
  password,
  secondFactorCode,
  smsCode,
  username,
} from "./account-fields.ts";
import { call } from "./call.ts";

/** 43 characters of base64url: 256 bits. */
const linkToken = z.string().regex(/^[A-Za-z0-9_-]{43}$/);

export const recoveryCalls = {
  "POST /api/v1/auth/forgot-password": call({
    summary: "Send a link that sets a new password; answers the same whether the two match",
    callers: ["visitor"],
    /** Also accepted form-encoded, as the specification says. */
    form: true,
    body: z.strictObject({ username, email: z.string().trim().min(3).max(254) }),
    reply: z.object({ sent: z.literal(true) }),
    refusals: ["feature_off"],
    rate: { max: 10, windowMs: 60_000 },
  }),
  "POST /api/v1/auth/reset-link": call({
    summary: "Whether the token of a link can still be used; uses nothing up",
    callers: ["visitor"],
    body: z.strictObject({ token: linkToken }),
    reply: z.object({ userName: z.string() }),
    refusals: ["link_spent"],
    rate: { max: 30, windowMs: 60_000 },
  }),
  "POST /api/v1/auth/password-by-link": call({
    summary: "Set a new password with the token of a link; signs out everywhere",
    callers: ["visitor"],
    encrypted: true,
    body: z.strictObject({ token: linkToken, newPassword: password, confirmNewPassword: password }),
    reply: z.object({ changed: z.literal(true) }),
    refusals: ["link_spent", "modify.new.old.same"],
    rate: { max: 20, windowMs: 60_000 },
  }),
  "POST /api/v1/auth/recovery-name": call({
    summary: "Whether a username may go on to recovery by phone; says nothing about who exists",
    callers: ["visitor"],
    body: z.strictObject({ username }),
    reply: z.object({ accepted: z.literal(true) }),
    refusals: ["feature_off"],
    rate: { max: 30, windowMs: 60_000 },
  }),
  "POST /api/v1/auth/password-by-phone": call({
    summary: "Set a new password with a code sent to the account's own number",
    callers: ["visitor"],
    encrypted: true,
    body: z.strictObject({
      username,
      newPassword: password,
      mobileNum,
      countryDialingCode: dialingCode,
      /** Absent where an outside service's proof replaces it. */
      verificationCode: smsCode.optional(),
      ...externalPhoneProof,
    }),
    reply: z.object({ changed: z.literal(true) }),
    refusals: ["feature_off", "code_wrong", "modify.new.old.same"],
    rate: { max: 20, windowMs: 60_000 },
  }),
  "POST /api/v1/auth/password": call({
    summary: "Change the password of this account; signs out everywhere else",
    callers: ["member", "agent"],
    encrypted: true,
    body: z.strictObject({
      /** Absent where `code` replaces it, or where the account has no password yet. */
      oldPassword: password.optional(),
      /** From the authenticator app, with two-factor login. */
      code: secondFactorCode.optional(),
      newPassword: password,
      confirmNewPassword: password,
    }),
    reply: z.object({ changed: z.literal(true) }),
    refusals: ["password_wrong", "code_wrong", "modify.new.old.same", "fresh_login_needed"],
    rate: { max: 10, windowMs: 60_000 },
  }),
} as const;
