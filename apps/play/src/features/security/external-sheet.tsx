import type { Reply } from "@perya/client/api";
import { Button, IconButton } from "@perya/ui/button";
import { MemberIcon, RemoveIcon } from "@perya/ui/icon";
import { notify } from "@perya/ui/notify";
import { ConfirmDialog } from "@perya/ui/sheet";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { PROVIDER_NAMES, type Provider } from "../../parts/account/provider-name.ts";
import { FaultLine } from "../../parts/forms/fault-line.tsx";
import { Unloaded } from "../../parts/page/screen-states.tsx";
import { faultText } from "../../shell/fault.ts";
import { screenQueries } from "../../shell/screen-queries.ts";
import { api, queries } from "../../shell/server.ts";
import { useText } from "../../shell/text.ts";
import { withFreshProof } from "./fresh-proof.ts";
import styles from "./security.module.css";
import { useRereadSecurity } from "./use-reread.ts";

type Account = Reply<"GET /api/v1/member/external-accounts">["accounts"][number];

/** Accounts with Google and Facebook that open this one; adding one leaves the page. */
export default function ExternalSheet() {
  const { t } = useText();
  const { data: status } = useQuery(queries.status());
  const linked = useQuery(screenQueries.externalAccounts());
  const add = useMutation({
    mutationFn: (provider: Provider) =>
      withFreshProof(() =>
        api.call("POST /api/v1/member/external-accounts", { body: { provider } }),
      ),
    onSuccess: ({ url }) => location.assign(url),
  });
  if (linked.data === undefined) return <Unloaded query={linked} rows={2} />;
  const { accounts } = linked.data;
  const offered = (status?.info.externalLogin ?? []).filter((provider) =>
    accounts.every((account) => account.provider !== provider),
  );
  return (
    <div className={styles.form}>
      <p className={styles.lead}>{t("security.external_text")}</p>
      {accounts.length > 0 && (
        <ul className={styles.rows}>
          {accounts.map((account) => (
            <li key={account.provider} className={styles.row}>
              <AccountRow account={account} />
            </li>
          ))}
        </ul>
      )}
      <FaultLine text={add.isError ? faultText(add.error) : undefined} />
      {offered.map((provider) => (
        <Button
          key={provider}
          variant="secondary"
          size="lg"
          block
          loading={add.isPending && add.variables === provider}
          disabled={add.isPending || add.isSuccess}
          onClick={() => add.mutate(provider)}
        >
          {t("security.external_add", { provider: PROVIDER_NAMES[provider] })}
        </Button>
      ))}
    </div>
  );
}

function AccountRow({ account }: { account: Account }) {
  const { t, when } = useText();
  const reread = useRereadSecurity();
  const [asking, setAsking] = useState(false);
  const provider = PROVIDER_NAMES[account.provider];
  const remove = useMutation({
    mutationFn: () =>
      withFreshProof(() =>
        api.call("DELETE /api/v1/member/external-accounts/{provider}", {
          params: { provider: account.provider },
        }),
      ),
    onSuccess: () => notify.success(t("security.saved")),
    onSettled: reread,
  });
  return (
    <>
      <MemberIcon size={20} />
      <span className={styles.what}>
        <b>{provider}</b>
        <span>{t("security.external_since", { at: when(account.linkedAt) })}</span>
        {!account.removable && <span>{t("security.external_only")}</span>}
        <FaultLine text={remove.isError ? faultText(remove.error) : undefined} />
      </span>
      {account.removable && (
        <IconButton
          label={t("security.external_remove", { provider })}
          disabled={remove.isPending}
          onClick={() => setAsking(true)}
        >
          <RemoveIcon size={20} />
        </IconButton>
      )}
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title={t("security.external_remove_title", { provider })}
        confirmLabel={t("security.remove")}
        cancelLabel={t("shell.cancel")}
        tone="danger"
        onConfirm={() => {
          setAsking(false);
          remove.mutate();
        }}
      >
        {t("security.external_remove_text", { provider })}
      </ConfirmDialog>
    </>
  );
}
