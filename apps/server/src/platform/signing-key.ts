import { createPrivateKey, createPublicKey, sign } from "node:crypto";
import { assert } from "@perya/kernel/assert";
import { derivedKey } from "./derived-key.ts";

export interface SigningKey {
  readonly publicKey: string;
  /** Over the text's UTF-8 bytes, in base64url. */
  readonly sign: (text: string) => string;
}

/** What precedes the 32 bytes of an Ed25519 private key in PKCS #8 (RFC 8410, section 7). */
const PKCS8 = Buffer.from("302e020100300506032b657004220420", "hex");

/** The Ed25519 key of a secret for one use only: every process that has the secret has the key. */
export function signingKey(secret: string, use: string): SigningKey {
  const bytes = Buffer.from(derivedKey(secret, use), "base64url");
  const key = createPrivateKey({
    key: Buffer.concat([PKCS8, bytes]),
    format: "der",
    type: "pkcs8",
  });
  const { x } = createPublicKey(key).export({ format: "jwk" });
  assert(x !== undefined, "an Ed25519 key has a public half");
  return {
    publicKey: x,
    sign: (text) => sign(null, Buffer.from(text), key).toString("base64url"),
  };
}
