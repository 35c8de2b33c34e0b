import type { Instant } from "@perya/kernel/instant";
import { isSignedBy, sign } from "../../platform/http/signature.ts";

/** Signatures of our own protocol (docs/vendors.md). */

/** Whether a vendor with these secrets signed these bytes for this path, and lately. */
export function isSignedByVendor(
  secrets: readonly string[],
  call: { readonly path: string; readonly body: Buffer; readonly signature: string | undefined },
  now: Instant,
): boolean {
  const bytes = signedBytes(call.path, call.body);
  return secrets.some((one) => isSignedBy(one, bytes, call.signature, now));
}

export function signAsVendor(
  secret: string,
  path: string,
  body: Buffer | string,
  at: Instant,
): string {
  return sign(secret, signedBytes(path, body), at);
}

/** The path is signed too, or the words of one call could be sent to another. */
function signedBytes(path: string, body: Buffer | string): Buffer {
  return Buffer.concat([Buffer.from(`${path}\n`), Buffer.from(body)]);
}
