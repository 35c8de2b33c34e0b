import { CompactEncrypt, importJWK, type JWK } from "jose";

/** A brand's answer to a browser that asks for its key. */
export interface SealingKey {
  readonly kid: string;
  readonly jwk: JWK;
  readonly aud: string;
  readonly now: number;
}

/** A body for one call, sealed like in the browser (JWE compact), and the header with its key. */
export async function sealFor(
  { kid, jwk, aud, now }: SealingKey,
  call: string,
  body: unknown,
): Promise<{ headers: Readonly<Record<string, string>>; data: string }> {
  const nonce = Buffer.from(crypto.getRandomValues(new Uint8Array(18))).toString("base64url");
  const plaintext = new TextEncoder().encode(JSON.stringify({ nonce, at: now, aud, call, body }));
  const data = await new CompactEncrypt(plaintext)
    .setProtectedHeader({ alg: "ECDH-ES+A256KW", enc: "A256GCM", kid })
    .encrypt(await importJWK(jwk, "ECDH-ES+A256KW"));
  return { headers: { "x-encryption": `jwe; kid=${kid}` }, data };
}
