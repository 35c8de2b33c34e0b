import { type Clock, SECOND_MS } from "@perya/kernel/instant";
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  ClientSecretPost,
  Configuration,
  calculatePKCECodeChallenge,
  clockSkew,
  discovery,
  enableNonRepudiationChecks,
  type ServerMetadata,
} from "openid-client";
import { z } from "zod";
import { isOwnMachine } from "../../../platform/address-block.ts";
import { systemClock } from "../../../platform/clock.ts";
import type { OpenIdClient } from "../../../platform/config.ts";
import type { ExternalIdentity } from "./external-login.store.ts";

/** Per request to the provider; a player waits for at most three. */
const TIMEOUT_S = 5;
/** Only who the person is and how to write to them; no provider is asked for a name. */
const SCOPE = "openid email";

/** The parts of an ID token that matter here (OpenID Connect Core 1.0, 2 and 5.1). */
const idToken = z.object({
  sub: z.string().regex(/^[\x21-\x7e]{1,255}$/),
  email: z.email().max(254).nullable().catch(null).default(null),
  email_verified: z.boolean().catch(false).default(false),
});

/** Ties an answer to the browser that asked. */
export interface Secrets {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

export class Issuer {
  readonly #client: OpenIdClient;
  readonly #clock: Clock;
  readonly #tokenEndpoint: string | null;
  #found: Promise<ServerMetadata> | null = null;

  /** @param tokenEndpoint for a provider whose discovery document names none */
  constructor(client: OpenIdClient, clock: Clock, tokenEndpoint: string | null = null) {
    this.#client = client;
    this.#clock = clock;
    this.#tokenEndpoint = tokenEndpoint;
  }

  /**
   * The address at which the player says who they are.
   * @throws Error if the provider cannot be reached or its metadata is wrong
   */
  async authorizationUrl(redirectUri: string, secrets: Secrets): Promise<string> {
    const { href } = buildAuthorizationUrl(await this.#configuration(), {
      redirect_uri: redirectUri,
      scope: SCOPE,
      state: secrets.state,
      nonce: secrets.nonce,
      code_challenge: await calculatePKCECodeChallenge(secrets.verifier),
      code_challenge_method: "S256",
    });
    return href;
  }

  /**
   * Who came back, by the ID token that the provider gives for the code in the address.
   * @param callback the redirect URI with the provider's additions
   * @throws Error if the provider or its token says anything else
   */
  async identityOf(callback: URL, secrets: Secrets): Promise<ExternalIdentity> {
    const tokens = await authorizationCodeGrant(await this.#configuration(), callback, {
      expectedState: secrets.state,
      expectedNonce: secrets.nonce,
      pkceCodeVerifier: secrets.verifier,
    });
    const claims = idToken.parse(tokens.claims());
    const { sub: subject, email } = claims;
    return { subject, email, emailVerified: email !== null && claims.email_verified };
  }

  /**
   * One per use: the library reads the machine's clock, which may be set meanwhile. Our clock
   * judges when a token has expired, and the keys that it caches by the machine's clock end with
   * the use.
   */
  async #configuration(): Promise<Configuration> {
    const { clientId, clientSecret } = this.#client;
    const metadata = await this.#metadata();
    const skew = Math.round((this.#clock.now() - systemClock.now()) / SECOND_MS);
    const configuration = new Configuration(
      metadata,
      clientId,
      { [clockSkew]: skew },
      ClientSecretPost(clientSecret),
    );
    configuration.timeout = TIMEOUT_S;
    // The token comes from the provider itself over TLS; we check its signature all the same.
    enableNonRepudiationChecks(configuration);
    for (const extend of this.#extensions()) extend(configuration);
    return configuration;
  }

  /** Discovered at the first use, so that a server starts while the provider is down. */
  #metadata(): Promise<ServerMetadata> {
    this.#found ??= this.#discover().catch((error: unknown) => {
      this.#found = null;
      throw error;
    });
    return this.#found;
  }

  async #discover(): Promise<ServerMetadata> {
    const { issuer, clientId } = this.#client;
    const found = await discovery(new URL(issuer), clientId, undefined, undefined, {
      execute: this.#extensions(),
      timeout: TIMEOUT_S,
    });
    const { supportsPKCE: _, ...metadata } = found.serverMetadata();
    const fallback = this.#tokenEndpoint === null ? {} : { token_endpoint: this.#tokenEndpoint };
    return { ...fallback, ...metadata };
  }

  #extensions() {
    const url = new URL(this.#client.issuer);
    return url.protocol === "http:" && isOwnMachine(url) ? [allowInsecureRequests] : [];
  }
}
