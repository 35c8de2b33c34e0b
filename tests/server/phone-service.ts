import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Clock } from "@perya/kernel/instant";
import { exportJWK, type JWTPayload, SignJWT } from "jose";
import { TAKES_NOTHING } from "../../apps/server/src/modules/identity/factors/owner-proof.ts";
import type { PhoneProofs } from "../../apps/server/src/modules/identity/factors/phone-proofs.ts";
import { systemClock } from "../../apps/server/src/platform/clock.ts";
import type { PhoneServiceConfig } from "../../apps/server/src/platform/config.ts";
import { signingKeysOf } from "./signing-keys.ts";

/** Google's host for the part that browsers call; elsewhere that part is under this path. */
export const GOOGLE_HOST = "identitytoolkit.googleapis.com";
/** Faults in the words of Firebase Authentication. */
type ServiceFault = "TOO_MANY_ATTEMPTS_TRY_LATER" | "SESSION_EXPIRED" | "INVALID_CODE";

export interface PhoneService {
  readonly config: PhoneServiceConfig & { readonly serviceUrl: string };
  /** How often its keys were requested. */
  readonly keysAsked: () => number;
  /** An ID token for a number that was just proven, with some claims replaced. */
  token(number: string, differing?: Readonly<Record<string, unknown>>): Promise<string>;
  /** The same claims with a forged signature. */
  forged(number: string, how: "another key" | "no signature" | "shared secret"): Promise<string>;
  /** From now on it signs with another key, and publishes only that one. */
  rotate(): Promise<void>;
  /** Whether it publishes its keys, never answers a request for them, or answers an error. */
  keys(how: "told" | "silent" | "broken"): void;
  /** The code that it last sent to this number. */
  codeTo(number: string): string;
  /** Makes the next call of a browser fail with this fault. */
  failNext(fault: ServiceFault): void;
  /** Its answer to a browser's call, at any address where the browser expects it. */
  answer(path: string, body: string): Promise<{ status: number; body: string }>;
  close(): Promise<void>;
}

/**
 * A small stand-in for Firebase Authentication on loopback: the keys, codes and ID tokens of its
 * log-in by number, as in its API. Its human check accepts any token but an empty one.
 */
export async function startPhoneService(clock: Clock = systemClock): Promise<PhoneService> {
  const projectId = "perya-of-a-test";
  const issuer = `https://securetoken.google.com/${projectId}`;
  let kid = 0;
  let pair = await signingKeysOf(`the service ${kid}`);
  let told: "told" | "silent" | "broken" = "told";
  let asked = 0;
  let sent = 0;
  let fault: ServiceFault | null = null;
  const codes = new Map<string, string>();
  const numbers = new Map<string, string>();

  /** Each proof has its own second, even if proofs follow each other faster. */
  let lastProofS = 0;

  const nameOf = (number: string) => `user of ${number}`;
  const claimsOf = (number: string): JWTPayload => {
    const now = Math.floor(clock.now() / 1_000);
    return {
      ...{ iss: issuer, aud: projectId, sub: nameOf(number), user_id: nameOf(number) },
      ...{ iat: now, exp: now + 3_600, auth_time: now, phone_number: number },
      firebase: { identities: { phone: [number] }, sign_in_provider: "phone" },
    };
  };
  const signed = (payload: JWTPayload) =>
    new SignJWT(payload)
      .setProtectedHeader({ alg: "RS256", kid: `key ${kid}`, typ: "JWT" })
      .sign(pair.privateKey);

  async function answerOf(path: string, given: Record<string, string>): Promise<object> {
    switch (path) {
      // Without reCAPTCHA Enterprise there is no key.
      case "/v2/recaptchaConfig":
        return {};
      case "/v1/recaptchaParams":
        return { recaptchaSiteKey: "a site key" };
      case "/v1/accounts:sendVerificationCode": {
        const { phoneNumber = "", recaptchaToken = "" } = given;
        if (recaptchaToken === "") throw new Said("MISSING_RECAPTCHA_TOKEN");
        sent += 1;
        codes.set(phoneNumber, String(100_000 + ((sent * 7_919) % 900_000)));
        const sessionInfo = `session ${sent}`;
        numbers.set(sessionInfo, phoneNumber);
        return { sessionInfo };
      }
      case "/v1/accounts:signInWithPhoneNumber": {
        const { sessionInfo = "", code } = given;
        const number = numbers.get(sessionInfo);
        if (number === undefined) throw new Said("INVALID_SESSION_INFO");
        if (code !== codes.get(number)) throw new Said("INVALID_CODE");
        // A code is valid once.
        numbers.delete(sessionInfo);
        const claims = claimsOf(number);
        lastProofS = Math.max(Number(claims.auth_time), lastProofS + 1);
        const idToken = await signed({ ...claims, iat: lastProofS, auth_time: lastProofS });
        const who = { localId: nameOf(number), phoneNumber: number, isNewUser: false };
        return { ...who, idToken, refreshToken: "for another one", expiresIn: "3600" };
      }
      case "/v1/accounts:lookup": {
        const { sub, phone_number } = JSON.parse(
          Buffer.from((given.idToken ?? "").split(".")[1] ?? "", "base64url").toString(),
        );
        return { users: [{ localId: sub, phoneNumber: phone_number }] };
      }
      default:
        throw new Said("NOT_FOUND");
    }
  }

  async function answer(path: string, body: string): Promise<{ status: number; body: string }> {
    try {
      const failing = path.startsWith("/v1/accounts:") ? fault : null;
      if (failing !== null) {
        fault = null;
        throw new Said(failing);
      }
      const said = await answerOf(path, body === "" ? {} : JSON.parse(body));
      return { status: 200, body: JSON.stringify(said) };
    } catch (error) {
      if (!(error instanceof Said)) throw error;
      const errors = [{ message: error.message, domain: "global", reason: "invalid" }];
      const said = { error: { code: 400, message: error.message, errors } };
      return { status: 400, body: JSON.stringify(said) };
    }
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? "/", "http://service.test");
    response.setHeader("access-control-allow-origin", "*");
    response.setHeader("access-control-allow-headers", "*");
    response.setHeader("content-type", "application/json");
    if (request.method === "OPTIONS") return void response.end();
    if (pathname === "/keys") {
      asked += 1;
      if (told === "silent") return;
      if (told === "broken") return void response.writeHead(500).end("{}");
      const key = { ...(await exportJWK(pair.publicKey)), kid: `key ${kid}`, alg: "RS256" };
      return void response.end(JSON.stringify({ keys: [{ ...key, use: "sig" }] }));
    }
    let body = "";
    for await (const chunk of request) body += chunk;
    const said = await answer(pathname.replace(`/${GOOGLE_HOST}`, ""), body);
    response.writeHead(said.status).end(said.body);
  }

  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port was given");
  const serviceUrl = `http://127.0.0.1:${address.port}`;
  return {
    config: { projectId, apiKey: "an-api-key", keysUrl: `${serviceUrl}/keys`, serviceUrl },
    keysAsked: () => asked,
    token: (number, differing = {}) => signed({ ...claimsOf(number), ...differing }),
    async forged(number, how) {
      const claims = claimsOf(number);
      const head = { alg: "RS256", kid: `key ${kid}` };
      if (how === "another key") {
        const { privateKey } = await signingKeysOf("somebody else");
        return new SignJWT(claims).setProtectedHeader(head).sign(privateKey);
      }
      if (how === "shared secret") {
        // The public key, which everybody knows, is used as a secret.
        const secret = new TextEncoder().encode(JSON.stringify(await exportJWK(pair.publicKey)));
        return new SignJWT(claims).setProtectedHeader({ ...head, alg: "HS256" }).sign(secret);
      }
      const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
      return `${part({ ...head, alg: "none" })}.${part(claims)}.`;
    },
    async rotate() {
      pair = await signingKeysOf(`the service ${kid + 1}`);
      kid += 1;
    },
    keys(how) {
      told = how;
    },
    codeTo(number) {
      const code = codes.get(number);
      if (code === undefined) throw new Error(`no code was sent to ${number}`);
      return code;
    },
    failNext(next) {
      fault = next;
    },
    answer,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

/** A fault, by the service's name for it. */
class Said extends Error {}

/** Valid proofs of a service, made now; the test says which number each token proves. */
export function wordsOf(
  clock: Clock,
  mobileOf: (token: string) => string | undefined,
): PhoneProofs {
  return {
    async judge(_channel, token) {
      const mobileNum = mobileOf(token);
      if (mobileNum === undefined) return null;
      const number = { dialingCode: "+63", mobileNum };
      const provenAt = clock.now();
      return { number, provenAt, take: TAKES_NOTHING, wasTaken: async () => false };
    },
  };
}
