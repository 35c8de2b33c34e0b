import { createPublicKey, verify } from "node:crypto";
import { expect, it } from "vitest";
import { signingKey } from "./signing-key.ts";

it("a signing key is the same in every process that has the secret, and another for another use or secret", () => {
  const { publicKey, sign } = signingKey("secret", "chains");
  const again = signingKey("secret", "chains");
  expect([again.publicKey, again.sign("text")]).toEqual([publicKey, sign("text")]);
  const others = [signingKey("secret", "other"), signingKey("other", "chains")];
  expect(new Set([publicKey, ...others.map((one) => one.publicKey)]).size).toBe(3);
});

it("a signing key's signature is verified with its public half, for that text only", () => {
  const { publicKey: x, sign } = signingKey("secret", "chains");
  const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
  const signature = Buffer.from(sign("text"), "base64url");
  expect(verify(null, Buffer.from("text"), key, signature)).toBe(true);
  expect(verify(null, Buffer.from("texts"), key, signature)).toBe(false);
});
