import { currentSession } from "../../shell/session.ts";

/**
 * The password that opened this session, so that a change need not ask for it again. It lives as
 * long as the page: it is never written anywhere, and a reload forgets it.
 */
let held: { readonly token: string; readonly password: string } | null = null;

export function holdPassword(token: string, password: string): void {
  held = { token, password };
}

/** Null after a reload, after a log-in without a password, and in any other session. */
export function heldPassword(): string | null {
  return held !== null && held.token === currentSession()?.token ? held.password : null;
}

export function dropPassword(): void {
  held = null;
}
