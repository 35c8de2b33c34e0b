import { notify } from "@perya/ui/notify";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { PROVIDER_NAMES } from "../../parts/account/provider-name.ts";
import { sayFault } from "../../shell/fault.ts";
import { useOpenPopup, usePopups } from "../../shell/popups.ts";
import { api } from "../../shell/server.ts";
import { textOf } from "../../shell/text.ts";
import { useRereadSecurity } from "./use-reread.ts";

/** Adds the account that a provider sent the player back with; its flow is valid once. */
export function useLinkFinish(): void {
  const { link } = useOpenPopup();
  const popups = usePopups();
  const navigate = useNavigate();
  const reread = useRereadSecurity();
  const finish = useMutation({
    mutationFn: (flow: string) =>
      api.call("POST /api/v1/member/external-accounts/finish", { body: { flow } }),
    onSuccess: ({ provider }) => {
      notify.success(textOf("security.external_added", { provider: PROVIDER_NAMES[provider] }));
    },
    onError: sayFault,
    onSettled: () => {
      reread();
      popups.open("security", { id: "external" });
    },
  });
  const sent = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once a flow, as the page opens.
  useEffect(() => {
    if (link === undefined || sent.current) return;
    sent.current = true;
    // Back must not lead to a used flow.
    void navigate({ to: "/m/securityCenter", search: {}, replace: true });
    finish.mutate(link);
  }, [link]);
}
