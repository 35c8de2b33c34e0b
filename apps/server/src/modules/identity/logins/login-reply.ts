import { SECOND_MS } from "@perya/kernel/instant";
import { type CookieOptions, SESSION_COOKIE } from "../../../platform/http/cookies.ts";
import { DEVICE_COOKIE, DEVICE_COOKIE_MS } from "../defence/known-devices.ts";
import type { PendingLogin } from "../factors/second-factor.ts";
import { ASKER_COOKIE } from "../factors/sms-codes.ts";
import { SESSION_ABSOLUTE_MS } from "../sessions/session.ts";
import type { Device, LoggedIn } from "../sessions/sessions.ts";

/** What all calls that end in a session have in common. */
export interface LoginCall {
  readonly merchant: { readonly code: string };
  readonly address: string;
  readonly hostname: string;
  readonly headers: { readonly "user-agent"?: string | undefined };
  hasHungUp(): boolean;
  cookie(name: string): string | undefined;
  setCookie(name: string, value: string, options: CookieOptions): void;
}

export function deviceOf(call: LoginCall): Device {
  return {
    address: call.address,
    userAgent: call.headers["user-agent"] ?? "",
    host: call.hostname.toLowerCase(),
    token: call.cookie(DEVICE_COOKIE),
    asker: call.cookie(ASKER_COOKIE),
    session: call.cookie(SESSION_COOKIE),
    hasHungUp: () => call.hasHungUp(),
  };
}

export function sessionReply(call: LoginCall, loggedIn: LoggedIn) {
  const { member, halves, firstLogin, deviceToken } = loggedIn;
  const maxAgeS = SESSION_ABSOLUTE_MS / SECOND_MS;
  call.setCookie(SESSION_COOKIE, halves.cookie, { sameSite: "strict", maxAgeS });
  if (deviceToken !== null) keepDevice(call, deviceToken);
  return {
    token: halves.storage,
    merchantCode: call.merchant.code,
    userName: member.username,
    type: member.type,
    firstTimeLogin: firstLogin,
  };
}

/** The browser is known by this cookie from now on. */
export function keepDevice(call: Pick<LoginCall, "setCookie">, token: string): void {
  const maxAgeS = DEVICE_COOKIE_MS / SECOND_MS;
  call.setCookie(DEVICE_COOKIE, token, { sameSite: "strict", maxAgeS });
}

export function loginReply(call: LoginCall, result: LoggedIn | PendingLogin) {
  if (!("pending" in result)) return sessionReply(call, result);
  return { secondFactor: true as const, pending: result.pending, expiresAt: result.expiresAt };
}
