import {
  EXTERNAL_PROVIDERS,
  type ExternalProvider,
  type externalAccountCalls,
  type externalLoginCalls,
} from "@perya/contract/external-login";
import { SECOND_MS } from "@perya/kernel/instant";
import { ok } from "@perya/kernel/result";
import type { FastifyInstance } from "fastify";
import { cookieOf } from "../../../platform/http/cookies.ts";
import type { Merchant } from "../../brand/brand.ts";
import { siteOf } from "../factors/webauthn.ts";
import { deviceOf, loginReply } from "../logins/login-reply.ts";
import type { Routes } from "../sessions/routes.ts";
import type { ExternalAccounts } from "./external-accounts.ts";
import { type ExternalFlows, FLOW_MS } from "./external-flows.ts";
import { type ExternalLogins, TICKET_MS } from "./external-login.ts";

/** Names the browser that began a login, for as long as the login may take. */
const BROWSER_COOKIE = "perya_external";

export function externalLoginRoutes(deps: {
  readonly externalFlows: ExternalFlows;
  readonly externalLogins: ExternalLogins;
  readonly externalAccounts: ExternalAccounts;
  readonly publicUrl: string;
}): Routes<typeof externalLoginCalls & typeof externalAccountCalls> {
  const { externalFlows, externalLogins, externalAccounts, publicUrl } = deps;
  /** Lax: the provider redirects the browser back, which would not send a strict cookie. */
  const cookie = { sameSite: "lax" } as const;
  return {
    "POST /api/v1/auth/external": async (call) => {
      const { origin } = siteOf(publicUrl, call.host);
      const begun = await externalFlows.begin(call.merchant, call.body.provider, origin);
      if (!begun.ok) return begun;
      const { url, browser } = begun.value;
      call.setCookie(BROWSER_COOKIE, browser, { ...cookie, maxAgeS: FLOW_MS / SECOND_MS });
      return ok({ url });
    },

    "POST /api/v1/auth/external/finish": async (call) => {
      const browser = call.cookie(BROWSER_COOKIE);
      const given = { flow: call.body.flow, browser };
      const result = await externalLogins.finish(call.merchant, given, deviceOf(call));
      if (!result.ok) return result;
      if ("ticket" in result.value) {
        const maxAgeS = TICKET_MS / SECOND_MS;
        call.setCookie(BROWSER_COOKIE, browser ?? "", { ...cookie, maxAgeS });
        return ok({ registration: true as const, ...result.value });
      }
      const reply = loginReply(call, result.value);
      call.setCookie(BROWSER_COOKIE, "", { ...cookie, maxAgeS: 0 });
      return ok(reply);
    },

    "PUT /api/v1/auth/external/register": async (call) => {
      const { ticket: flow, ...form } = call.body;
      const given = { flow, browser: call.cookie(BROWSER_COOKIE) };
      const result = await externalLogins.register(call.merchant, given, form, deviceOf(call));
      if (!result.ok) return result;
      const reply = loginReply(call, result.value);
      call.setCookie(BROWSER_COOKIE, "", { ...cookie, maxAgeS: 0 });
      return ok(reply);
    },

    "GET /api/v1/member/external-accounts": async ({ merchant, session }) =>
      ok({ accounts: await externalAccounts.list(merchant, session) }),

    "POST /api/v1/member/external-accounts": async (call) => {
      const { merchant, session, body } = call;
      const { origin } = siteOf(publicUrl, call.host);
      const begun = await externalAccounts.begin(merchant, session, body.provider, origin);
      if (!begun.ok) return begun;
      const { url, browser } = begun.value;
      call.setCookie(BROWSER_COOKIE, browser, { ...cookie, maxAgeS: FLOW_MS / SECOND_MS });
      return ok({ url });
    },

    "POST /api/v1/member/external-accounts/finish": async (call) => {
      const { merchant, session, language } = call;
      const given = { flow: call.body.flow, browser: call.cookie(BROWSER_COOKIE) };
      const added = await externalAccounts.finish(merchant, session, given, language);
      if (added.ok) call.setCookie(BROWSER_COOKIE, "", { ...cookie, maxAgeS: 0 });
      return added;
    },

    "DELETE /api/v1/member/external-accounts/{provider}": async (call) => {
      const { merchant, session, params, language } = call;
      const removed = await externalAccounts.remove(merchant, session, params.provider, language);
      return removed.ok ? ok({ removed: true as const }) : removed;
    },
  };
}

/** Where the provider sends the browser back to, and on to the page that ends the flow. */
export function externalLoginPages(
  app: FastifyInstance,
  deps: {
    readonly externalFlows: ExternalFlows;
    readonly publicUrl: string;
    readonly secure: boolean;
    readonly merchantOf: (host: string) => Promise<Merchant | null>;
  },
): void {
  const { externalFlows, publicUrl, secure, merchantOf } = deps;
  // A HEAD request must not use up what is valid once.
  app.head("/auth/callback/:provider", (_request, reply) => reply.code(404).send());
  app.get<{ Params: { provider: string } }>(
    "/auth/callback/:provider",
    { exposeHeadRoute: false },
    async (request, reply) => {
      const provider = providerNamed(request.params.provider);
      const merchant = await merchantOf(request.sender.hostname);
      if (provider === null || merchant === null) return reply.callNotFound();
      const { origin } = siteOf(publicUrl, request.sender.host);
      const { search } = new URL(request.url, origin);
      const browser = cookieOf(request, BROWSER_COOKIE, secure);
      const back = { origin, search, browser };
      const { flow, links } = await externalFlows.comeBack(merchant, provider, back);
      const page = links ? `/m/securityCenter?link=${flow}` : `/m/login?flow=${flow}`;
      return reply.header("cache-control", "no-store").redirect(page, 303);
    },
  );
}

function providerNamed(name: string): ExternalProvider | null {
  return EXTERNAL_PROVIDERS.find((provider) => provider === name) ?? null;
}
