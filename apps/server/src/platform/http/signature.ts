import { createHmac, timingSafeEqual } from "node:crypto";
import type { Instant } from "@perya/kernel/instant";
import { MINUTE_MS } from "@perya/kernel/instant";

/** Header of a signed call-back: `t=<ms>,v1=<hex>`, over `<ms>.<body>` with HMAC-SHA256. */
export const SIGNATURE_HEADER = "x-perya-signature";
/**
 * How far a signature may be from the reader's clock, either way, so that a captured call-back
 * cannot be replayed much later.
 */
export const SIGNATURE_FRESH_MS = 5 * MINUTE_MS;

export function sign(secret: string, rawBody: Buffer | string, at: Instant): string {
  return `t=${at},v1=${digest(secret, rawBody, at).toString("hex")}`;
}

export function isSignedBy(
  secret: string,
  rawBody: Buffer,
  signature: string | undefined,
  now: Instant,
): boolean {
  const match = /^t=(\d{1,16}),v1=([0-9a-f]{64})$/.exec(signature ?? "");
  if (match === null) return false;
  const at = Number(match[1]);
  if (Math.abs(now - at) > SIGNATURE_FRESH_MS) return false;
  return timingSafeEqual(Buffer.from(match[2] ?? "", "hex"), digest(secret, rawBody, at));
}

function digest(secret: string, rawBody: Buffer | string, at: Instant): Buffer {
  return createHmac("sha256", secret).update(`${at}.`).update(rawBody).digest();
}
