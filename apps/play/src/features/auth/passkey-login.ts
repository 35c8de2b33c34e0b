import type { Api } from "@perya/client/api";
import {
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
} from "@simplewebauthn/browser";
import type { SessionInfo } from "../../shell/session.ts";

/** Where the browser shows its passkeys: in its own dialog, or below the username's field. */
export type PasskeyPlace = "dialog" | "field";

/**
 * Logs in with a passkey of this browser. `signal` cancels it until the player has chosen one.
 * @throws ApiRefusal or NetworkFailure from the server; any other error is a refusal by the browser
 *   or the player
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
  // A cancelled one would end the ceremony that replaced it.
  signal.throwIfAborted();
  const response = await authenticate({
    // The server's half of this library made them and sends them unchanged.
    optionsJSON: options as unknown as PublicKeyCredentialRequestOptionsJSON,
    useBrowserAutofill: place === "field",
    // The field comes and goes with the log-in method.
    verifyBrowserAutofillInput: false,
  });
  return call("POST /api/v1/auth/passkey", { body: { challengeId, response: { ...response } } });
}
