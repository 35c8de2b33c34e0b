import type { authCalls, memberCalls } from "@perya/contract/auth";
import { fieldRefusal } from "@perya/contract/refusal";
import type { systemCalls } from "@perya/contract/system";
import { present } from "@perya/kernel/assert";
import type { Clock } from "@perya/kernel/instant";
import { ok, refuse } from "@perya/kernel/result";
import type pg from "pg";
import type { Merchant } from "../brand/brand.ts";
import type { FreePlay } from "./accounts/free-play.ts";
import type { Registrations } from "./accounts/registration.ts";
import type { Captchas } from "./defence/captcha.ts";
import type { PayloadKeys } from "./defence/payload-keys.ts";
import {
  deviceOf,
  keepDevice,
  type LoginCall,
  loginReply,
  sessionReply,
} from "./logins/login-reply.ts";
import type { Logins } from "./logins/logins.ts";
import { findMember } from "./members/members.store.ts";
import type { Routes } from "./sessions/routes.ts";
import type { Sessions } from "./sessions/sessions.ts";

type IdentityCalls = typeof authCalls &
  typeof memberCalls &
  Pick<typeof systemCalls, "GET /api/v1/encryption-key">;

export function identityRoutes(deps: {
  readonly pool: pg.Pool;
  readonly sessions: Sessions;
  readonly logins: Logins;
  readonly registrations: Registrations;
  readonly freePlay: FreePlay;
  readonly captchas: Captchas;
  readonly payloadKeys: PayloadKeys;
  readonly clock: Clock;
}): Routes<IdentityCalls> {
  const { pool, sessions, logins, registrations, freePlay, captchas, payloadKeys, clock } = deps;

  async function startTrial(call: LoginCall & { readonly merchant: Merchant }) {
    const result = await freePlay.start(call.merchant, deviceOf(call));
    if (!result.ok) return result;
    const { type, ...session } = sessionReply(call, result.value);
    return ok({ ...session, customerType: type });
  }

  return {
    "GET /api/v1/encryption-key": async ({ merchant }) =>
      ok({ ...(await payloadKeys.publicKey()), aud: merchant.code, now: clock.now() }),

    "POST /api/v1/auth/login": async (call) => {
      const result = await logins.login(call.merchant, call.body, deviceOf(call));
      return result.ok ? ok(loginReply(call, result.value)) : result;
    },

    "PUT /api/v1/auth/register": async (call) => {
      const result = await registrations.register(call.merchant, call.body, deviceOf(call));
      if (!result.ok) return result;
      keepDevice(call, result.value.deviceToken);
      return ok({ userName: result.value.username });
    },

    "GET /api/v1/auth/register-settings": async ({ merchant }) =>
      ok({
        minimumAge: merchant.settings.minimumAge,
        methods: merchant.settings.registration,
        fields: merchant.settings.registerFields,
      }),

    "GET /api/v1/auth/verification": async ({ merchant, query }) => {
      const faults = registrations.verify(merchant, query.field, query.value);
      return ok({
        valid: faults.length === 0,
        faults: faults.map(({ code, limit }) => ({
          code,
          ...(limit === undefined ? {} : { limit }),
        })),
      });
    },

    "GET /api/v1/auth/invitation-code": async ({ merchant, query }) =>
      ok({ success: await registrations.invites(merchant, query.code) }),

    "GET /api/v1/auth/username-availability": async ({ merchant, query }) =>
      ok({ available: await registrations.isFree(merchant, query.username) }),

    "GET /api/v1/auth/captcha": async ({ merchant, query }) =>
      ok(await captchas.make(merchant.id, query.kind)),

    "POST /api/v1/auth/test-play": startTrial,

    "GET /api/v1/auth/trial-account": async (call) => {
      // No link or form of another site sends this header, so it can log nobody in or out here.
      const isOwnPage = call.headers["x-language"] !== undefined;
      return isOwnPage ? startTrial(call) : refuse(fieldRefusal("x-language", "required"));
    },

    "DELETE /api/v1/auth/logout": async (call) => {
      // The cookie stays, and no longer opens anything: a slow reply that cleared it by name would
      // log out a person who has logged in since.
      await sessions.end(call.session.id);
      return ok({ ended: true as const });
    },

    "GET /api/v1/member/info": async ({ session }) => {
      const { merchantId, memberId } = session;
      const found = await findMember(pool, merchantId, memberId);
      const member = present(found, "the member of a session");
      return ok({
        id: member.id,
        account: member.username,
        nickname: member.nickname,
        type: member.type,
        clubLabel: null,
        createdAt: member.created_at.getTime(),
        lastLoginAt: member.last_login_at?.getTime() ?? null,
      });
    },
  };
}
