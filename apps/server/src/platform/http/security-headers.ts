/** Origins besides our own whose pictures a page may show or with which it may talk. */
export interface Besides {
  /** Sources of scripts: the hashes, as `'sha256-…'`, of those in the page, and hosts. */
  readonly scripts: readonly string[];
  readonly images: readonly string[];
  readonly connections: readonly string[];
  /** Whose pages it may show in a frame; null for none at all. */
  readonly frames: readonly string[] | null;
}

const NONE: Besides = { scripts: [], images: [], connections: [], frames: null };

export const POLICY_HEADER = "content-security-policy";

/**
 * The policy of every reply, which only pages widen. It lets scripts come only from our own origin
 * and from those of a configured service; it runs no evaluated code, and only the inline code that
 * a page names by its hash. Inline styles are allowed: the page carries its first-paint CSS and the
 * toast library inserts a style element; they cannot run code.
 */
export function contentSecurityPolicy(besides: Besides = NONE): string {
  return [
    "default-src 'self'",
    ["script-src 'self'", ...besides.scripts].join(" "),
    "style-src 'self' 'unsafe-inline'",
    ["img-src 'self' data: blob:", ...besides.images].join(" "),
    "font-src 'self'",
    ["connect-src 'self'", ...besides.connections].join(" "),
    "worker-src 'self' blob:",
    "manifest-src 'self'",
    besides.frames === null
      ? "frame-src 'none'"
      : ["frame-src 'self'", ...besides.frames].join(" "),
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
}

const HEADERS = [
  [POLICY_HEADER, contentSecurityPolicy()],
  ["x-content-type-options", "nosniff"],
  ["referrer-policy", "strict-origin-when-cross-origin"],
  ["cross-origin-opener-policy", "same-origin"],
  ["cross-origin-resource-policy", "same-origin"],
  ["permissions-policy", "camera=(), microphone=(), geolocation=(), payment=()"],
  ["x-frame-options", "DENY"],
] as const;
/** A year, subdomains too (RFC 6797); sent over https only, where browsers obey it. */
const TRANSPORT = ["strict-transport-security", "max-age=31536000; includeSubDomains"] as const;

export function securityHeaders(
  secure: boolean,
): readonly (readonly [name: string, value: string])[] {
  return secure ? [...HEADERS, TRANSPORT] : HEADERS;
}
