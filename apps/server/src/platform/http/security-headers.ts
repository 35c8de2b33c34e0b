/**
 * Headers of every reply. The policy lets scripts come from our own origin only and runs no
 * inline or evaluated code. Inline styles are allowed: the page carries its first-paint CSS and
 * the toast library inserts a style element; they cannot run code.
 */
const contentSecurityPolicy = (imageOrigins: readonly string[]) =>
  [
    "default-src 'self'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    ["img-src 'self' data: blob:", ...imageOrigins].join(" "),
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self' blob:",
    "manifest-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");

const HEADERS = [
  ["x-content-type-options", "nosniff"],
  ["referrer-policy", "strict-origin-when-cross-origin"],
  ["cross-origin-opener-policy", "same-origin"],
  ["cross-origin-resource-policy", "same-origin"],
  ["permissions-policy", "camera=(), microphone=(), geolocation=(), payment=()"],
  ["x-frame-options", "DENY"],
] as const;
/** A year, subdomains too (RFC 6797); said over https alone, where browsers listen to it. */
const TRANSPORT = ["strict-transport-security", "max-age=31536000; includeSubDomains"] as const;

/** `imageOrigins`: from where pictures may come besides our own origin. */
export function securityHeaders(
  secure: boolean,
  imageOrigins: readonly string[],
): readonly (readonly [name: string, value: string])[] {
  const policy = ["content-security-policy", contentSecurityPolicy(imageOrigins)] as const;
  return [policy, ...HEADERS, ...(secure ? [TRANSPORT] : [])];
}
