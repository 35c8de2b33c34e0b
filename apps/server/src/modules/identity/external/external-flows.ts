import { EXTERNAL_PROVIDERS, type ExternalProvider } from "@perya/contract/external-login";
import { type Refusal, refusal } from "@perya/contract/refusal";
import { MINUTE_MS } from "@perya/kernel/instant";
import { ok, type Result, refuse } from "@perya/kernel/result";
import { AuthorizationResponseError } from "openid-client";
import { hashOfToken, mintToken, TOKEN } from "../../../platform/bearer-token.ts";
import type { OpenIdClient } from "../../../platform/config.ts";
import { type Db, withTransaction } from "../../../platform/postgres/pool.ts";
import { createSealing, type Sealing } from "../../../platform/sealing.ts";
import type { ModuleParts } from "../../../platform/server-module.ts";
import { isOn, type Merchant } from "../../brand/brand.ts";
import { lockMember } from "../members/members.store.ts";
import type { Sessions } from "../sessions/sessions.ts";
import {
  type Adder,
  type ExternalIdentity,
  endFlow,
  findProof,
  insertFlow,
  insertProof,
  type ProofKey,
  type ProofUse,
  type ProvenIdentity,
  takeFlow,
  takeProof,
} from "./external-login.store.ts";
import { Issuer } from "./external-login-issuer.ts";

export const FLOW_MS = 10 * MINUTE_MS;

/** How long the page to which they return may take to load. */
const PROOF_MS = 5 * MINUTE_MS;

const FLAGS = { google: "GOOGLELOGIN3", facebook: "FACEBOOKLOGIN3" } as const;

/**
 * Facebook's discovery document names no token endpoint; its guide does
 * (https://developers.facebook.com/docs/facebook-login/guides/advanced/oidc-token).
 */
const TOKEN_ENDPOINTS = {
  google: null,
  facebook: "https://graph.facebook.com/oauth/access_token",
} as const;

export const FAILED = refusal("external_login_failed");

export interface ExternalFlowsOptions
  extends Pick<ModuleParts, "pool" | "clock" | "entropy" | "log"> {
  /** Null for a provider at which this installation is not registered. */
  readonly clients: Readonly<Record<ExternalProvider, OpenIdClient | null>>;
  readonly secret: string;
  readonly sessions: Sessions;
}

export interface BegunLogin {
  readonly url: string;
  /** For a cookie of the browser that began the login: no other browser can end it. */
  readonly browser: string;
}

export interface GivenFlow {
  readonly flow: string;
  readonly browser: string | undefined;
}

export interface ComingBack {
  /** Scheme, host and port to which it came back. */
  readonly origin: string;
  /** What the provider added to the address, with the question mark. */
  readonly search: string;
  readonly browser: string | undefined;
}

/**
 * Ways to an account at Google or Facebook and back: OpenID Connect's authorization code with PKCE
 * (RFC 9700, 2.1). Every failure on the way has the same code, since the reason is of no use to an
 * honest player; the log has the reason.
 */
export class ExternalFlows {
  readonly #options: ExternalFlowsOptions;
  readonly #issuers: ReadonlyMap<ExternalProvider, Issuer>;
  readonly #sealing: Sealing;

  constructor(options: ExternalFlowsOptions) {
    this.#options = options;
    this.#sealing = createSealing(options.secret, "external-login");
    this.#issuers = new Map(
      EXTERNAL_PROVIDERS.flatMap((provider) => {
        const client = options.clients[provider];
        if (client === null) return [];
        return [[provider, new Issuer(client, options.clock, TOKEN_ENDPOINTS[provider])]];
      }),
    );
  }

  /** The providers by which one may log in to a brand: those configured whose flag is on. */
  offered(merchant: Merchant): ExternalProvider[] {
    return EXTERNAL_PROVIDERS.filter(
      (provider) => this.#issuers.has(provider) && isOn(merchant, FLAGS[provider]),
    );
  }

  /**
   * Begins a login at the brand's own address, or the adding of an account to a member's. Refuses
   * with `feature_off`, or `external_login_failed` if the provider cannot be reached. An adder's
   * session is checked again, since that may have taken long: it refuses as `lockFresh` does.
   */
  async begin(
    merchant: Merchant,
    provider: ExternalProvider,
    origin: string,
    adder: Adder | null = null,
  ): Promise<Result<BegunLogin, Refusal>> {
    const { pool, clock, entropy, sessions } = this.#options;
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
    const begun = {
      stateHash: state.hash,
      merchantId: merchant.id,
      provider,
      sealedVerifier: await this.#sealing.seal(verifier),
      nonce,
      browserHash: browser.hash,
      adder,
      expiresAt: clock.now() + FLOW_MS,
    };
    const kept = await withTransaction(pool, async (client): Promise<Result<void, Refusal>> => {
      const fresh =
        adder === null
          ? ok(undefined)
          : await sessions.lockFresh(client, { id: adder.sessionId, memberId: adder.memberId });
      if (fresh.ok) await insertFlow(client, begun);
      return fresh;
    });
    return kept.ok ? ok({ url, browser: browser.token }) : kept;
  }

  /**
   * Judges what the provider says of a browser that came back. Answers a token for the page's
   * address, valid once and in that browser alone, and whether it adds an account to a member's. If
   * anything was wrong, the token is valid for nothing, so that the page learns the outcome in one
   * place: from the call that ends the flow.
   */
  async comeBack(
    merchant: Merchant,
    provider: ExternalProvider,
    back: ComingBack,
  ): Promise<{ flow: string; links: boolean }> {
    const { pool, clock, entropy } = this.#options;
    const flow = mintToken(entropy);
    const taken = mintToken(entropy).hash;
    const { identity: proven, use } = await this.#cameBack(merchant, provider, back, taken);
    if (proven !== null && back.browser !== undefined) {
      const browserHash = hashOfToken(back.browser);
      const key = { flowHash: flow.hash, merchantId: merchant.id, browserHash, use };
      await withTransaction(pool, async (client) => {
        if (use.purpose === "link") await lockMember(client, use.memberId);
        // Asking the provider took time: a flow that was voided meanwhile proves nothing.
        if (!(await endFlow(client, taken))) return;
        await insertProof(client, key, { ...proven, provider }, clock.now() + PROOF_MS);
      });
    }
    return { flow: flow.token, links: use.purpose === "link" };
  }

  /** Takes what a flow proved for a use; null for another use, and if the provider is now off. */
  async takeProof(
    db: Db,
    merchant: Merchant,
    given: GivenFlow,
    use: ProofUse,
  ): Promise<ProvenIdentity | null> {
    const key = keyOf(merchant, given, use);
    const proof = key && (await takeProof(db, key, this.#options.clock.now()));
    return proof !== null && this.offered(merchant).includes(proof.provider) ? proof : null;
  }

  /** As `takeProof`, but leaves it in place for the transaction that uses it. */
  async findProof(merchant: Merchant, given: GivenFlow, use: ProofUse) {
    const key = keyOf(merchant, given, use);
    const proof = key && (await findProof(this.#options.pool, key, this.#options.clock.now()));
    if (key === null || proof === null) return null;
    return this.offered(merchant).includes(proof.provider) ? { key, proof } : null;
  }

  #issuerFor(merchant: Merchant, provider: ExternalProvider): Issuer | null {
    return (this.offered(merchant).includes(provider) && this.#issuers.get(provider)) || null;
  }

  async #cameBack(
    merchant: Merchant,
    provider: ExternalProvider,
    { origin, search, browser }: ComingBack,
    taken: Buffer,
  ): Promise<{ identity: ExternalIdentity | null; use: ProofUse }> {
    const { pool, clock } = this.#options;
    const nobody = { identity: null, use: LOGIN };
    const issuer = this.#issuerFor(merchant, provider);
    const state = new URLSearchParams(search).get("state") ?? "";
    if (issuer === null || browser === undefined || !TOKEN.test(state)) return nobody;
    const begun = {
      stateHash: hashOfToken(state),
      merchantId: merchant.id,
      provider,
      browserHash: hashOfToken(browser),
    };
    const flow = await takeFlow(pool, begun, taken, clock.now());
    if (flow === null) return nobody;
    const use = useBy(flow.adder);
    const verifier = await this.#sealing.open(flow.sealedVerifier);
    if (verifier === null) return { identity: null, use };
    const callback = new URL(redirectUri(origin, provider) + search);
    const identity = await this.#asked(provider, () =>
      issuer.identityOf(callback, { state, nonce: flow.nonce, verifier }),
    );
    return { identity, use };
  }

  /** The library throws for a wrong answer of the provider and for network errors alike. */
  async #asked<T>(provider: ExternalProvider, ask: () => Promise<T>): Promise<T | null> {
    try {
      return await ask();
    } catch (error) {
      // The error's other fields may hold the token itself.
      const reason = error instanceof Error ? error.message : String(error);
      const code = error instanceof Error && "code" in error ? String(error.code) : null;
      // A player who changes their mind is no fault.
      const level = error instanceof AuthorizationResponseError ? "info" : "warn";
      this.#options.log[level]({ provider, code, reason }, "a login from outside failed");
      return null;
    }
  }
}

const NOBODY = { memberId: null, sessionId: null } as const;
export const LOGIN: ProofUse = { purpose: "login", ...NOBODY };
export const REGISTRATION: ProofUse = { purpose: "registration", ...NOBODY };

function useBy(adder: Adder | null): ProofUse {
  return adder === null ? LOGIN : { purpose: "link", ...adder };
}

/** Null for a browser that began nothing. */
export function keyOf(
  merchant: Merchant,
  { flow, browser }: GivenFlow,
  use: ProofUse,
): ProofKey | null {
  if (browser === undefined) return null;
  const browserHash = hashOfToken(browser);
  return { flowHash: hashOfToken(flow), merchantId: merchant.id, browserHash, use };
}

function redirectUri(origin: string, provider: ExternalProvider): string {
  return `${origin}/auth/callback/${provider}`;
}
