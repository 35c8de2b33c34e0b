import { IconButton, SubmitButton } from "@perya/ui/button";
import { TextField } from "@perya/ui/field";
import { PasskeyIcon, RemoveIcon } from "@perya/ui/icon";
import { notify } from "@perya/ui/notify";
import { ConfirmDialog } from "@perya/ui/sheet";
import { browserSupportsWebAuthn } from "@simplewebauthn/browser";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { passkeyFault } from "../../parts/account/passkey-fault.ts";
import { FaultLine } from "../../parts/forms/fault-line.tsx";
import { useKeptOnLapse, useLapsedInput } from "../../parts/forms/lapsed-input.ts";
import { faultText } from "../../shell/fault.ts";
import { api } from "../../shell/server.ts";
import { useText } from "../../shell/text.ts";
import { deviceName } from "./device-name.ts";
import { withFreshProof } from "./fresh-proof.ts";
import { makePasskey } from "./passkeys.ts";
import type { SecuritySheet, SecurityState } from "./safety.ts";
import styles from "./security.module.css";
import { useRereadSecurity } from "./use-reread.ts";

type Passkey = SecurityState["passkeys"][number];

/** The passkeys of this account; a browser without passkeys can still remove one. */
export default function PasskeysSheet({ state }: SecuritySheet) {
  const { t, when } = useText();
  const reread = useRereadSecurity();
  const [removing, setRemoving] = useState<Passkey | null>(null);
  const remove = useMutation({
    mutationFn: ({ id }: Passkey) =>
      withFreshProof(() => api.call("DELETE /api/v1/member/passkeys/{id}", { params: { id } })),
    onSuccess: () => notify.success(t("security.saved")),
    onSettled: reread,
  });
  return (
    <div className={styles.form}>
      <p className={styles.lead}>{t("security.passkeys_text")}</p>
      {state.passkeys.length > 0 && (
        <ul className={styles.rows}>
          {state.passkeys.map((passkey) => (
            <li key={passkey.id} className={styles.row}>
              <PasskeyIcon size={20} />
              <span className={styles.what}>
                <b>{passkey.name}</b>
                <span>
                  {passkey.lastUsedAt === null
                    ? t("security.passkey_made", { at: when(passkey.createdAt) })
                    : t("security.passkey_used", { at: when(passkey.lastUsedAt) })}
                </span>
              </span>
              <IconButton
                label={t("security.passkey_remove", { name: passkey.name })}
                disabled={remove.isPending}
                onClick={() => setRemoving(passkey)}
              >
                <RemoveIcon size={20} />
              </IconButton>
            </li>
          ))}
        </ul>
      )}
      <FaultLine text={remove.isError ? faultText(remove.error) : undefined} />
      {browserSupportsWebAuthn() && <AddPasskey onAdded={reread} />}
      <ConfirmDialog
        open={removing !== null}
        onOpenChange={() => setRemoving(null)}
        title={t("security.passkey_remove_title")}
        confirmLabel={t("security.remove")}
        cancelLabel={t("shell.cancel")}
        tone="danger"
        onConfirm={() => {
          if (removing !== null) remove.mutate(removing);
          setRemoving(null);
        }}
      >
        {t("security.passkey_remove_text", { name: removing?.name ?? "" })}
      </ConfirmDialog>
    </div>
  );
}

function AddPasskey({ onAdded }: { onAdded: () => void }) {
  const { t } = useText();
  const before = useLapsedInput("passkeys");
  const [name, setName] = useState(() => before.name ?? deviceName(navigator.userAgent) ?? "");
  useKeptOnLapse("passkeys", () => ({ name }));
  const [touched, setTouched] = useState(false);
  const missing = name.trim() === "";
  const add = useMutation({
    mutationFn: (given: string) => withFreshProof(() => makePasskey(api, given)),
    onSuccess: () => {
      notify.success(t("security.saved"));
      onAdded();
    },
  });
  return (
    <form
      className={styles.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        setTouched(true);
        if (!missing) add.mutate(name.trim());
      }}
    >
      <TextField
        label={t("security.passkey_name")}
        hint={t("security.passkey_name_hint")}
        autoComplete="off"
        maxLength={60}
        value={name}
        errors={touched && missing ? t("auth.required") : undefined}
        onChange={(event) => setName(event.target.value)}
      />
      <FaultLine text={passkeyFault(add.error, t("security.passkey_not_made"))} />
      <SubmitButton loading={add.isPending}>{t("security.passkey_add")}</SubmitButton>
    </form>
  );
}
