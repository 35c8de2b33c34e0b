import { SESSION_COOKIE } from "../../platform/http/call-server.ts";
import { DEVICE_COOKIE, DEVICE_COOKIE_MS } from "./known-devices.ts";
import type { PendingLogin } from "./second-factor.ts";
import { SESSION_ABSOLUTE_MS } from "./session.ts";
import type { Device, LoggedIn } from "./sessions.ts";

/** What every call that ends in a session has in common. */
interface LoginCall {
  readonly merchant: { readonly code: string };
  readonly address: string;
  readonly host: string;
  readonly headers: { readonly "user-agent"?: string | undefined };
  readonly cookies: Readonly<Record<string, string | undefined>>;
  setCookie(
    name: string,
    value: string,
    options: {
      readonly httpOnly: true;
      readonly sameSite: "strict";
      readonly secure: boolean;
      readonly path: string;
      readonly maxAgeS: number;
    },
  ): void;
}

/** The device at the other end of a call. */
export function deviceOf(call: LoginCall): Device {
  return {
    address: call.address,
    userAgent: call.headers["user-agent"] ?? "",
    host: call.host.replace(/:\d+$/, "").toLowerCase(),
    token: call.cookies[DEVICE_COOKIE],
  };
}

/** Sets the cookies of a login that succeeded and answers the half that the browser stores. */
export function sessionReply(call: LoginCall, loggedIn: LoggedIn, secureCookies: boolean) {
  const { member, halves, firstLogin, deviceToken } = loggedIn;
  const hidden = { httpOnly: true, sameSite: "strict", secure: secureCookies, path: "/" } as const;
  call.setCookie(SESSION_COOKIE, halves.cookie, {
    ...hidden,
    maxAgeS: SESSION_ABSOLUTE_MS / 1_000,
  });
  if (deviceToken !== null) {
    call.setCookie(DEVICE_COOKIE, deviceToken, { ...hidden, maxAgeS: DEVICE_COOKIE_MS / 1_000 });
  }
  return {
    token: halves.storage,
    merchantCode: call.merchant.code,
    userName: member.username,
    type: member.type,
    firstTimeLogin: firstLogin,
  };
}

/** A session, or what the player's second factor will make one of. */
export function loginReply(
  call: LoginCall,
  result: LoggedIn | PendingLogin,
  secureCookies: boolean,
) {
  if (!("pending" in result)) return sessionReply(call, result, secureCookies);
  return { secondFactor: true as const, pending: result.pending, expiresAt: result.expiresAt };
}

/** Takes the session's half out of the browser; the device stays known. */
export function dropSessionCookie(call: LoginCall, secureCookies: boolean): void {
  const options = { httpOnly: true, sameSite: "strict", secure: secureCookies } as const;
  call.setCookie(SESSION_COOKIE, "", { ...options, path: "/", maxAgeS: 0 });
}
