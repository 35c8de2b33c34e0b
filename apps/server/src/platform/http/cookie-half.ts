import fastifyCookie from "@fastify/cookie";
import { SESSION_COOKIE } from "./call-server.ts";

/** The cookie half of the session out of an upgrade request's header. */
export function sessionCookieOf(header: string | undefined): string | undefined {
  return header === undefined ? undefined : fastifyCookie.parse(header)[SESSION_COOKIE];
}
