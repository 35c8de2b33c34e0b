import { createServer } from "node:http";
import type { Clock } from "@perya/kernel/instant";
import { type CryptoKey, decodeJwt, exportJWK, SignJWT } from "jose";
import { Provider } from "oidc-provider";
import { systemClock } from "../../apps/server/src/platform/clock.ts";
import type { OpenIdClient } from "../../apps/server/src/platform/config.ts";
import { signingKeysOf } from "./signing-keys.ts";

/** The provider's claims about a person, by their login name there. */
export type People = Readonly<
  Record<string, { readonly email?: string; readonly email_verified?: boolean }>
>;

/** The fault of an ID token that the provider did not issue. */
type Forgery =
  /** Signed by another key under the real key's id. */
  | "another key"
  /** Changed after it was signed. */
  | "another subject"
  /** `alg` none, and no signature. */
  | "no signature"
  /** Signed by the secret that client and provider share; the provider signs with a key pair. */
  | "the shared secret"
  /** Correctly signed, for another client. */
  | "another audience"
  | "another issuer"
  | "expired";

export interface OpenIdProvider {
  readonly client: OpenIdClient;
  /** Registers the addresses to which it may send browsers back; it works only after that. */
  register(redirectUris: readonly string[]): void;
  /** From now on it hands out ID tokens with this fault; null ends it. */
  forge(forgery: Forgery | null): void;
  /** Does this before it answers the next request for a token. */
  beforeAnswer(act: () => Promise<unknown>): void;
  close(): Promise<void>;
}

/**
 * A real OpenID Connect provider on loopback. Like Google it puts the e-mail address into the ID
 * token and requires PKCE; like Facebook, if `tellsTokenEndpoint` is false, it leaves the token
 * endpoint out of its discovery document. Its ID tokens have its clock's time.
 */
export async function startOpenIdProvider(
  people: People,
  {
    tellsTokenEndpoint = true,
    clock = systemClock,
  }: { readonly tellsTokenEndpoint?: boolean; readonly clock?: Clock } = {},
): Promise<OpenIdProvider> {
  const server = createServer((_request, response) => response.writeHead(503).end());
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port was given");
  const issuer = `http://127.0.0.1:${address.port}`;
  const client = { clientId: "perya", clientSecret: "a secret that the two share", issuer };
  const { privateKey } = await signingKeysOf("the provider");
  const kid = "the key of this test's own";
  const jwk = await exportJWK(privateKey);
  const key = { ...jwk, kid, kty: "RSA" as const, alg: "RS256", use: "sig" };
  let forgery: Forgery | null = null;
  let before: (() => Promise<unknown>) | null = null;
  return {
    client,
    register(redirectUris) {
      const provider = new Provider(issuer, {
        clients: [
          {
            client_id: client.clientId,
            client_secret: client.clientSecret,
            redirect_uris: [...redirectUris],
            token_endpoint_auth_method: "client_secret_post",
          },
        ],
        jwks: { keys: [key] },
        cookies: { keys: ["of this test's own"] },
        claims: { openid: ["sub"], email: ["email", "email_verified"] },
        conformIdTokenClaims: false,
        pkce: { required: () => true },
        findAccount: (_ctx, id) => ({
          accountId: id,
          claims: async () => ({ sub: id, ...people[id] }),
        }),
        ttl: { AccessToken: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60 },
      });
      provider.use(async (context, next) => {
        if (context.path.endsWith("/token")) {
          const act = before;
          before = null;
          await act?.();
        }
        await next();
        const body = context.body as Record<string, unknown>; // JSON of the token endpoint
        if (context.path.endsWith("/token") && typeof body.id_token === "string") {
          const secret = client.clientSecret;
          const keys = { privateKey, kid, secret };
          const real = await dated(body.id_token, clock, keys);
          const given = forgery === null ? real : await forged(real, forgery, keys);
          context.body = { ...body, id_token: given };
        }
        if (tellsTokenEndpoint || !context.path.endsWith("/openid-configuration")) return;
        const { token_endpoint: _, ...rest } = context.body as Record<string, unknown>; // JSON
        context.body = rest;
      });
      server.removeAllListeners("request").on("request", provider.callback());
    },
    forge(next) {
      forgery = next;
    },
    beforeAnswer(act) {
      before = act;
    },
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

/** The same token with a given clock's time; the library uses only the machine's clock. */
function dated(
  real: string,
  clock: Clock,
  { privateKey, kid }: { readonly privateKey: CryptoKey; readonly kid: string },
): Promise<string> {
  const { iat = 0, exp = 0, ...claims } = decodeJwt(real);
  const now = Math.floor(clock.now() / 1_000);
  return new SignJWT({ ...claims, iat: now, exp: now + exp - iat })
    .setProtectedHeader({ alg: "RS256", kid })
    .sign(privateKey);
}

async function forged(
  real: string,
  forgery: Forgery,
  { privateKey, kid, secret }: { privateKey: CryptoKey; kid: string; secret: string },
): Promise<string> {
  const claims = decodeJwt(real);
  const [head = "", , signature = ""] = real.split(".");
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const signed = (changed: object, by: CryptoKey | Uint8Array = privateKey, alg = "RS256") =>
    new SignJWT({ ...claims, ...changed }).setProtectedHeader({ alg, kid }).sign(by);
  switch (forgery) {
    case "another key":
      return signed({}, (await signingKeysOf("somebody else")).privateKey);
    case "another subject":
      return `${head}.${part({ ...claims, sub: "somebody else" })}.${signature}`;
    case "no signature":
      return `${part({ alg: "none" })}.${part(claims)}.`;
    case "the shared secret":
      return signed({}, new TextEncoder().encode(secret), "HS256");
    case "another audience":
      return signed({ aud: "another client" });
    case "another issuer":
      return signed({ iss: "https://elsewhere.test" });
    case "expired":
      return signed({ exp: Number(claims.iat) - 3_600, iat: Number(claims.iat) - 7_200 });
  }
}

/** A person at the provider's pages, with a new browser each time. */
export interface Person {
  readonly login: string;
  /** Whether they let the provider tell us who they are; true by default. */
  readonly consents?: boolean;
}

/** Follows the provider's pages from a login's URL to the address to which it sends back. */
export async function throughProvider(url: string, person: Person): Promise<URL> {
  const browser = new Browser(new URL(url).origin);
  let answer = await browser.get(url);
  for (let page = 0; page < 10; page++) {
    if (answer instanceof URL) return answer;
    const html = answer;
    const form = /<form[^>]*action="([^"]+)"/.exec(html)?.[1] ?? "";
    const prompt = /name="prompt" value="(\w+)"/.exec(html)?.[1];
    if (prompt === "login") {
      answer = await browser.post(form, { prompt, login: person.login, password: "any" });
    } else if (prompt === "consent") {
      answer =
        person.consents === false
          ? await browser.get(form.replace(/\/?$/, "/abort"))
          : await browser.post(form, { prompt });
    } else throw new Error(`the provider shows: ${html.replace(/<[^>]*>/g, " ").slice(0, 500)}`);
  }
  throw new Error("the provider never sent the browser back");
}

/** Keeps cookies and follows redirects within one origin. */
class Browser {
  readonly #origin: string;
  readonly #cookies = new Map<string, { value: string; path: string }>();

  constructor(origin: string) {
    this.#origin = origin;
  }

  get(url: string): Promise<string | URL> {
    return this.#follow(url, { method: "GET" });
  }

  post(url: string, form: Record<string, string>): Promise<string | URL> {
    return this.#follow(url, { method: "POST", body: new URLSearchParams(form) });
  }

  /** The final page, or the address at another origin to which the browser is sent. */
  async #follow(from: string, first: RequestInit): Promise<string | URL> {
    let url = new URL(from, this.#origin);
    let init = first;
    for (let hop = 0; hop < 10; hop++) {
      if (url.origin !== this.#origin) return url;
      const headers = { cookie: this.#cookiesFor(url.pathname) };
      const answer = await fetch(url, { ...init, headers, redirect: "manual" });
      this.#keep(answer.headers.getSetCookie());
      const location = answer.headers.get("location");
      if (location === null) return answer.text();
      await answer.body?.cancel();
      url = new URL(location, url);
      init = { method: "GET" };
    }
    throw new Error("too many redirects");
  }

  #keep(lines: readonly string[]): void {
    for (const line of lines) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      const path = /;\s*path=([^;]+)/i.exec(line)?.[1] ?? "/";
      if (value === "") this.#cookies.delete(`${name} ${path}`);
      else this.#cookies.set(`${name} ${path}`, { value, path });
    }
  }

  #cookiesFor(pathname: string): string {
    return [...this.#cookies]
      .filter(([, { path }]) => pathname.startsWith(path))
      .map(([key, { value }]) => `${key.split(" ")[0]}=${value}`)
      .join("; ");
  }
}
