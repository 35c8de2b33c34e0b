import fastifyCookie from "@fastify/cookie";
import type { FastifyReply, FastifyRequest } from "fastify";

export const SESSION_COOKIE = "perya_session";

/** Every cookie is HttpOnly, for our own host only and for all of its paths. */
export interface CookieOptions {
  /** Lax for a cookie that must be sent when another site sends the browser to us. */
  readonly sameSite: "strict" | "lax";
  readonly maxAgeS: number;
}

/**
 * Behind https cookies are called `__Host-…`: a browser takes such a name only with Secure, for all
 * paths and from this host, so neither a subdomain nor plain http can plant one. Over plain http,
 * on a developer's machine, no browser takes it at all.
 */
function cookieName(name: string, secure: boolean): string {
  return secure ? `__Host-${name}` : name;
}

export function cookieOf(request: FastifyRequest, name: string, secure: boolean) {
  return request.cookies[cookieName(name, secure)];
}

export function setCookie(
  reply: FastifyReply,
  name: string,
  value: string,
  { sameSite, maxAgeS }: CookieOptions,
  secure: boolean,
): void {
  void reply.setCookie(cookieName(name, secure), value, {
    httpOnly: true,
    sameSite,
    secure,
    path: "/",
    maxAge: maxAgeS,
  });
}

/** The cookie half of the session from an upgrade request's header. */
export function sessionCookieOf(header: string | undefined, secure: boolean): string | undefined {
  if (header === undefined) return undefined;
  return fastifyCookie.parse(header)[cookieName(SESSION_COOKIE, secure)];
}
