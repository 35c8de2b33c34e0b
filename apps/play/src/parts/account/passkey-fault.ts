import { ApiRefusal, NetworkFailure, SessionChanged } from "@perya/client/refused";
import { faultText } from "../../shell/fault.ts";

/**
 * Why a passkey was not made or used; undefined for no error.
 * @param notOurs the message for the phone's own dialog: closed, timed out, or without passkeys
 */
export function passkeyFault(error: Error | null, notOurs: string): string | undefined {
  if (error === null) return undefined;
  const isOurs = [ApiRefusal, NetworkFailure, SessionChanged].some((one) => error instanceof one);
  return isOurs ? faultText(error) : notOurs;
}
