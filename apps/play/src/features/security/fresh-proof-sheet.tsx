import { ApiRefusal } from "@perya/client/refused";
import { Button } from "@perya/ui/button";
import { PasswordField, TextField } from "@perya/ui/field";
import { Popup } from "@perya/ui/sheet";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useForm } from "react-hook-form";
import { accountRules } from "../../parts/account/account-rules.ts";
import { FaultLine } from "../../parts/account/fault-line.tsx";
import { useRecheck, verdict } from "../../parts/account/form-faults.ts";
import { useHashSheet } from "../../parts/use-hash-sheet.ts";
import { faultText } from "../../shell/fault.ts";
import { api, queries } from "../../shell/server.ts";
import { useText } from "../../shell/text.ts";
import { useProofWanted } from "./fresh-proof.ts";
import styles from "./security.module.css";

/**
 * Asks who plays, over the sheet that needs to know: by the password, or with two-factor login by
 * the second factor alone. Closing it in whatever way is an answer too.
 */
export function FreshProofSheet() {
  const { t } = useText();
  const sheet = useHashSheet("proof");
  const wanted = useProofWanted((state) => state.wanted);
  const [shown, setShown] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address follows the question.
  useEffect(() => {
    if (wanted !== null && !sheet.open) sheet.show();
    // A question that nobody asks any more, or that a reload forgot.
    if (wanted === null && sheet.open) sheet.close();
  }, [wanted]);
  useEffect(() => {
    setShown(sheet.open);
    // Back was pressed.
    if (shown && !sheet.open) wanted?.settle(false);
  }, [sheet.open, shown, wanted]);
  // The sheet below is gone, and the question with it.
  useEffect(() => () => useProofWanted.getState().wanted?.settle(false), []);
  return (
    <Popup
      open={sheet.open && wanted !== null}
      onOpenChange={() => wanted?.settle(false)}
      title={t("security.proof_title")}
      closeLabel={t("shell.close")}
    >
      <ProofForm onProven={() => wanted?.settle(true)} />
    </Popup>
  );
}

function ProofForm({ onProven }: { onProven: () => void }) {
  const { t } = useText();
  const { data: state } = useQuery(queries.security());
  const byCode = state?.totp.enabled === true;
  const form = useForm<{ proof: string }>({
    defaultValues: { proof: "" },
    resolver: (values) => verdict(values, { proof: proofFaults(values.proof, byCode) }),
  });
  useRecheck(form);
  const prove = useMutation({
    mutationFn: ({ proof }: { proof: string }) =>
      api.call("POST /api/v1/auth/fresh", {
        body: byCode ? { code: proof.trim() } : { password: proof },
      }),
    onSuccess: onProven,
    onError: (error) => {
      if (error instanceof ApiRefusal) form.resetField("proof");
      form.setFocus("proof");
    },
  });
  if (state !== undefined && !byCode && !state.hasPassword) {
    return <p className={styles.lead}>{t("security.proof_by_login")}</p>;
  }
  const errors = form.formState.errors.proof?.message;
  return (
    <form
      className={styles.form}
      noValidate
      onSubmit={form.handleSubmit((values) => prove.mutate(values))}
    >
      <p className={styles.lead}>
        {t(byCode ? "security.proof_code_text" : "security.proof_password_text")}
      </p>
      {byCode ? (
        <TextField
          label={t("auth.authenticator_code")}
          hint={t("security.proof_recovery_hint")}
          autoComplete="one-time-code"
          autoCapitalize="none"
          autoCorrect="off"
          spellCheck={false}
          maxLength={9}
          errors={errors}
          {...form.register("proof")}
        />
      ) : (
        <PasswordField
          label={t("auth.password")}
          showLabel={t("auth.show_password")}
          hideLabel={t("auth.hide_password")}
          autoComplete="current-password"
          maxLength={128}
          errors={errors}
          {...form.register("proof")}
        />
      )}
      <FaultLine text={prove.isError ? faultText(prove.error) : undefined} />
      <Button type="submit" size="lg" block glow loading={prove.isPending}>
        {t("auth.confirm")}
      </Button>
    </form>
  );
}

function proofFaults(proof: string, byCode: boolean) {
  if (!byCode) return accountRules.loginPassword(proof);
  return /^\d*$/.test(proof.trim())
    ? accountRules.authenticatorCode(proof.trim())
    : accountRules.recoveryCode(proof);
}
