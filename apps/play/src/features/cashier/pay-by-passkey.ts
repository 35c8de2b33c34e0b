import type { Api, Body } from "@perya/client/api";
import {
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
} from "@simplewebauthn/browser";

/** A withdrawal as it will be asked for. */
export type Wish = Body<"POST /api/v1/member/payment-proof">["withdrawal"];

/**
 * Shows with a passkey of this account that the player wants the withdrawal.
 * @throws ApiRefusal or NetworkFailure of the server's; anything else is the browser's or the
 * player's own no
 */
export async function payByPasskey(
  { call }: Pick<Api, "call">,
  withdrawal: Wish,
  authenticate: typeof startAuthentication = startAuthentication,
): Promise<void> {
  const { challengeId, options } = await call("POST /api/v1/member/payment-proof/options", {
    body: {},
  });
  const response = await authenticate({
    // Made by the server's half of this library, which sends it as it stands.
    optionsJSON: options as unknown as PublicKeyCredentialRequestOptionsJSON,
  });
  const by = { challengeId, response: { ...response } };
  await call("POST /api/v1/member/payment-proof", { body: { withdrawal, by } });
}
