import type { ExternalProvider } from "@perya/contract/external-login";
import { ok } from "@perya/kernel/result";
import { expect } from "vitest";
import type { BrandSettingsJson, Merchant } from "../../apps/server/src/modules/brand/brand.ts";
import { ExternalFlows } from "../../apps/server/src/modules/identity/external/external-flows.ts";
import { ExternalLogins } from "../../apps/server/src/modules/identity/external/external-login.ts";
import { createLogger } from "../../apps/server/src/platform/log.ts";
import { taken } from "./answers.ts";
import { makeBrand } from "./fixtures.ts";
import { openIdentityHarness } from "./identity-harness.ts";
import {
  type OpenIdProvider,
  type People,
  type Person,
  startOpenIdProvider,
  throughProvider,
} from "./openid-provider.ts";

export const PERYA = "https://perya.test";
export const FIESTA = "https://fiesta.test";
export const PHONE = {
  address: "203.0.113.7",
  userAgent: "a phone",
  asker: "a browser",
};
/** Both external logins are on. */
export const FLAGS = { GOOGLELOGIN3: true, FACEBOOKLOGIN3: true };

/** Where a person logs in: by default with Google at the first brand. */
interface Place {
  readonly merchant?: Merchant;
  readonly origin?: string;
  readonly provider?: ExternalProvider;
}

type Clients = ConstructorParameters<typeof ExternalFlows>[0]["clients"];
type GivenFlow = Parameters<ExternalLogins["finish"]>[1];

export type ExternalLoginHarness = Awaited<ReturnType<typeof openExternalLoginHarness>>;

/**
 * Two brands with external logins on their own database, and a provider that stands in for both
 * Google and Facebook and knows these people. `close` it at the end.
 */
export async function openExternalLoginHarness(seed: string, people: People) {
  const harness = await openIdentityHarness(seed);
  const { clock, db, entropy, identity } = harness;
  const outside: OpenIdProvider = await startOpenIdProvider(people, { clock });
  outside.register(
    [PERYA, FIESTA].flatMap((origin) => [callback(origin, "google"), callback(origin, "facebook")]),
  );
  const perya = await makeBrand(db.pool, clock, { settings: { flags: FLAGS } });
  const fiesta = await makeBrand(db.pool, clock, { settings: { flags: FLAGS } });
  const flows = flowsOver({ google: outside.client, facebook: outside.client });
  const logins = new ExternalLogins({ pool: db.pool, clock, entropy, ...identity, flows });

  /** The same module with other providers configured. */
  function flowsOver(clients: Clients): ExternalFlows {
    return new ExternalFlows({
      ...{ pool: db.pool, clock, entropy, sessions: identity.sessions, clients },
      log: createLogger({ level: "silent" }),
      secret: "a secret of this test's own",
    });
  }

  async function begin({ merchant = perya, origin = PERYA, provider = "google" }: Place = {}) {
    return taken(await flows.begin(merchant, provider, origin));
  }

  async function cameBack(...back: Parameters<ExternalFlows["comeBack"]>): Promise<string> {
    const { flow, links } = await flows.comeBack(...back);
    expect(links).toBe(false);
    return flow;
  }

  /** Goes from the login popup to the page to which the provider's answer leads. */
  async function backFrom(person: Person, place: Place = {}) {
    const { merchant = perya, origin = PERYA, provider = "google" } = place;
    const { url, browser } = await begin(place);
    const { href, search } = await throughProvider(url, person);
    expect(href.startsWith(`${callback(origin, provider)}?`), href).toBe(true);
    const flow = await cameBack(merchant, provider, { origin, search, browser });
    return { flow, browser };
  }

  return {
    ...harness,
    outside,
    perya,
    fiesta,
    flows,
    flowsOver,
    logins,
    begin,
    backFrom,
    cameBack,

    /** Logs a person in; the first time registers them with an empty form. */
    async logIn(person: Person, place: Place = {}) {
      const merchant = place.merchant ?? perya;
      const given = await backFrom(person, place);
      const done = await logins.finish(merchant, given, PHONE);
      if (!done.ok) return done;
      if (!("ticket" in done.value)) return ok(done.value);
      return logins.register(merchant, { ...given, flow: done.value.ticket }, {}, PHONE);
    },

    /** The login of a person who is no member yet. */
    async stranger(login: string, place: Place = {}) {
      const back = await backFrom({ login }, place);
      const value = taken(await logins.finish(place.merchant ?? perya, back, PHONE));
      if (!("ticket" in value)) throw new Error(`${login} is a member already`);
      const given: GivenFlow = { ...back, flow: value.ticket };
      return { ticket: value, given };
    },

    /** A brand with both logins that requires these registration fields. */
    brandWith(
      required: Readonly<Record<string, true>>,
      registration: BrandSettingsJson["registration"] = { username: true, mobile: true },
    ): Promise<Merchant> {
      const registerFields = Object.fromEntries(
        Object.entries(perya.settings.registerFields).map(([name, field]) => [
          name,
          required[name] === true ? { ...field, enabled: true, required: true } : field,
        ]),
      );
      const settings = { flags: FLAGS, registration, registerFields };
      return makeBrand(db.pool, clock, { settings });
    },

    /** A member with a verified e-mail address. */
    async addMember(merchant: Merchant, username: string, email: string): Promise<string> {
      const id = `mem_${username}`;
      const added = await identity.addMember(merchant, {
        id,
        merchantId: merchant.id,
        username,
        nickname: null,
        email,
        emailVerified: true,
        birthday: null,
        affiliateCode: null,
        type: 0,
        passwordHash: null,
      });
      expect(added).toBe("added");
      return id;
    },

    async members(): Promise<number> {
      const { rows } = await db.pool.query("SELECT count(*) FROM members");
      return Number(rows[0].count);
    },

    async close(): Promise<void> {
      await outside.close();
      await harness.close();
    },
  };
}

/** The address to which a provider sends the browser back. */
export function callback(origin: string, provider: ExternalProvider): string {
  return `${origin}/auth/callback/${provider}`;
}
