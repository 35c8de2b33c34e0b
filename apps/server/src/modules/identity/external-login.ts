import { EXTERNAL_PROVIDERS, type ExternalProvider } from "@perya/contract/external-login";
import { type Refusal, refusal } from "@perya/contract/refusal";
import { present } from "@perya/kernel/assert";
import { type Clock, type Entropy, type Instant, MINUTE_MS } from "@perya/kernel/instant";
import { ok, type Result, refuse } from "@perya/kernel/result";
import { AuthorizationResponseError } from "openid-client";
import type pg from "pg";
import { hashOfToken, mintToken, TOKEN } from "../../platform/bearer-token.ts";
import type { OpenIdClient } from "../../platform/config.ts";
import type { Logger } from "../../platform/log.ts";
import { constraintOf, withTransaction } from "../../platform/postgres/pool.ts";
import { createSealing, type Sealing } from "../../platform/sealing.ts";
import { isOn, type Merchant } from "../brand/brand.ts";
import { lockMember } from "./account.store.ts";
import {
  type Adder,
  type ExternalAccount,
  type ExternalIdentity,
  endFlow,
  findExternalMember,
  findProof,
  insertExternalMember,
  insertFlow,
  insertProof,
  isEmailVerified,
  type ProofKey,
  type ProofUse,
  type ProvenIdentity,
  sweepExternal,
  takeFlow,
  takeProof,
} from "./external-login.store.ts";
import { Issuer } from "./external-login-issuer.ts";
import { findMember, type MemberRow } from "./identity.store.ts";
import type { Identity } from "./identity.ts";
import type { TakeProof } from "./owner-proof.ts";
import { type RegistrationFields, requiredOutside, takesMembers } from "./registration.ts";
import type { PendingLogin } from "./second-factor.ts";
import { doorFault, MEMBER_TYPE } from "./session.ts";
import type { Device, LoggedIn } from "./sessions.ts";

/** How long a player may stay at the provider. */
export const FLOW_MS = 10 * MINUTE_MS;
/** How long the page to which they return may take to load. */
const PROOF_MS = 5 * MINUTE_MS;
/** How long a stranger may take to fill in the form. */
export const TICKET_MS = 20 * MINUTE_MS;

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
  readonly identity: Pick<Identity, "registerOutside" | "finishLogin" | "sessions">;
}

export interface BegunLogin {
  readonly url: string;
  /** For a cookie of the browser that began the login: no other browser can end it. */
  readonly browser: string;
}

/** A login of somebody who is not a member yet, and what the form must ask to make them one. */
export interface AwaitedRegistration {
  readonly ticket: string;
  readonly expiresAt: Instant;
  readonly provider: ExternalProvider;
  readonly email: string | null;
  readonly requires: ReturnType<typeof requiredOutside>;
}

/** The flow that a page shows, and its browser's cookie. */
export interface GivenFlow {
  readonly flow: string;
  readonly browser: string | undefined;
}

/** A browser that the provider sent back. */
export interface ComingBack {
  /** Scheme, host and port to which it came back. */
  readonly origin: string;
  /** What the provider added to the address, with the question mark. */
  readonly search: string;
  readonly browser: string | undefined;
}

/**
 * Logins with an account at Google or Facebook: OpenID Connect's authorization code with PKCE (RFC
 * 9700, 2.1). Every failure on the way has the same code, since the reason is of no use to an
 * honest player; the log has the reason.
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
      const fresh = adder === null ? ok(undefined) : await this.#lockFresh(client, adder);
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
    const { identity, use } = await this.#cameBack(merchant, provider, back, taken);
    if (identity !== null && back.browser !== undefined) {
      const browserHash = hashOfToken(back.browser);
      const key = { flowHash: flow.hash, merchantId: merchant.id, browserHash, use };
      await withTransaction(pool, async (client) => {
        if (use.purpose === "link") await lockMember(client, use.memberId);
        // Asking the provider took time: a flow that was voided meanwhile proves nothing.
        if (!(await endFlow(client, taken))) return;
        await insertProof(client, key, { ...identity, provider }, clock.now() + PROOF_MS);
      });
    }
    return { flow: flow.token, links: use.purpose === "link" };
  }

  /**
   * The session of the member whose account it is, or a registration ticket if the account has no
   * member yet. Refuses with `external_login_failed`, with what `finishLogin` says, or, before a
   * form is asked for, with `feature_off`, `not_agent_account` and `email_taken`.
   */
  async finish(
    merchant: Merchant,
    given: GivenFlow,
    device: Device,
  ): Promise<Result<LoggedIn | PendingLogin | AwaitedRegistration, Refusal>> {
    const { clock, identity } = this.#options;
    const found = await this.#findProof(merchant, given, LOGIN);
    if (found === null) return refuse(FAILED);
    const { key, proof } = found;
    const take: TakeProof = async (db) => (await takeProof(db, key, clock.now())) !== null;
    const account = { merchantId: merchant.id, ...proof };
    const member = await this.#memberOf(account);
    if (member === null) return this.#ticket(merchant, proof, given, device, take);
    return identity.finishLogin(merchant, member, device, proof.provider, {
      take: async (db) => (await opens(db, account, member)) && (await take(db)),
      taken: FAILED,
    });
  }

  /**
   * Makes a member of the person for whom the ticket was issued, and logs them in. Refuses with
   * `external_login_failed` for a ticket that is used up, another browser's or too old, with what
   * `registerOutside` says, after which the ticket is still valid, or as `finish` does.
   */
  async register(
    merchant: Merchant,
    given: GivenFlow,
    form: RegistrationFields,
    device: Device,
  ): Promise<Result<LoggedIn | PendingLogin, Refusal>> {
    const { pool, clock, identity } = this.#options;
    const shown = await this.#findProof(merchant, given, REGISTRATION);
    if (shown === null) return refuse(FAILED);
    const { key, proof } = shown;
    const account = { merchantId: merchant.id, ...proof };
    let made: Result<{ readonly deviceToken: string }, Refusal> = refuse(FAILED);
    if ((await this.#memberOf(account)) === null) {
      const closed = doorFault(merchant, MEMBER_TYPE, device.host);
      if (closed !== null) return refuse(closed);
      made = await unlessOvertaken(() =>
        identity.registerOutside(
          merchant,
          form,
          {
            ...proof,
            also: async (client, memberId) => {
              const ours = await takeProof(client, key, clock.now());
              if (ours === null) throw new TicketSpent();
              await insertExternalMember(client, account, memberId, clock.now());
            },
          },
          device,
        ),
      );
    }
    const found = await this.#memberOf(account);
    if (!made.ok && found === null) return made;
    // If another ticket of the same account was first, this one is used up by the login alone,
    // whatever was wrong with the form. If it was this very ticket, nothing is left to use up.
    if (!made.ok && (await takeProof(pool, key, clock.now())) === null) return refuse(FAILED);
    const member = present(found, "the member of an account outside");
    const known = made.ok ? { ...device, token: made.value.deviceToken } : device;
    return identity.finishLogin(merchant, member, known, proof.provider, {
      take: (db) => opens(db, account, member),
      taken: FAILED,
    });
  }

  /** Takes what a flow proved for a use; null for another use, and if the provider is now off. */
  async takeProof(
    db: pg.Pool | pg.ClientBase,
    merchant: Merchant,
    given: GivenFlow,
    use: ProofUse,
  ): Promise<ProvenIdentity | null> {
    const key = keyOf(merchant, given, use);
    const proof = key && (await takeProof(db, key, this.#options.clock.now()));
    return proof !== null && this.offered(merchant).includes(proof.provider) ? proof : null;
  }

  /** As `takeProof`, but leaves it in place for the transaction that uses it. */
  async #findProof(merchant: Merchant, given: GivenFlow, use: ProofUse) {
    const key = keyOf(merchant, given, use);
    const proof = key && (await findProof(this.#options.pool, key, this.#options.clock.now()));
    if (key === null || proof === null) return null;
    return this.offered(merchant).includes(proof.provider) ? { key, proof } : null;
  }

  /** A job runs this. */
  async sweep(): Promise<void> {
    await sweepExternal(this.#options.pool, this.#options.clock.now());
  }

  #lockFresh(client: pg.ClientBase, { memberId, sessionId: id }: Adder) {
    return this.#options.identity.sessions.lockFresh(client, { id, memberId });
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

  async #memberOf(account: ExternalAccount): Promise<MemberRow | null> {
    const { pool } = this.#options;
    const id = await findExternalMember(pool, account);
    return id === null ? null : findMember(pool, account.merchantId, id);
  }

  /**
   * An address that another member has verified makes no member: the provider would then decide
   * whose account it is. The owner logs in as before and adds the external account.
   */
  async #ticket(
    merchant: Merchant,
    proof: ProvenIdentity,
    given: GivenFlow,
    device: Device,
    take: TakeProof,
  ): Promise<Result<AwaitedRegistration, Refusal>> {
    const { pool, clock, entropy } = this.#options;
    if (!takesMembers(merchant)) return refuse(refusal("feature_off"));
    const closed = doorFault(merchant, MEMBER_TYPE, device.host);
    if (closed !== null) return refuse(closed);
    const { provider, email, emailVerified } = proof;
    if (email !== null && emailVerified && (await isEmailVerified(pool, merchant.id, email))) {
      return refuse(refusal("email_taken"));
    }
    const ticket = mintToken(entropy);
    const expiresAt = clock.now() + TICKET_MS;
    const key = keyOf(merchant, { ...given, flow: ticket.token }, REGISTRATION);
    const taken = await withTransaction(pool, async (client) => {
      if (!(await take(client))) return false;
      await insertProof(client, present(key, "the browser of a proof"), proof, expiresAt);
      return true;
    });
    if (!taken) return refuse(FAILED);
    const requires = requiredOutside(merchant);
    return ok({ ticket: ticket.token, expiresAt, provider, email, requires });
  }
}

const NOBODY = { memberId: null, sessionId: null } as const;
const LOGIN: ProofUse = { purpose: "login", ...NOBODY };
const REGISTRATION: ProofUse = { purpose: "registration", ...NOBODY };

function useBy(adder: Adder | null): ProofUse {
  return adder === null ? LOGIN : { purpose: "link", ...adder };
}

/** Whether the account is still the member's; checked under their lock by what it begins. */
async function opens(
  db: pg.Pool | pg.ClientBase,
  account: ExternalAccount,
  member: MemberRow,
): Promise<boolean> {
  return (await findExternalMember(db, account)) === member.id;
}

/** Null for a browser that began nothing. */
function keyOf(merchant: Merchant, { flow, browser }: GivenFlow, use: ProofUse): ProofKey | null {
  if (browser === undefined) return null;
  const browserHash = hashOfToken(browser);
  return { flowHash: hashOfToken(flow), merchantId: merchant.id, browserHash, use };
}

/** The address that is registered at the provider, one per host of a brand. */
function redirectUri(origin: string, provider: ExternalProvider): string {
  return `${origin}/auth/callback/${provider}`;
}

/** Undoes the registration for a ticket that another request took at the same moment. */
class TicketSpent extends Error {}

/** Undoes and refuses if another registration of the account was first. */
async function unlessOvertaken<T>(
  register: () => Promise<Result<T, Refusal>>,
): Promise<Result<T, Refusal>> {
  try {
    return await register();
  } catch (error) {
    const constraint = constraintOf(error);
    const overtaken = error instanceof TicketSpent || constraint === "external_identities_pkey";
    if (overtaken) return refuse(FAILED);
    throw error;
  }
}
