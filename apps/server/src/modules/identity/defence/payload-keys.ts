import { type Refusal, refusal } from "@perya/contract/refusal";
import type { Clock, Entropy, Instant } from "@perya/kernel/instant";
import { DAY_MS, MINUTE_MS } from "@perya/kernel/instant";
import { ok, type Result, refuse } from "@perya/kernel/result";
import {
  compactDecrypt,
  decodeProtectedHeader,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
} from "jose";
import type pg from "pg";
import { z } from "zod";
import { sweep } from "../../../platform/postgres/sweep.ts";
import { createSealing } from "../../../platform/sealing.ts";
import { useNonce } from "./once.store.ts";

/**
 * Encrypted bodies: JWE compact, ECDH-ES+A256KW with A256GCM, to a published P-256 key that is
 * rotated. It adds to TLS and never replaces it. A body holds a nonce and a time, so a captured one
 * is refused if it is stale or seen before, and the brand and the call that it is for, so that it
 * is valid for nothing else.
 */
const ALGORITHM = "ECDH-ES+A256KW";
const ENCRYPTION = "A256GCM";
const ROTATE_MS = 30 * DAY_MS;
/** A retired key still opens what was sealed to it shortly before. */
const OVERLAP_MS = DAY_MS;
/** How far the sealing time may differ from ours; browsers align their clock with ours first. */
const FRESH_MS = 5 * MINUTE_MS;

const sealedBody = z.strictObject({
  nonce: z.string().regex(/^[A-Za-z0-9_-]{16,64}$/),
  at: z.number().int(),
  aud: z.string(),
  /** The call's key, such as `POST /api/v1/auth/login`. */
  call: z.string(),
  body: z.unknown(),
});

type SealedFor = Pick<z.infer<typeof sealedBody>, "aud" | "call">;

type PrivateKey = Awaited<ReturnType<typeof importJWK>>;

export interface PayloadKeys {
  publicKey(): Promise<{ kid: string; jwk: { kty: string; crv: string; x: string; y: string } }>;
  /** A job runs this: it deletes keys that open nothing any more, so that nobody can use them. */
  sweep(): Promise<void>;
  /**
   * `stale_payload` for a body that is not for us, for now or for this call; or `malformed_body`.
   */
  open(jwe: string, sealedFor: SealedFor): Promise<Result<unknown, Refusal>>;
}

export function createPayloadKeys(
  pool: pg.Pool,
  clock: Clock,
  entropy: Entropy,
  secret: string,
): PayloadKeys {
  const sealing = createSealing(secret, "payload-key");
  const opened = new Map<string, { key: PrivateKey; until: Instant }>();
  let current: { kid: string; jwk: JWK; until: number } | null = null;

  async function currentKey() {
    if (current !== null && current.until > clock.now()) return current;
    const { rows } = await pool.query<{ kid: string; public_jwk: JWK; created_at: Date }>(
      `SELECT kid, public_jwk, created_at FROM payload_keys
       WHERE created_at > to_timestamp($1 / 1000.0) ORDER BY created_at DESC LIMIT 1`,
      [clock.now() - ROTATE_MS],
    );
    const row = rows[0];
    current =
      // Nobody could log in with a key that is itself sealed under an earlier PAYLOAD_KEY.
      row === undefined || (await privateKey(row.kid)) === null
        ? await makeKey()
        : { kid: row.kid, jwk: row.public_jwk, until: row.created_at.getTime() + ROTATE_MS };
    return current;
  }

  async function makeKey() {
    const pair = await generateKeyPair(ALGORITHM, { crv: "P-256", extractable: true });
    const jwk = await exportJWK(pair.publicKey);
    const secretJwk = JSON.stringify(await exportJWK(pair.privateKey));
    const sealed = await sealing.seal(secretJwk);
    const kid = Buffer.from(entropy.bytes(9)).toString("base64url");
    const now = clock.now();
    const until = now + ROTATE_MS;
    await pool.query(
      `INSERT INTO payload_keys (kid, public_jwk, sealed_jwk, created_at, retires_at)
       VALUES ($1, $2, $3, to_timestamp($4 / 1000.0), to_timestamp($5 / 1000.0))`,
      [kid, JSON.stringify(jwk), sealed, now, until + OVERLAP_MS],
    );
    return { kid, jwk, until };
  }

  async function privateKey(kid: string): Promise<PrivateKey | null> {
    const known = opened.get(kid);
    if (known !== undefined && known.until > clock.now()) return known.key;
    opened.delete(kid);
    const { rows } = await pool.query<{ sealed_jwk: string; retires_at: Date }>(
      `SELECT sealed_jwk, retires_at FROM payload_keys
       WHERE kid = $1 AND retires_at > to_timestamp($2 / 1000.0)`,
      [kid, clock.now()],
    );
    if (rows[0] === undefined) return null;
    const secretJwk = await sealing.open(rows[0].sealed_jwk);
    if (secretJwk === null) return null;
    const key = await importJWK(JSON.parse(secretJwk), ALGORITHM);
    opened.set(kid, { key, until: rows[0].retires_at.getTime() });
    return key;
  }

  return {
    async sweep() {
      await sweep(pool, { table: "payload_keys", by: "retires_at" }, clock.now());
    },
    async publicKey() {
      const { kid, jwk } = await currentKey();
      const { kty, crv, x, y } = jwk;
      return { kid, jwk: { kty: String(kty), crv: String(crv), x: String(x), y: String(y) } };
    },
    async open(jwe, sealedFor) {
      const plaintext = await decrypt(jwe, privateKey);
      if (plaintext === null) return refuse(refusal("stale_payload"));
      const parsed = sealedBody.safeParse(plaintext);
      if (!parsed.success) return refuse(refusal("malformed_body"));
      const { nonce, at, aud, call, body } = parsed.data;
      if (aud !== sealedFor.aud || call !== sealedFor.call) return refuse(refusal("stale_payload"));
      const now = clock.now();
      if (Math.abs(now - at) > FRESH_MS) return refuse(refusal("stale_payload"));
      if (!(await useNonce(pool, nonce, at + 2 * FRESH_MS))) {
        return refuse(refusal("stale_payload"));
      }
      return ok(body);
    },
  };
}

/** Null for anything that does not open: the reason is of no use to an honest caller. */
async function decrypt(
  jwe: string,
  privateKey: (kid: string) => Promise<PrivateKey | null>,
): Promise<unknown> {
  try {
    const { kid } = decodeProtectedHeader(jwe);
    const key = typeof kid === "string" && kid.length <= 40 ? await privateKey(kid) : null;
    if (key === null) return null;
    const { plaintext } = await compactDecrypt(jwe, key, {
      keyManagementAlgorithms: [ALGORITHM],
      contentEncryptionAlgorithms: [ENCRYPTION],
    });
    return JSON.parse(new TextDecoder().decode(plaintext));
  } catch {
    return null;
  }
}
