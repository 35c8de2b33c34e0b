import type { passkeyCalls } from "@perya/contract/security";
import { ok } from "@perya/kernel/result";
import type { Passkeys } from "../factors/passkeys.ts";
import { siteOf } from "../factors/webauthn.ts";
import type { Routes } from "../sessions/routes.ts";
import { deviceOf, sessionReply } from "./login-reply.ts";
import type { Logins } from "./logins.ts";

export function passkeyRoutes(deps: {
  readonly logins: Logins;
  readonly passkeys: Passkeys;
  readonly publicUrl: string;
}): Routes<typeof passkeyCalls> {
  const { logins, passkeys, publicUrl } = deps;
  const site = ({ host }: { readonly host: string }) => siteOf(publicUrl, host);
  return {
    "POST /api/v1/member/passkeys/options": async (call) =>
      passkeys.registrationOptions(call.merchant, call.session, site(call)),

    "POST /api/v1/member/passkeys": async (call) =>
      passkeys.register(call.merchant, call.session, site(call), call.body, call.language),

    "DELETE /api/v1/member/passkeys/{id}": async ({ merchant, session, params, language }) => {
      const removed = await passkeys.remove(merchant, session, params.id, language);
      return removed.ok ? ok({ removed: true as const }) : removed;
    },

    "POST /api/v1/auth/passkey-options": async (call) =>
      ok(await passkeys.loginOptions(call.merchant, site(call))),

    "POST /api/v1/auth/passkey": async (call) => {
      const owner = await passkeys.owner(call.merchant, site(call), call.body);
      if (!owner.ok) return owner;
      const device = deviceOf(call);
      const entered = await logins.finishPasskeyLogin(call.merchant, owner.value, device);
      return entered.ok ? ok(sessionReply(call, entered.value)) : entered;
    },
  };
}
