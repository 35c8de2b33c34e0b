import { Button } from "@perya/ui/button";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import type { Provider } from "../../parts/account/provider-name.ts";
import { sayFault } from "../../shell/fault.ts";
import { api, queries } from "../../shell/server.ts";
import type { SessionInfo } from "../../shell/session.ts";
import { useText } from "../../shell/text.ts";
import styles from "./auth.module.css";
import { keepNext } from "./external-next.ts";
import type { AwaitedRegistration } from "./register-fields.ts";

const LABELS = {
  google: "auth.with_google",
  facebook: "auth.with_facebook",
} as const satisfies Readonly<Record<Provider, string>>;

/** Log-ins with an outside account that the brand offers; a tap leaves the page. */
export function ExternalLogins({ next }: { next: string | undefined }) {
  const { t } = useText();
  const { data: status } = useQuery(queries.status());
  const begin = useMutation({
    mutationFn: (provider: Provider) =>
      api.call("POST /api/v1/auth/external", { body: { provider } }),
    onSuccess: ({ url }) => {
      keepNext(next);
      location.assign(url);
    },
    onError: sayFault,
  });
  // A status that an older version of the app stored may lack it.
  const offered = status?.info.externalLogin ?? [];
  return offered.map((provider) => (
    <Button
      key={provider}
      className={styles.wide}
      variant="secondary"
      loading={begin.isPending && begin.variables === provider}
      disabled={begin.isPending || begin.isSuccess}
      onClick={() => begin.mutate(provider)}
    >
      {t(LABELS[provider])}
    </Button>
  ));
}

/** Finishes a log-in that came back from outside. Its flow is valid once, so it is sent once. */
export function useExternalFinish(
  flow: string | undefined,
  then: {
    onSession: (session: SessionInfo) => void;
    onPending: (pending: string) => void;
    /** No account here belongs to it yet. */
    onAwaited: (awaited: AwaitedRegistration) => void;
    onError: (error: Error) => void;
  },
) {
  const finish = useMutation({
    mutationFn: (one: string) =>
      api.call("POST /api/v1/auth/external/finish", { body: { flow: one } }),
    onSuccess: (reply) => {
      if ("registration" in reply) then.onAwaited(reply);
      else if ("secondFactor" in reply) then.onPending(reply.pending);
      else then.onSession(reply);
    },
    onError: then.onError,
  });
  const sent = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once a flow, as the popup opens.
  useEffect(() => {
    if (flow === undefined || sent.current) return;
    sent.current = true;
    finish.mutate(flow);
  }, [flow]);
  return { finishing: finish.isPending };
}
