import { api } from "../shell/server.ts";
import { currentSession, wantsAutoLogin } from "../shell/session.ts";

/** The start waits no longer than this, in milliseconds, for the automatic log-in. */
const WAIT_MAX_MS = 3_000;

/** Logs in again where the last log-in asked for it and nobody has signed out since. */
export async function signInAgain(): Promise<void> {
  if (currentSession() !== null || !wantsAutoLogin()) return;
  const signingIn = import("../features/auth/auto-login.ts").then(({ autoLogin }) =>
    autoLogin(api),
  );
  const enough = new Promise((done) => setTimeout(done, WAIT_MAX_MS));
  // If the module fails to load, the visitor stays a visitor.
  await Promise.race([signingIn.catch(() => undefined), enough]);
}
