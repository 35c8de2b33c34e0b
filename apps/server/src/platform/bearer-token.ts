import { createHash } from "node:crypto";
import type { Entropy } from "@perya/kernel/instant";

const TOKEN_BYTES = 32;
export const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** 256 bits that admit their bearer; we store only the hash. */
export interface BearerToken {
  /** 43 characters of base64url. */
  readonly token: string;
  readonly hash: Buffer;
}

export function mintToken(entropy: Entropy): BearerToken {
  const token = Buffer.from(entropy.bytes(TOKEN_BYTES)).toString("base64url");
  return { token, hash: hashOfToken(token) };
}

/** SHA-256: nobody guesses 256 bits, so nothing slower is needed. */
export function hashOfToken(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
