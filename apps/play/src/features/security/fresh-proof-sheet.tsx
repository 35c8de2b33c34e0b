import { ApiRefusal } from "@perya/client/refused";
import { SubmitButton } from "@perya/ui/button";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useForm } from "react-hook-form";
import { useHashSheet } from "../../parts/browser/use-hash-sheet.ts";
import { digitsOnly } from "../../parts/forms/digits-only.ts";
import { FaultLine } from "../../parts/forms/fault-line.tsx";
import { useRecheck, verdict } from "../../parts/forms/form-faults.ts";
import { SecretField } from "../../parts/forms/secret-field.tsx";
import { sendBy } from "../../parts/forms/send-by.ts";
import { SIX_DIGITS } from "../../parts/forms/six-digits.ts";
import { faultText } from "../../shell/fault.ts";
import { screenQueries } from "../../shell/screen-queries.ts";
import { api } from "../../shell/server.ts";
import { Popup } from "../../shell/sheet.tsx";
import { useText } from "../../shell/text.ts";
import { useProofWanted } from "./fresh-proof.ts";
import { ownerProofFaults, ownerProofOf } from "./payment-faults.ts";
import { SecondFactorField } from "./second-factor-field.tsx";
import styles from "./security.module.css";

const PROOF_TEXTS = {
  code: "security.proof_code_text",
  password: "security.proof_password_text",
  paymentPassword: "security.proof_payment_text",
} as const;

/**
 * Asks the player for a fresh proof, over the sheet that needs it: by the strongest proof of the
 * account. Closing it counts as an answer too.
 */
export function FreshProofSheet() {
  const { t } = useText();
  const sheet = useHashSheet("proof");
  const wanted = useProofWanted((state) => state.wanted);
  const [shown, setShown] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address follows the question.
  useEffect(() => {
    if (wanted !== null && !sheet.open) sheet.show();
    // The question was withdrawn, or a reload forgot it.
    if (wanted === null && sheet.open) sheet.close();
  }, [wanted]);
  useEffect(() => {
    setShown(sheet.open);
    // The player pressed Back.
    if (shown && !sheet.open) wanted?.settle(false);
  }, [sheet.open, shown, wanted]);
  // The sheet below is gone, and the question with it.
  useEffect(() => () => useProofWanted.getState().wanted?.settle(false), []);
  return (
    <Popup
      open={sheet.open && wanted !== null}
      close={() => wanted?.settle(false)}
      title={t("security.proof_title")}
    >
      <ProofForm onProven={() => wanted?.settle(true)} />
    </Popup>
  );
}

function ProofForm({ onProven }: { onProven: () => void }) {
  const { t } = useText();
  const { data: state } = useQuery(screenQueries.security());
  const by = state === undefined ? "password" : ownerProofOf(state);
  const form = useForm<{ proof: string }>({
    defaultValues: { proof: "" },
    resolver: ({ proof }) => verdict({ proof }, { proof: ownerProofFaults(proof, by) }),
  });
  useRecheck(form);
  const prove = useMutation({
    mutationFn: ({ proof }: { proof: string }) =>
      api.call("POST /api/v1/auth/fresh", {
        body: { [by]: by === "password" ? proof : proof.trim() },
      }),
    onSuccess: onProven,
    onError: (error) => {
      if (error instanceof ApiRefusal) form.resetField("proof");
      form.setFocus("proof");
    },
  });
  if (by === "login") {
    return <p className={styles.lead}>{t("security.proof_by_login")}</p>;
  }
  const errors = form.formState.errors.proof?.message;
  return (
    <form className={styles.form} noValidate onSubmit={sendBy(form, prove)}>
      <p className={styles.lead}>{t(PROOF_TEXTS[by])}</p>
      {by === "code" && <SecondFactorField errors={errors} {...form.register("proof")} />}
      {by === "password" && (
        <SecretField
          label={t("auth.password")}
          autoComplete="current-password"
          maxLength={128}
          errors={errors}
          {...form.register("proof")}
        />
      )}
      {by === "paymentPassword" && (
        <SecretField
          label={t("auth.paymentPassword")}
          {...SIX_DIGITS}
          errors={errors}
          {...digitsOnly(form.register("proof"))}
        />
      )}
      <FaultLine text={prove.isError ? faultText(prove.error) : undefined} />
      <SubmitButton loading={prove.isPending}>{t("auth.confirm")}</SubmitButton>
    </form>
  );
}
