import { stillStands } from "@perya/kernel/instant";
import { api } from "../../shell/server.ts";
import { currentSession } from "../../shell/session.ts";

/** As long as a fresh proof counts, so that a page left open gives nobody a password change. */
const HELD_MS = 10 * 60_000;

/**
 * The password that was typed to open this session, so that a change need not ask for it again. It
 * is never stored, and a reload forgets it.
 */
let held: { readonly token: string; readonly password: string; readonly until: number } | null =
  null;

/** `password` is what the player typed in this page, never a remembered one. */
export function holdPassword(token: string, password: string): void {
  held = { token, password, until: api.serverNow() + HELD_MS };
}

/**
 * Null after ten minutes, after a reload, after a log-in without a typed password, and in any other
 * session.
 */
export function heldPassword(): string | null {
  if (held !== null && !stillStands(held.until, api.serverNow(), HELD_MS)) dropPassword();
  return held !== null && held.token === currentSession()?.token ? held.password : null;
}

export function dropPassword(): void {
  held = null;
}
