import type { Api } from "@perya/client/api";
import {
  type PublicKeyCredentialCreationOptionsJSON,
  startRegistration,
} from "@simplewebauthn/browser";
import { askerNow } from "../../shell/session.ts";

/**
 * Has the browser make a passkey and the server keep it; throws the errors of both.
 * @throws SessionChanged where another session has begun by the time the browser answers
 */
export async function makePasskey(
  { call }: Pick<Api, "call">,
  name: string,
  register: typeof startRegistration = startRegistration,
): Promise<void> {
  const stillAsks = askerNow();
  const { challengeId, options } = await call("POST /api/v1/member/passkeys/options", { body: {} });
  const response = await register({
    // The server's half of this library made them and sends them unchanged.
    optionsJSON: options as unknown as PublicKeyCredentialCreationOptionsJSON,
  });
  // The browser's dialog may stay open for minutes.
  stillAsks("a passkey");
  await call("POST /api/v1/member/passkeys", {
    body: { challengeId, name, response: { ...response } },
  });
}
