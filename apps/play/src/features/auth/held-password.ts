import { stillStands } from "@perya/kernel/instant";
import { api } from "../../shell/server.ts";
import { currentSession } from "../../shell/session.ts";

/** For as long as a proof of who plays counts, so that a page left open is no way to a change. */
const HELD_MS = 10 * 60_000;

/**
 * The password that was typed to open this session, so that a change need not ask for it again. It
 * is never written anywhere, and a reload forgets it.
 */
let held: { readonly token: string; readonly password: string; readonly until: number } | null =
  null;

/** `password` is what the player typed in this page, never what the browser remembers of them. */
export function holdPassword(token: string, password: string): void {
  held = { token, password, until: api.serverNow() + HELD_MS };
}

/**
 * Null after ten minutes, after a reload, after a log-in at which no password was typed, and in any
 * other session.
 */
export function heldPassword(): string | null {
  if (held !== null && !stillStands(held.until, api.serverNow(), HELD_MS)) dropPassword();
  return held !== null && held.token === currentSession()?.token ? held.password : null;
}

export function dropPassword(): void {
  held = null;
}
