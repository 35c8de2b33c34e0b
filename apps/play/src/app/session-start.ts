import { api } from "../shell/server.ts";
import { currentSession, wantsAutoLogin } from "../shell/session.ts";

/** A start-up waits no longer than this, in milliseconds, for the player to be signed in again. */
const WAIT_MAX_MS = 3_000;

/** Signs in again where the last log-in asked for it and nobody has signed out since. */
export async function signInAgain(): Promise<void> {
  if (currentSession() !== null || !wantsAutoLogin()) return;
  const signingIn = import("../features/auth/auto-login.ts").then(({ autoLogin }) =>
    autoLogin(api),
  );
  const enough = new Promise((done) => setTimeout(done, WAIT_MAX_MS));
  // A module that cannot be loaded leaves the visitor a visitor.
  await Promise.race([signingIn.catch(() => undefined), enough]);
}
