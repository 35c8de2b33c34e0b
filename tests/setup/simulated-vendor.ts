import { createHmac } from "node:crypto";

/** The key with which the simulated vendor signs its calls, derived from the session secret. */
export function simulatedVendorSecret(sessionSecret: string, vendor: string): string {
  return hmac(hmac(sessionSecret, "vendor-simulator"), vendor);
}

function hmac(secret: string, text: string): string {
  return createHmac("sha256", secret).update(text).digest("base64url");
}
