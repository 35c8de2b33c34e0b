import { ApiRefusal } from "@perya/client/refused";
import { SubmitButton } from "@perya/ui/button";
import { notify } from "@perya/ui/notify";
import { TOAST_MS } from "@perya/ui/toast-times";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type UseFormRegisterReturn, useForm } from "react-hook-form";
import { digitsOnly } from "../../parts/forms/digits-only.ts";
import { FaultLine } from "../../parts/forms/fault-line.tsx";
import { fieldIn } from "../../parts/forms/field-in.ts";
import { lineOf, showProblem, useRecheck, verdict } from "../../parts/forms/form-faults.ts";
import { SecretField } from "../../parts/forms/secret-field.tsx";
import { sendBy } from "../../parts/forms/send-by.ts";
import { SIX_DIGITS } from "../../parts/forms/six-digits.ts";
import { screenQueries } from "../../shell/screen-queries.ts";
import { api } from "../../shell/server.ts";
import { useText } from "../../shell/text.ts";
import { withFreshProof } from "./fresh-proof.ts";
import {
  canForget,
  type PaymentProof,
  type PaymentValues,
  paymentBody,
  paymentFaults,
  paymentProofOf,
} from "./payment-faults.ts";
import type { SecuritySheet } from "./safety.ts";
import { SecondFactorField } from "./second-factor-field.tsx";
import styles from "./security.module.css";
import { useRereadSecurity } from "./use-reread.ts";

const LOADING_TOAST = "payment-password";
const PROOF_REFUSALS: ReadonlySet<string> = new Set([
  ...["payment_password_wrong", "password_wrong", "code_wrong"],
]);

/** Six digits that a withdrawal asks for, typed twice. */
export default function PaymentSheet({ state, close }: SecuritySheet) {
  const { t } = useText();
  const reread = useRereadSecurity();
  const client = useQueryClient();
  const [forgotten, setForgotten] = useState(false);
  const by = paymentProofOf(state, forgotten);
  const form = useForm<PaymentValues>({
    defaultValues: { proof: "", paymentPassword: "", again: "" },
    resolver: (values) => verdict(values, paymentFaults(values, by)),
  });
  const { errors } = form.formState;
  useRecheck(form);
  const set = useMutation({
    mutationFn: (values: PaymentValues) =>
      withFreshProof(async () => {
        notify.loading(t("shell.in_please_wait"), LOADING_TOAST, TOAST_MS.securityLoadingMax);
        try {
          return await api.call("POST /api/v1/member/payment-password", {
            body: paymentBody(values, by),
          });
        } finally {
          notify.dismiss(LOADING_TOAST);
        }
      }),
    onSuccess: () => {
      notify.success(t("security.saved"));
      reread();
      // A withdrawal asks for it from now on.
      void client.invalidateQueries(screenQueries.cashierMethods());
      close();
    },
    onError: (error) => {
      if (!(error instanceof ApiRefusal)) return;
      if (PROOF_REFUSALS.has(error.problem.code)) form.resetField("proof");
      showProblem(form, error.problem, fieldOf);
    },
  });
  return (
    <form className={styles.form} noValidate onSubmit={sendBy(form, set)}>
      <p className={styles.lead}>
        {t(state.hasPaymentPassword ? "security.payment_change_text" : "security.payment_text")}
      </p>
      {forgotten && <p className={styles.lead}>{t("security.payment_forgot_text")}</p>}
      <ProofField by={by} errors={errors.proof?.message} field={form.register("proof")} />
      {canForget(state) && (
        <button
          type="button"
          className={styles.link}
          onClick={() => {
            form.resetField("proof");
            setForgotten(!forgotten);
          }}
        >
          {t(forgotten ? "security.payment_known" : "security.payment_forgot")}
        </button>
      )}
      <SecretField
        label={t("auth.paymentPassword")}
        hint={t("auth.paymentPassword_format")}
        {...SIX_DIGITS}
        errors={errors.paymentPassword?.message}
        {...digitsOnly(form.register("paymentPassword"))}
      />
      <SecretField
        label={t("security.payment_again")}
        {...SIX_DIGITS}
        errors={errors.again?.message}
        {...digitsOnly(form.register("again"))}
      />
      <FaultLine text={lineOf(set.error, fieldOf)} />
      <SubmitButton loading={set.isPending}>{t("security.save")}</SubmitButton>
    </form>
  );
}

const fieldOf = fieldIn("paymentPassword");

/** The proof of ownership; an account with nothing but its log-in types none. */
function ProofField(props: {
  by: PaymentProof;
  errors: string | undefined;
  field: UseFormRegisterReturn<"proof">;
}) {
  const { by, errors, field } = props;
  const { t } = useText();
  switch (by) {
    case "current":
      return (
        <SecretField
          label={t("security.payment_current")}
          {...SIX_DIGITS}
          errors={errors}
          {...digitsOnly(field)}
        />
      );
    case "password":
      return (
        <SecretField
          label={t("security.payment_by_password")}
          autoComplete="current-password"
          maxLength={128}
          errors={errors}
          {...field}
        />
      );
    case "code":
      return <SecondFactorField errors={errors} {...field} />;
    case "login":
      return null;
  }
}
