import { createHmac } from "node:crypto";

/** What the product's simulated vendor signs its calls with, by the secret of the sessions. */
export function simulatedVendorSecret(sessionSecret: string, vendor: string): string {
  return hmac(hmac(sessionSecret, "vendor-simulator"), vendor);
}

function hmac(secret: string, text: string): string {
  return createHmac("sha256", secret).update(text).digest("base64url");
}
