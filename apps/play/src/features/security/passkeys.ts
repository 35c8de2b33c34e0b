import type { Api } from "@perya/client/api";
import { SessionChanged } from "@perya/client/refused";
import {
  type PublicKeyCredentialCreationOptionsJSON,
  startRegistration,
} from "@simplewebauthn/browser";
import { currentSession } from "../../shell/session.ts";

/**
 * Has the browser make a passkey and the server keep it; throws what either of them says.
 * @throws SessionChanged where another session has begun by the time the browser answers
 */
export async function makePasskey(
  { call }: Pick<Api, "call">,
  name: string,
  register: typeof startRegistration = startRegistration,
): Promise<void> {
  const asker = currentSession()?.token;
  const { challengeId, options } = await call("POST /api/v1/member/passkeys/options", { body: {} });
  const response = await register({
    // Made by the server's half of this library, which sends it as it stands.
    optionsJSON: options as unknown as PublicKeyCredentialCreationOptionsJSON,
  });
  // The browser's dialog may stand open for minutes.
  if (currentSession()?.token !== asker) throw new SessionChanged("not sent: a passkey");
  await call("POST /api/v1/member/passkeys", {
    body: { challengeId, name, response: { ...response } },
  });
}
