import { z } from "zod";
import { loginReply, REGISTRATION_REFUSALS, registrationFields } from "./auth.ts";
import { call } from "./call.ts";
import { instantWire } from "./wire.ts";

const PLAYERS = ["member", "agent"] as const;

export const EXTERNAL_PROVIDERS = ["google", "facebook"] as const;
export type ExternalProvider = (typeof EXTERNAL_PROVIDERS)[number];

const provider = z.enum(EXTERNAL_PROVIDERS);
/** The page gets it in its address after the provider sent the player back; valid once. */
const flow = z.string().regex(/^[A-Za-z0-9_-]{43}$/);

/**
 * Nobody here has this outside account yet. The page asks for what the brand's `register-settings`
 * require, except passwords and captcha, and for consent to the terms, and sends it with the
 * ticket.
 */
const awaitedRegistration = z.object({
  registration: z.literal(true),
  provider,
  /** Valid for one registration in this browser; a form with faults does not use it up. */
  ticket: flow,
  expiresAt: instantWire,
  /** From the provider; the form asks for an address only where this is null. */
  email: z.string().nullable(),
  /** Required besides the settings: a brand with one way to register identifies players by it. */
  requires: z.object({ username: z.boolean(), mobileNum: z.boolean() }),
});

export const externalLoginCalls = {
  "POST /api/v1/auth/external": call({
    summary: "Begin a login with Google or Facebook (OpenID Connect, PKCE): where to go",
    callers: ["visitor"],
    regional: true,
    body: z.strictObject({ provider }),
    reply: z.object({ url: z.url() }),
    refusals: ["feature_off", "external_login_failed"],
    rate: { max: 20, windowMs: 60_000 },
  }),
  "POST /api/v1/auth/external/finish": call({
    summary: "Finish it in the browser that began: a session, or the ticket of a registration",
    callers: ["visitor"],
    regional: true,
    body: z.strictObject({ flow }),
    reply: z.union([...loginReply.options, awaitedRegistration]),
    refusals: [
      "external_login_failed",
      "email_taken",
      "not_member_account",
      "not_agent_account",
      "feature_off",
    ],
    rate: { max: 20, windowMs: 60_000 },
  }),
  "PUT /api/v1/auth/external/register": call({
    summary: "Register the account outside that a ticket stands for, and log in",
    callers: ["visitor"],
    regional: true,
    encrypted: true,
    body: z.strictObject({ ticket: flow, ...registrationFields }),
    reply: loginReply,
    refusals: [...REGISTRATION_REFUSALS, "external_login_failed", "email_taken"],
    rate: { max: 20, windowMs: 60_000 },
  }),
} as const;

/** Outside accounts that a member links to their own account, in the security centre. */
export const externalAccountCalls = {
  "GET /api/v1/member/external-accounts": call({
    summary: "Accounts with Google and Facebook that open this one",
    callers: PLAYERS,
    reply: z.object({
      accounts: z.array(
        z.object({
          provider,
          linkedAt: instantWire,
          /** False for a player's only way to log in: they must set a password first. */
          removable: z.boolean(),
        }),
      ),
    }),
  }),
  "POST /api/v1/member/external-accounts": call({
    summary: "Begin to add an account; the provider leads back to /m/securityCenter?link={flow}",
    callers: PLAYERS,
    body: z.strictObject({ provider }),
    reply: z.object({ url: z.url() }),
    refusals: ["fresh_login_needed", "wrong_state", "feature_off", "external_login_failed"],
    rate: { max: 10, windowMs: 60_000 },
  }),
  "POST /api/v1/member/external-accounts/finish": call({
    summary: "Add the account that was shown, in the browser and the account that began",
    callers: PLAYERS,
    body: z.strictObject({ flow }),
    reply: z.object({ provider }),
    refusals: ["external_login_failed", "external_taken", "wrong_state"],
    rate: { max: 10, windowMs: 60_000 },
  }),
  "DELETE /api/v1/member/external-accounts/{provider}": call({
    summary: "Remove an account; it no longer logs in here",
    callers: PLAYERS,
    params: z.object({ provider }),
    reply: z.object({ removed: z.literal(true) }),
    refusals: ["fresh_login_needed", "not_found", "last_way_in"],
    rate: { max: 10, windowMs: 60_000 },
  }),
} as const;
