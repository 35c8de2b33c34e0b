import type { Api } from "@perya/client/api";
import {
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
} from "@simplewebauthn/browser";
import type { SessionInfo } from "../../shell/session.ts";

/** Where the browser shows its passkeys: in a dialog of its own, or below the username's field. */
export type PasskeyPlace = "dialog" | "field";

/**
 * Logs in with a passkey of this browser. `signal` ends it until the player has chosen one.
 * @throws ApiRefusal or NetworkFailure of the server's; anything else is the browser's or the
 * player's own no
 */
export async function logInByPasskey(
  { call }: Pick<Api, "call">,
  place: PasskeyPlace,
  signal: AbortSignal,
  authenticate: typeof startAuthentication = startAuthentication,
): Promise<SessionInfo> {
  const { challengeId, options } = await call("POST /api/v1/auth/passkey-options", {
    body: {},
    signal,
  });
  // One that begins would end the one that took this one's place.
  signal.throwIfAborted();
  const response = await authenticate({
    // Made by the server's half of this library, which sends it as it stands.
    optionsJSON: options as unknown as PublicKeyCredentialRequestOptionsJSON,
    useBrowserAutofill: place === "field",
    // The field comes and goes with the way to log in.
    verifyBrowserAutofillInput: false,
  });
  return call("POST /api/v1/auth/passkey", { body: { challengeId, response: { ...response } } });
}
