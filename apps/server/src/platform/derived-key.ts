import { createHmac } from "node:crypto";

/** A key for one use only: a signature for one use never passes for another. */
export function derivedKey(secret: string, use: string): string {
  return createHmac("sha256", secret).update(use).digest("base64url");
}
