import type { Api } from "@perya/client/api";
import {
  type PublicKeyCredentialCreationOptionsJSON,
  startRegistration,
} from "@simplewebauthn/browser";

/** Has the browser make a passkey and the server keep it; throws what either of them says. */
export async function makePasskey({ call }: Pick<Api, "call">, name: string): Promise<void> {
  const { challengeId, options } = await call("POST /api/v1/member/passkeys/options", { body: {} });
  const response = await startRegistration({
    // Made by the server's half of this library, which sends it as it stands.
    optionsJSON: options as unknown as PublicKeyCredentialCreationOptionsJSON,
  });
  await call("POST /api/v1/member/passkeys", {
    body: { challengeId, name, response: { ...response } },
  });
}
