import type { Api, Body } from "@perya/client/api";
import {
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
} from "@simplewebauthn/browser";
import { askerNow } from "../../shell/session.ts";

/** A withdrawal as it will be asked for. */
export type Wish = Body<"POST /api/v1/member/payment-proof">["withdrawal"];

/**
 * Proves with a passkey of this account that the player wants the withdrawal.
 * @throws ApiRefusal or NetworkFailure from the server, SessionChanged where another session has
 *   begun by the time the browser answers; any other error is a refusal by the browser or the
 *   player
 */
export async function payByPasskey(
  { call }: Pick<Api, "call">,
  withdrawal: Wish,
  authenticate: typeof startAuthentication = startAuthentication,
): Promise<void> {
  const stillAsks = askerNow();
  const { challengeId, options } = await call("POST /api/v1/member/payment-proof/options", {
    body: {},
  });
  const response = await authenticate({
    // The server's half of this library made them and sends them unchanged.
    optionsJSON: options as unknown as PublicKeyCredentialRequestOptionsJSON,
  });
  // The browser's dialog may stay open for minutes.
  stillAsks("a payment proof");
  const by = { challengeId, response: { ...response } };
  await call("POST /api/v1/member/payment-proof", { body: { withdrawal, by } });
}
