import { EXTERNAL_PROVIDERS, type ExternalProvider } from "@perya/contract/external-login";
import { type Refusal, refusal } from "@perya/contract/refusal";
import { present } from "@perya/kernel/assert";
import { mintId } from "@perya/kernel/ids";
import { type Clock, type Entropy, MINUTE_MS } from "@perya/kernel/instant";
import { ok, type Result, refuse } from "@perya/kernel/result";
import { AuthorizationResponseError } from "openid-client";
import type pg from "pg";
import type { OpenIdClient } from "../../platform/config.ts";
import type { Logger } from "../../platform/log.ts";
import { isOn, type Merchant } from "../brand/brand.ts";
import { hashOfToken, mintToken } from "./bearer-token.ts";
import {
  type ExternalAccount,
  type ExternalIdentity,
  findExternalMember,
  insertExternalMember,
  insertFlow,
  insertProof,
  sweepExternal,
  takeFlow,
  takeProof,
} from "./external-login.store.ts";
import { Issuer } from "./external-login-issuer.ts";
import { findMember, type MemberRow } from "./identity.store.ts";
import type { Identity } from "./identity.ts";
import { createSealing, type Sealing } from "./sealing.ts";
import type { PendingLogin } from "./second-factor.ts";
import { doorFault } from "./session.ts";
import type { Device, LoggedIn } from "./sessions.ts";

/** How long a player may be away at the provider. */
export const FLOW_MS = 10 * MINUTE_MS;
/** How long the page that they come back to may take to load. */
const PROOF_MS = 5 * MINUTE_MS;
const TOKEN = /^[A-Za-z0-9_-]{43}$/;
/** Names tried for a new member before something else must be wrong. */
const DERIVED_NAMES = 4;

const FLAGS = { google: "GOOGLELOGIN3", facebook: "FACEBOOKLOGIN3" } as const;
/**
 * Facebook's discovery document names no token endpoint; its guide does
 * (https://developers.facebook.com/docs/facebook-login/guides/advanced/oidc-token).
 */
const TOKEN_ENDPOINTS = {
  google: null,
  facebook: "https://graph.facebook.com/oauth/access_token",
} as const;

const FAILED = refusal("external_login_failed");

export interface ExternalLoginsOptions {
  readonly pool: pg.Pool;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly log: Logger;
  /** Null for a provider at which this installation is not registered. */
  readonly clients: Readonly<Record<ExternalProvider, OpenIdClient | null>>;
  readonly secret: string;
  readonly identity: Pick<Identity, "addMember" | "finishLogin">;
}

/** A login that has begun. */
export interface BegunLogin {
  readonly url: string;
  /** For a cookie of the browser that began: none but that browser ends the login. */
  readonly browser: string;
}

/** A browser that the provider sent back. */
export interface ComingBack {
  /** Scheme, host and port that it came back to. */
  readonly origin: string;
  /** What the provider added to the address, with the question mark. */
  readonly search: string;
  readonly browser: string | undefined;
}

/**
 * Logins with an account at Google or Facebook: OpenID Connect's authorization code with PKCE
 * (RFC 9700, 2.1). What may go wrong on the way is told in one word, since why is of no use to an
 * honest player; the log has it.
 */
export class ExternalLogins {
  readonly #options: ExternalLoginsOptions;
  readonly #issuers: ReadonlyMap<ExternalProvider, Issuer>;
  readonly #sealing: Sealing;

  constructor(options: ExternalLoginsOptions) {
    this.#options = options;
    this.#sealing = createSealing(options.secret, "external-login");
    this.#issuers = new Map(
      EXTERNAL_PROVIDERS.flatMap((provider) => {
        const client = options.clients[provider];
        return client === null ? [] : [[provider, new Issuer(client, TOKEN_ENDPOINTS[provider])]];
      }),
    );
  }

  /** With which accounts one may log in to a brand: those configured whose flag is on. */
  offered(merchant: Merchant): ExternalProvider[] {
    return EXTERNAL_PROVIDERS.filter(
      (provider) => this.#issuers.has(provider) && isOn(merchant, FLAGS[provider]),
    );
  }

  /**
   * Begins a login at the brand's own address; `feature_off`, or `external_login_failed` where
   * the provider cannot be reached.
   */
  async begin(
    merchant: Merchant,
    provider: ExternalProvider,
    origin: string,
  ): Promise<Result<BegunLogin, Refusal>> {
    const { pool, clock, entropy } = this.#options;
    const issuer = this.#issuerFor(merchant, provider);
    if (issuer === null) return refuse(refusal("feature_off"));
    const state = mintToken(entropy);
    const nonce = mintToken(entropy).token;
    const verifier = mintToken(entropy).token;
    const browser = mintToken(entropy);
    const secrets = { state: state.token, nonce, verifier };
    const url = await this.#asked(provider, () =>
      issuer.authorizationUrl(redirectUri(origin, provider), secrets),
    );
    if (url === null) return refuse(FAILED);
    await insertFlow(pool, {
      stateHash: state.hash,
      merchantId: merchant.id,
      provider,
      sealedVerifier: await this.#sealing.seal(verifier),
      nonce,
      browserHash: browser.hash,
      expiresAt: clock.now() + FLOW_MS,
    });
    return ok({ url, browser: browser.token });
  }

  /**
   * Judges what the provider says of a browser that came back. Answers a token for the page's
   * address, good once and in that browser alone; where anything was wrong it is good for nothing,
   * so that the page learns how it went in one place, from `finish`.
   */
  async comeBack(merchant: Merchant, provider: ExternalProvider, back: ComingBack) {
    const { pool, clock, entropy } = this.#options;
    const flow = mintToken(entropy);
    const identity = await this.#identityOf(merchant, provider, back);
    if (identity !== null && back.browser !== undefined) {
      await insertProof(pool, {
        ...identity,
        flowHash: flow.hash,
        merchantId: merchant.id,
        browserHash: hashOfToken(back.browser),
        provider,
        expiresAt: clock.now() + PROOF_MS,
      });
    }
    return flow.token;
  }

  /**
   * The session of the member whose account it is, who is made at the first login. Refuses with
   * `external_login_failed`, with what `finishLogin` says, or with `feature_off` where the brand
   * takes no new members.
   */
  async finish(
    merchant: Merchant,
    given: { readonly flow: string; readonly browser: string | undefined },
    device: Device,
  ): Promise<Result<LoggedIn | PendingLogin, Refusal>> {
    const { pool, clock, identity } = this.#options;
    if (given.browser === undefined) return refuse(FAILED);
    const proof = await takeProof(
      pool,
      {
        flowHash: hashOfToken(given.flow),
        merchantId: merchant.id,
        browserHash: hashOfToken(given.browser),
      },
      clock.now(),
    );
    if (proof === null || !this.offered(merchant).includes(proof.provider)) return refuse(FAILED);
    const account = { merchantId: merchant.id, ...proof };
    const known = await this.#memberOf(account);
    const member =
      known === null ? await this.#newMember(merchant, account, proof, device) : ok(known);
    if (!member.ok) return member;
    return identity.finishLogin(merchant, member.value, device, proof.provider);
  }

  /** Run by a job. */
  async sweep(): Promise<void> {
    await sweepExternal(this.#options.pool, this.#options.clock.now());
  }

  #issuerFor(merchant: Merchant, provider: ExternalProvider): Issuer | null {
    return (this.offered(merchant).includes(provider) && this.#issuers.get(provider)) || null;
  }

  async #identityOf(
    merchant: Merchant,
    provider: ExternalProvider,
    { origin, search, browser }: ComingBack,
  ): Promise<ExternalIdentity | null> {
    const { pool, clock } = this.#options;
    const issuer = this.#issuerFor(merchant, provider);
    const state = new URLSearchParams(search).get("state") ?? "";
    if (issuer === null || browser === undefined || !TOKEN.test(state)) return null;
    const begun = {
      stateHash: hashOfToken(state),
      merchantId: merchant.id,
      provider,
      browserHash: hashOfToken(browser),
    };
    const flow = await takeFlow(pool, begun, clock.now());
    const verifier = flow && (await this.#sealing.open(flow.sealedVerifier));
    if (flow === null || verifier === null) return null;
    const callback = new URL(redirectUri(origin, provider) + search);
    return this.#asked(provider, () =>
      issuer.identityOf(callback, { state, nonce: flow.nonce, verifier }),
    );
  }

  /** The library throws for what is wrong with a provider's answer, and for a network that is. */
  async #asked<T>(provider: ExternalProvider, ask: () => Promise<T>): Promise<T | null> {
    try {
      return await ask();
    } catch (error) {
      // What an error carries besides may hold the token itself.
      const reason = error instanceof Error ? error.message : String(error);
      const code = error instanceof Error && "code" in error ? String(error.code) : null;
      // A player who changes their mind is no trouble.
      const level = error instanceof AuthorizationResponseError ? "info" : "warn";
      this.#options.log[level]({ provider, code, reason }, "a login from outside failed");
      return null;
    }
  }

  async #memberOf(account: ExternalAccount): Promise<MemberRow | null> {
    const { pool } = this.#options;
    const id = await findExternalMember(pool, account);
    return id === null ? null : findMember(pool, account.merchantId, id);
  }

  /**
   * A member called by the last signs of its id, which tell nobody anything; the address is theirs
   * where the provider says so. An address that another member has verified makes no member:
   * whose account it is would then be the provider's to say, so its owner logs in as before.
   */
  async #newMember(
    merchant: Merchant,
    account: ExternalAccount,
    { email, emailVerified }: ExternalIdentity,
    device: Device,
  ): Promise<Result<MemberRow, Refusal>> {
    const { clock, entropy, identity } = this.#options;
    const { registration } = merchant.settings;
    if (!registration.username && !registration.mobile) return refuse(refusal("feature_off"));
    const closed = doorFault(merchant, MEMBER_TYPE, device.host);
    if (closed !== null) return refuse(closed);
    for (let round = 0; round < DERIVED_NAMES; round++) {
      const now = clock.now();
      const id = mintId("member", now, entropy.bytes(16));
      const member = {
        id,
        merchantId: merchant.id,
        username: `player_${id.slice(-8)}`,
        nickname: null,
        email,
        emailVerified,
        birthday: null,
        affiliateCode: null,
        type: MEMBER_TYPE,
        passwordHash: null,
      };
      const added = await addedOrTaken(() =>
        identity.addMember(merchant, member, (client) =>
          insertExternalMember(client, account, id, now),
        ),
      );
      if (added === "email_taken") return refuse(FAILED);
      if (added === "username_taken") continue;
      // Made here, or by another login of the same account at the same moment.
      return ok(present(await this.#memberOf(account), "the member of an account outside"));
    }
    throw new Error("no name was free for a new member");
  }
}

const MEMBER_TYPE = 0;

/** The address that is registered at the provider, one for each of a brand's hosts. */
function redirectUri(origin: string, provider: ExternalProvider): string {
  return `${origin}/auth/callback/${provider}`;
}

async function addedOrTaken(
  add: () => ReturnType<Identity["addMember"]>,
): Promise<"added" | "username_taken" | "mobile_taken" | "email_taken" | "account_taken"> {
  try {
    return await add();
  } catch (error) {
    const constraint = error instanceof Error && "constraint" in error ? error.constraint : null;
    if (constraint === "members_email") return "email_taken";
    if (constraint === "external_identities_pkey") return "account_taken";
    throw error;
  }
}
