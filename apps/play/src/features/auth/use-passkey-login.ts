import { ApiRefusal } from "@perya/client/refused";
import {
  browserSupportsWebAuthn,
  browserSupportsWebAuthnAutofill,
  WebAuthnAbortService,
} from "@simplewebauthn/browser";
import { useMutation } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { passkeyFault } from "../../parts/account/passkey-fault.ts";
import { api } from "../../shell/server.ts";
import type { SessionInfo } from "../../shell/session.ts";
import { useText } from "../../shell/text.ts";
import { logInByPasskey } from "./passkey-login.ts";

export interface PasskeyLogin {
  /** Whether this browser supports passkeys at all. */
  readonly offered: boolean;
  readonly busy: boolean;
  readonly fault: string | undefined;
  begin(): void;
}

/**
 * Passkeys in the log-in: by a button, and while `listening` beside the names that the browser
 * fills in. The two take turns, because a browser asks for one passkey at a time.
 */
export function usePasskeyLogin(
  listening: boolean,
  onSession: (session: SessionInfo) => void,
): PasskeyLogin {
  const { t } = useText();
  const [refusal, setRefusal] = useState<Error | null>(null);
  const byButton = useMutation({
    mutationFn: () => logInByPasskey(api, "dialog", new AbortController().signal),
    onMutate: () => setRefusal(null),
    onSuccess: onSession,
    onError: setRefusal,
  });
  const listens = listening && (byButton.isIdle || byButton.isError);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it listens once a turn.
  useEffect(() => {
    if (!listens) return;
    const turn = new AbortController();
    void listen(turn.signal).then((heard) => {
      if (turn.signal.aborted || heard === null) return;
      if (heard instanceof ApiRefusal) setRefusal(heard);
      else onSession(heard);
    });
    return () => {
      turn.abort();
      WebAuthnAbortService.cancelCeremony();
    };
  }, [listens]);
  return {
    offered: browserSupportsWebAuthn(),
    busy: byButton.isPending,
    fault: passkeyFault(refusal, t("auth.passkey_not_used")),
    begin: () => byButton.mutate(),
  };
}

/** Waits for a passkey picked in the field; null where the player never picks one. */
async function listen(signal: AbortSignal): Promise<SessionInfo | ApiRefusal | null> {
  try {
    if (!(await browserSupportsWebAuthnAutofill()) || signal.aborted) return null;
    return await logInByPasskey(api, "field", signal);
  } catch (error) {
    // The player asked for nothing yet, so only the server's refusal of a passkey is shown.
    return error instanceof ApiRefusal && error.problem.code === "passkey_refused" ? error : null;
  }
}
