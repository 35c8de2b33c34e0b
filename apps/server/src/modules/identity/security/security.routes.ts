import type { securityCalls, twoFactorCalls } from "@perya/contract/security";
import { ok } from "@perya/kernel/result";
import { DEVICE_COOKIE, deviceHashOf } from "../defence/known-devices.ts";
import type { Passkeys } from "../factors/passkeys.ts";
import type { PaymentProofs } from "../factors/payment-proofs.ts";
import type { TwoFactor } from "../factors/two-factor.ts";
import { siteOf } from "../factors/webauthn.ts";
import { deviceOf, sessionReply } from "../logins/login-reply.ts";
import type { Logins } from "../logins/logins.ts";
import type { Routes } from "../sessions/routes.ts";
import type { Contacts } from "./contacts.ts";
import type { Security } from "./security.ts";

type SecurityRoutes = Routes<typeof securityCalls & typeof twoFactorCalls>;

export function securityRoutes(deps: {
  readonly logins: Logins;
  readonly security: Security;
  readonly contacts: Contacts;
  readonly twoFactor: TwoFactor;
  readonly passkeys: Passkeys;
  readonly paymentProofs: PaymentProofs;
  readonly publicUrl: string;
}): SecurityRoutes {
  const { logins, security, contacts, twoFactor, passkeys, paymentProofs, publicUrl } = deps;
  return {
    "GET /api/v1/member/security": async ({ session }) => {
      const [overview, kept] = await Promise.all([
        security.overview(session),
        passkeys.list(session),
      ]);
      return ok({ ...overview, passkeys: kept });
    },

    "POST /api/v1/auth/fresh": async ({ session, body }) => security.prove(session, body),

    "GET /api/v1/member/sessions": async ({ session }) =>
      ok({ sessions: await security.sessions(session) }),

    "DELETE /api/v1/member/sessions/{id}": async ({ session, params }) => {
      const ended = await security.endSession(session, params.id);
      return ended.ok ? ok({ ended: true as const }) : ended;
    },

    "DELETE /api/v1/member/sessions": async ({ session }) =>
      ok({ ended: await security.endOtherSessions(session) }),

    "GET /api/v1/member/logins": async ({ session, query }) => {
      const page = await security.logins(session, query);
      if (!page.ok) return page;
      const items = page.value.rows.map((row) => ({ ...row, at: row.at.getTime() }));
      return ok({ items, nextCursor: page.value.nextCursor });
    },

    "POST /api/v1/member/email": async ({ merchant, session, body, address, language }) => {
      const by = { address, language };
      const sent = await contacts.sendEmailLink(merchant, session, body.email, by);
      return sent.ok ? ok({ sent: true as const }) : sent;
    },

    "POST /api/v1/auth/email-link": async ({ merchant, body, language }) =>
      contacts.verifyEmail(merchant, body.token, language),

    "POST /api/v1/member/mobile-code": async ({ merchant, session, body, ...call }) => {
      const deviceHash = deviceHashOf(call.cookie(DEVICE_COOKIE))?.toString("base64url") ?? null;
      const { address, language } = call;
      return contacts.sendMobileCode(merchant, session, body, { address, deviceHash, language });
    },

    "POST /api/v1/member/mobile": async ({ merchant, session, body, language }) =>
      contacts.verifyMobile(merchant, session, body, language),

    "POST /api/v1/member/payment-password": async ({ merchant, session, body, language }) => {
      const set = await security.setPaymentPassword(merchant, session, body, language);
      return set.ok ? ok({ set: true as const }) : set;
    },

    "POST /api/v1/member/payment-proof/options": async ({ merchant, session, host }) =>
      ok(await passkeys.paymentOptions(merchant, session, siteOf(publicUrl, host))),

    "POST /api/v1/member/payment-proof": async ({ merchant, session, body, host }) => {
      const { withdrawal, by } = body;
      const proof = "paymentPassword" in by ? by : { by, site: siteOf(publicUrl, host) };
      return paymentProofs.prove(merchant, session, withdrawal, proof);
    },

    "POST /api/v1/member/totp": async ({ merchant, session }) => twoFactor.begin(merchant, session),

    "POST /api/v1/member/totp/confirm": async ({ merchant, session, body, language }) => {
      const codes = await twoFactor.confirm(merchant, session, body.code, language);
      return codes.ok ? ok({ recoveryCodes: codes.value }) : codes;
    },

    "POST /api/v1/member/totp/recovery-codes": async ({ merchant, session, language }) => {
      const codes = await twoFactor.renewRecoveryCodes(merchant, session, language);
      return codes.ok ? ok({ recoveryCodes: codes.value }) : codes;
    },

    "DELETE /api/v1/member/totp": async ({ merchant, session, body, language }) => {
      const removed = await twoFactor.remove(merchant, session, body.code, language);
      return removed.ok ? ok({ removed: true as const }) : removed;
    },

    "POST /api/v1/auth/second-factor": async (call) => {
      const finished = await logins.finishSecondFactor(call.merchant, call.body, deviceOf(call));
      return finished.ok ? ok(sessionReply(call, finished.value)) : finished;
    },
  };
}
