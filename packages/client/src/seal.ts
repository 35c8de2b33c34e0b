import type { EncryptionKey } from "./api.ts";

/** JWE compact as the server opens it; the library loads with the first log-in, not before. */
export async function seal(plaintext: string, { jwk, kid }: EncryptionKey): Promise<string> {
  const { CompactEncrypt, importJWK } = await import("jose");
  const key = await importJWK(jwk, "ECDH-ES+A256KW");
  return new CompactEncrypt(new TextEncoder().encode(plaintext))
    .setProtectedHeader({ alg: "ECDH-ES+A256KW", enc: "A256GCM", kid })
    .encrypt(key);
}
