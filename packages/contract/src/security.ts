import { z } from "zod";
import { dialingCode, mobileNum, password, secondFactorCode, smsCode } from "./account-fields.ts";
import { sessionReply } from "./auth.ts";
import { call } from "./call.ts";
import { withdrawalWish } from "./cashier.ts";
import { idWire, instantWire, pageOf, pageQuery, shownLine } from "./wire.ts";

/** The answer of a browser's WebAuthn API, as JSON; the server's library checks all of it. */
const webauthnJson = z.record(z.string(), z.unknown());
const paymentPassword = z.string().regex(/^\d{6}$/);
const PLAYERS = ["member", "agent"] as const;

export const securityCalls = {
  "GET /api/v1/member/security": call({
    summary: "How safe this account is: what is set and verified",
    callers: PLAYERS,
    reply: z.object({
      /** Masked, such as `m•••@example.com`; null where none is set. */
      email: z.object({ masked: z.string(), verified: z.boolean() }).nullable(),
      /** A new address whose link is not opened yet; once it is, it replaces the other address. */
      pendingEmail: z.string().nullable(),
      mobile: z.object({ masked: z.string(), verified: z.boolean() }).nullable(),
      hasPassword: z.boolean(),
      hasPaymentPassword: z.boolean(),
      passwordChangedAt: instantWire.nullable(),
      totp: z.object({ enabled: z.boolean(), recoveryCodesLeft: z.number().int() }),
      passkeys: z.array(
        z.object({
          id: idWire("passkey"),
          name: z.string(),
          createdAt: instantWire,
          lastUsedAt: instantWire.nullable(),
        }),
      ),
      external: z.array(z.enum(["google", "facebook"])),
      /** Until then, important changes need no new proof; a log-in does not count as a proof. */
      freshUntil: instantWire,
    }),
  }),
  "POST /api/v1/auth/fresh": call({
    summary: "Prove who you are in this session; with two factors by the second",
    callers: PLAYERS,
    encrypted: true,
    /** `code` where two-factor login is on, else `password`; without one `paymentPassword`. */
    body: z.strictObject({
      password: password.optional(),
      code: secondFactorCode.optional(),
      paymentPassword: paymentPassword.optional(),
    }),
    reply: z.object({ freshUntil: instantWire }),
    refusals: ["password_wrong", "code_wrong", "payment_password_wrong"],
    rate: { max: 10, windowMs: 60_000 },
  }),

  "GET /api/v1/member/sessions": call({
    summary: "Where this account is logged in",
    callers: PLAYERS,
    reply: z.object({
      sessions: z.array(
        z.object({
          id: idWire("session"),
          current: z.boolean(),
          method: z.string(),
          address: z.string(),
          userAgent: z.string(),
          createdAt: instantWire,
          seenAt: instantWire,
        }),
      ),
    }),
  }),
  "DELETE /api/v1/member/sessions/{id}": call({
    summary: "Sign one device out",
    callers: PLAYERS,
    inMaintenance: true,
    params: z.object({ id: idWire("session") }),
    reply: z.object({ ended: z.literal(true) }),
    refusals: ["not_found"],
  }),
  "DELETE /api/v1/member/sessions": call({
    summary: "Sign out everywhere else",
    callers: PLAYERS,
    inMaintenance: true,
    reply: z.object({ ended: z.number().int() }),
  }),
  "GET /api/v1/member/logins": call({
    summary: "Log-ins and failed tries of this account, newest first",
    callers: PLAYERS,
    query: z.object(pageQuery),
    reply: pageOf(
      z.object({
        id: idWire("loginEvent"),
        method: z.string(),
        outcome: z.enum(["done", "wrong", "second_factor_wrong", "refused"]),
        address: z.string(),
        userAgent: z.string(),
        at: instantWire,
      }),
    ),
  }),

  "POST /api/v1/member/email": call({
    summary: "Send a link to a new e-mail address, which is the account's once it is opened",
    callers: PLAYERS,
    body: z.strictObject({ email: z.email().max(254) }),
    reply: z.object({ sent: z.literal(true) }),
    refusals: ["fresh_login_needed", "feature_off", "message_unavailable"],
    rate: { max: 5, windowMs: 60_000 },
  }),
  "POST /api/v1/auth/email-link": call({
    summary: "Verify an e-mail address with the token of its link",
    callers: ["visitor"],
    body: z.strictObject({ token: z.string().regex(/^[A-Za-z0-9_-]{43}$/) }),
    reply: z.object({ email: z.string() }),
    refusals: ["link_spent", "email_taken"],
    rate: { max: 20, windowMs: 60_000 },
  }),
  "POST /api/v1/member/mobile-code": call({
    summary: "Send a code to a number that this account wants to verify",
    callers: PLAYERS,
    body: z.strictObject({
      countryDialingCode: dialingCode,
      mobileNum,
      humanCheck: z.string().min(1).max(2_000),
    }),
    reply: z.object({ expirationTime: instantWire }),
    refusals: ["human_check_failed", "feature_off", "message_unavailable", "fresh_login_needed"],
    rate: { max: 10, windowMs: 60_000 },
  }),
  "POST /api/v1/member/mobile": call({
    summary: "Verify the number with the code that was sent to it",
    callers: PLAYERS,
    body: z.strictObject({
      countryDialingCode: dialingCode,
      mobileNum,
      verificationCode: smsCode,
    }),
    reply: z.object({ masked: z.string() }),
    refusals: ["code_wrong", "mobile_taken", "fresh_login_needed"],
    rate: { max: 20, windowMs: 60_000 },
  }),
  "POST /api/v1/member/payment-password": call({
    summary: "Set the payment password: six digits, confirmed by the current one or another proof",
    callers: PLAYERS,
    encrypted: true,
    body: z.strictObject({
      paymentPassword,
      current: paymentPassword.optional(),
      /** For the first or a forgotten payment password; `code` where two-factor login is on. */
      password: password.optional(),
      code: secondFactorCode.optional(),
    }),
    reply: z.object({ set: z.literal(true) }),
    refusals: ["payment_password_wrong", "password_wrong", "code_wrong", "fresh_login_needed"],
    rate: { max: 10, windowMs: 60_000 },
  }),
  "POST /api/v1/member/payment-proof/options": call({
    summary: "What the browser needs to confirm a withdrawal with a passkey of this account",
    callers: PLAYERS,
    realAccount: true,
    body: z.strictObject({}),
    reply: z.object({ challengeId: idWire("challenge"), options: webauthnJson }),
    rate: { max: 20, windowMs: 60_000 },
  }),
  "POST /api/v1/member/payment-proof": call({
    summary: "Confirm a withdrawal before it is asked for, by payment password or by passkey",
    callers: PLAYERS,
    realAccount: true,
    encrypted: true,
    body: z.strictObject({
      /** The withdrawal exactly as it will be requested, without its id. */
      withdrawal: z.strictObject(withdrawalWish),
      by: z.union([
        z.strictObject({ paymentPassword }),
        z.strictObject({ challengeId: idWire("challenge"), response: webauthnJson }),
      ]),
    }),
    reply: z.object({ expiresAt: instantWire }),
    refusals: ["payment_password_wrong", "payment_password_new", "passkey_refused"],
    rate: { max: 20, windowMs: 60_000 },
  }),
} as const;

export const twoFactorCalls = {
  "POST /api/v1/member/totp": call({
    summary: "Begin two-factor login: a secret for the authenticator app",
    callers: PLAYERS,
    body: z.strictObject({}),
    reply: z.object({ secret: z.string(), uri: z.string() }),
    refusals: ["fresh_login_needed", "wrong_state"],
    rate: { max: 10, windowMs: 60_000 },
  }),
  "POST /api/v1/member/totp/confirm": call({
    summary: "Switch two-factor login on with a first code; answers the recovery codes, once",
    callers: PLAYERS,
    body: z.strictObject({ code: z.string().regex(/^\d{6}$/) }),
    reply: z.object({ recoveryCodes: z.array(z.string()) }),
    refusals: ["code_wrong", "wrong_state", "fresh_login_needed"],
    rate: { max: 10, windowMs: 60_000 },
  }),
  "POST /api/v1/member/totp/recovery-codes": call({
    summary: "Replace the recovery codes by ten new ones; answers them once",
    callers: PLAYERS,
    body: z.strictObject({}),
    reply: z.object({ recoveryCodes: z.array(z.string()) }),
    refusals: ["wrong_state", "fresh_login_needed"],
    rate: { max: 10, windowMs: 60_000 },
  }),
  "DELETE /api/v1/member/totp": call({
    summary: "Switch two-factor login off, by one of its codes or a recovery code",
    callers: PLAYERS,
    body: z.strictObject({ code: secondFactorCode }),
    reply: z.object({ removed: z.literal(true) }),
    refusals: ["code_wrong", "wrong_state"],
    rate: { max: 10, windowMs: 60_000 },
  }),
  "POST /api/v1/auth/second-factor": call({
    summary: "Finish a login with the code of the authenticator app, or a recovery code",
    callers: ["visitor"],
    regional: true,
    encrypted: true,
    body: z.strictObject({
      pending: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
      code: secondFactorCode,
    }),
    reply: sessionReply,
    refusals: ["code_wrong", "link_spent", "not_member_account", "not_agent_account"],
    rate: { max: 20, windowMs: 60_000 },
  }),
} as const;

export const passkeyCalls = {
  "POST /api/v1/member/passkeys/options": call({
    summary: "What the browser needs to make a passkey",
    callers: PLAYERS,
    body: z.strictObject({}),
    reply: z.object({ challengeId: idWire("challenge"), options: webauthnJson }),
    refusals: ["fresh_login_needed"],
    rate: { max: 10, windowMs: 60_000 },
  }),
  "POST /api/v1/member/passkeys": call({
    summary: "Keep the passkey that the browser made",
    callers: PLAYERS,
    body: z.strictObject({
      challengeId: idWire("challenge"),
      name: shownLine.min(1).max(60),
      response: webauthnJson,
    }),
    reply: z.object({ id: idWire("passkey") }),
    refusals: ["passkey_refused", "fresh_login_needed"],
    rate: { max: 10, windowMs: 60_000 },
  }),
  "DELETE /api/v1/member/passkeys/{id}": call({
    summary: "Forget a passkey",
    callers: PLAYERS,
    params: z.object({ id: idWire("passkey") }),
    reply: z.object({ removed: z.literal(true) }),
    refusals: ["fresh_login_needed", "not_found"],
  }),
  "POST /api/v1/auth/passkey-options": call({
    summary: "What the browser needs for a log-in by passkey",
    callers: ["visitor"],
    body: z.strictObject({}),
    reply: z.object({ challengeId: idWire("challenge"), options: webauthnJson }),
    rate: { max: 30, windowMs: 60_000 },
  }),
  "POST /api/v1/auth/passkey": call({
    summary: "Log in with a passkey; it stands for both factors",
    callers: ["visitor"],
    regional: true,
    body: z.strictObject({ challengeId: idWire("challenge"), response: webauthnJson }),
    reply: sessionReply,
    refusals: ["passkey_refused", "not_member_account", "not_agent_account"],
    rate: { max: 30, windowMs: 60_000 },
  }),
} as const;
