import type { Api, Body } from "@perya/client/api";
import {
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
} from "@simplewebauthn/browser";
import { askerNow } from "../../shell/session.ts";

/** A withdrawal as it will be asked for. */
export type Wish = Body<"POST /api/v1/member/payment-proof">["withdrawal"];

/**
 * Shows with a passkey of this account that the player wants the withdrawal.
 * @throws ApiRefusal or NetworkFailure of the server's, SessionChanged where another session has
 * begun by the time the browser answers; anything else is the browser's or the player's own no
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
    // Made by the server's half of this library, which sends it as it stands.
    optionsJSON: options as unknown as PublicKeyCredentialRequestOptionsJSON,
  });
  // The browser's dialog may stand open for minutes.
  stillAsks("a payment proof");
  const by = { challengeId, response: { ...response } };
  await call("POST /api/v1/member/payment-proof", { body: { withdrawal, by } });
}
