import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  ClientSecretPost,
  Configuration,
  calculatePKCECodeChallenge,
  discovery,
  enableNonRepudiationChecks,
} from "openid-client";
import { z } from "zod";
import { isOwnMachine } from "../../platform/address-block.ts";
import type { OpenIdClient } from "../../platform/config.ts";
import type { ExternalIdentity } from "./external-login.store.ts";

/** Of each request to the provider; a player waits for up to three. */
const TIMEOUT_S = 5;
/** Nothing but who it is and how to write to them; neither provider is asked for a name. */
const SCOPE = "openid email";

/** What of an ID token matters here (OpenID Connect Core 1.0, 2 and 5.1). */
const idToken = z.object({
  sub: z.string().regex(/^[\x21-\x7e]{1,255}$/),
  email: z.email().max(254).nullable().catch(null).default(null),
  email_verified: z.boolean().catch(false).default(false),
});

/** What ties an answer to the browser that asked. */
export interface Secrets {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** One OpenID Connect provider at which this installation is registered. */
export class Issuer {
  readonly #client: OpenIdClient;
  readonly #tokenEndpoint: string | null;
  #found: Promise<Configuration> | null = null;

  /** @param tokenEndpoint for a provider whose discovery document names none */
  constructor(client: OpenIdClient, tokenEndpoint: string | null = null) {
    this.#client = client;
    this.#tokenEndpoint = tokenEndpoint;
  }

  /**
   * Where the player says who they are.
   * @throws Error where the provider cannot be reached or is not what it should be
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
   * @param callback the redirect URI with what the provider added
   * @throws Error where the provider or its token says anything else
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

  /** Discovered at the first use, so that a provider that is down stops no server from starting. */
  #configuration(): Promise<Configuration> {
    this.#found ??= this.#discover().catch((error: unknown) => {
      this.#found = null;
      throw error;
    });
    return this.#found;
  }

  async #discover(): Promise<Configuration> {
    const { issuer, clientId, clientSecret } = this.#client;
    const url = new URL(issuer);
    const execute = url.protocol === "http:" && isOwnMachine(url) ? [allowInsecureRequests] : [];
    const found = await discovery(url, clientId, undefined, undefined, {
      execute,
      timeout: TIMEOUT_S,
    });
    const { supportsPKCE: _, ...metadata } = found.serverMetadata();
    const fallback = this.#tokenEndpoint === null ? {} : { token_endpoint: this.#tokenEndpoint };
    const configuration = new Configuration(
      { ...fallback, ...metadata },
      clientId,
      undefined,
      ClientSecretPost(clientSecret),
    );
    configuration.timeout = TIMEOUT_S;
    // The token comes from the provider itself over TLS; its signature is checked all the same.
    enableNonRepudiationChecks(configuration);
    for (const extend of execute) extend(configuration);
    return configuration;
  }
}
