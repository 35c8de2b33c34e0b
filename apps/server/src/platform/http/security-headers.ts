/**
 * Headers of every reply. The policy lets scripts come from our own origin only and runs no
 * inline or evaluated code. Inline styles are allowed: the page carries its first-paint CSS and
 * the toast library inserts a style element; they cannot run code.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
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
  ["content-security-policy", CONTENT_SECURITY_POLICY],
  ["x-content-type-options", "nosniff"],
  ["referrer-policy", "strict-origin-when-cross-origin"],
  ["cross-origin-opener-policy", "same-origin"],
  ["cross-origin-resource-policy", "same-origin"],
  ["permissions-policy", "camera=(), microphone=(), geolocation=(), payment=()"],
  ["x-frame-options", "DENY"],
] as const;
/** A year, subdomains too (RFC 6797); said over https alone, where browsers listen to it. */
const TRANSPORT = ["strict-transport-security", "max-age=31536000; includeSubDomains"] as const;

export function securityHeaders(
  secure: boolean,
): readonly (readonly [name: string, value: string])[] {
  return secure ? [...HEADERS, TRANSPORT] : HEADERS;
}
