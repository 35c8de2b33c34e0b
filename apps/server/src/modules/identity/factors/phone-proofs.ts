import { createHash } from "node:crypto";
import { type Clock, HOUR_MS, type Instant, MINUTE_MS, SECOND_MS } from "@perya/kernel/instant";
import { createRemoteJWKSet, errors, type JWTVerifyGetKey, jwtVerify } from "jose";
import type pg from "pg";
import { z } from "zod";
import type { PhoneServiceConfig } from "../../../platform/config.ts";
import type { ModuleParts } from "../../../platform/server-module.ts";
import { Unavailable } from "../../../platform/unavailable.ts";
import { isNonceUsed, useNonce } from "../defence/once.store.ts";
import { isChangedSince } from "../members/open-challenges.store.ts";
import { type PhoneNumber, readE164 } from "../members/phone-numbers.ts";
import type { TakeProof } from "./owner-proof.ts";

/** An outside service that verifies numbers in place of our own SMS code (accounts §7). */
export interface PhoneProofs {
  /**
   * What the service's token proves; null for one that is not genuine or is too old.
   * @throws Unavailable if the service does not answer its keys, or may have a new one
   */
  judge(channel: string, idToken: string): Promise<PhoneProof | null>;
}

export interface PhoneProof {
  readonly number: PhoneNumber;
  /** When the service saw the number's phone. */
  readonly provenAt: Instant;
  /** Takes it once, even if several tokens of the service carry it. */
  readonly take: TakeProof;
  /** For a caller who took it and lost the answer. */
  wasTaken(db: pg.Pool): Promise<boolean>;
}

/**
 * Takes it for a member and runs under their lock. A change of what proves the member voids earlier
 * proofs of a phone, as it voids earlier codes.
 */
export function takenBy(memberId: string, { provenAt, take }: PhoneProof, clock: Clock): TakeProof {
  return async (db) =>
    !(await isChangedSince(db, memberId, provenAt, clock.now())) && (await take(db));
}

/** The only way in which the service proves a number; a caller may leave it out. */
const CHANNEL = "phone";
/** After that time another person may hold the phone. */
const PROOF_MS = 5 * MINUTE_MS;
/** The service's clock may be ahead of ours by so much. */
const AHEAD_MS = 30 * SECOND_MS;
/** A player waits for the answer. */
const KEYS_TIMEOUT_MS = 5 * SECOND_MS;
/** Tokens with made-up keys cause no more than one fetch of the keys in this time. */
const KEYS_COOLDOWN_MS = 30 * SECOND_MS;
/** As long as Google's keys may be kept. An unknown key causes a fetch at once. */
const KEYS_LIFE_MS = 6 * HOUR_MS;

/** The parts of an ID token that we read (firebase.google.com/docs/auth/admin/verify-id-tokens). */
const claims = z.object({
  sub: z.string().min(1).max(128),
  iat: z.number().int(),
  auth_time: z.number().int().positive(),
  phone_number: z.string(),
  firebase: z.object({ sign_in_provider: z.literal("phone") }),
});

export interface PhoneProofsOptions extends Pick<ModuleParts, "pool" | "clock" | "log"> {
  readonly service: Pick<PhoneServiceConfig, "projectId" | "keysUrl">;
  /** Tests set a shorter one. */
  readonly keysTimeoutMs?: number;
  readonly keysCooldownMs?: number;
  readonly keysLifeMs?: number;
}

/** Proofs by ID tokens of Firebase Authentication, judged by its public keys. */
export function createPhoneProofs(options: PhoneProofsOptions): PhoneProofs {
  const { clock, log, service } = options;
  const keys = createRemoteJWKSet(new URL(service.keysUrl), {
    timeoutDuration: options.keysTimeoutMs ?? KEYS_TIMEOUT_MS,
    cooldownDuration: options.keysCooldownMs ?? KEYS_COOLDOWN_MS,
    cacheMaxAge: options.keysLifeMs ?? KEYS_LIFE_MS,
  });
  let told = false;
  const keyOf: JWTVerifyGetKey = async (header, token) => {
    // The keys were fetched just now and are not fetched again: another may have been added since.
    const isResting = keys.coolingDown;
    try {
      const key = await keys(header, token);
      told = false;
      return key;
    } catch (error) {
      const isNew = isResting && error instanceof errors.JWKSNoMatchingKey;
      if (isOfToken(error) && !isNew) throw error;
      if (!isNew && !told) {
        told = true;
        log.warn({ err: error }, "the service that verifies numbers does not tell its keys");
      }
      throw new Unavailable("the keys of the service that verifies numbers", { cause: error });
    }
  };

  return {
    async judge(channel, idToken) {
      if (channel !== "" && channel !== CHANNEL) return null;
      const now = clock.now();
      const token = await verified(idToken, keyOf, service.projectId, now);
      if (token === null) return null;
      const number = readE164(token.phone_number);
      const provenAt = token.auth_time * SECOND_MS;
      const latest = Math.max(provenAt, token.iat * SECOND_MS);
      if (number === null || latest > now + AHEAD_MS || provenAt + PROOF_MS <= now) return null;
      // Not of the token: the service makes several tokens of the same proof.
      const nonce = createHash("sha256")
        .update(`phone-proof\n${service.projectId}\n${token.sub}\n${token.auth_time}`)
        .digest("base64url");
      return {
        number,
        provenAt,
        take: (db) => useNonce(db, nonce, provenAt + PROOF_MS + AHEAD_MS),
        wasTaken: (db) => isNonceUsed(db, nonce),
      };
    },
  };
}

/** The claims of a token that the service made for us and that has not expired; else null. */
async function verified(idToken: string, key: JWTVerifyGetKey, project: string, now: Instant) {
  try {
    const { payload } = await jwtVerify(idToken, key, {
      issuer: `https://securetoken.google.com/${project}`,
      audience: project,
      algorithms: ["RS256"],
      requiredClaims: ["exp"],
      currentDate: new Date(now),
    });
    const read = claims.safeParse(payload);
    return read.success ? read.data : null;
  } catch (error) {
    if (error instanceof errors.JOSEError) return null;
    throw error;
  }
}

/** The library's error for a token whose key is missing, not for keys that could not be fetched. */
function isOfToken(error: unknown): boolean {
  return (
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys ||
    error instanceof errors.JOSENotSupported
  );
}

/** The service's hosts that the application's pages use, as sources of their policy. */
export function phoneServiceHosts(service: PhoneServiceConfig | null) {
  if (service === null) return NO_HOSTS;
  // A service other than Google's has no reCAPTCHA, and its library asks for none.
  return service.serviceUrl === null
    ? GOOGLE_HOSTS
    : { ...NO_HOSTS, connections: [service.serviceUrl] };
}

const NO_HOSTS = { scripts: [], connections: [], frames: [] };
/** Firebase's own calls, and reCAPTCHA (developers.google.com/recaptcha/docs/faq). */
const GOOGLE_HOSTS = {
  scripts: ["https://www.google.com/recaptcha/", "https://www.gstatic.com/recaptcha/"],
  connections: ["https://identitytoolkit.googleapis.com", "https://www.google.com/recaptcha/"],
  frames: ["https://www.google.com/recaptcha/", "https://recaptcha.google.com/recaptcha/"],
};
