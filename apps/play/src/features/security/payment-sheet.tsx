import { ApiRefusal } from "@perya/client/refused";
import { Button } from "@perya/ui/button";
import { PasswordField } from "@perya/ui/field";
import { TOAST_MS } from "@perya/ui/toast-times";
import { useMutation } from "@tanstack/react-query";
import { useForm } from "react-hook-form";
import { digitsOnly } from "../../parts/account/digits-only.ts";
import { FaultLine } from "../../parts/account/fault-line.tsx";
import { showProblem, useRecheck, verdict } from "../../parts/account/form-faults.ts";
import { faultText } from "../../shell/fault.ts";
import { notify } from "../../shell/notify.ts";
import { api } from "../../shell/server.ts";
import { useText } from "../../shell/text.ts";
import { withFreshProof } from "./fresh-proof.ts";
import { type PaymentValues, paymentFaults } from "./payment-faults.ts";
import styles from "./security.module.css";
import type { SecuritySheet } from "./security-popup.tsx";
import { useRereadSecurity } from "./use-reread.ts";

const LOADING_TOAST = "payment-password";

/** Six digits that a withdrawal asks for, given twice. */
export default function PaymentSheet({ state, close }: SecuritySheet) {
  const { t } = useText();
  const reread = useRereadSecurity();
  const form = useForm<PaymentValues>({
    defaultValues: { paymentPassword: "", again: "" },
    resolver: (values) => verdict(values, paymentFaults(values)),
  });
  const { errors } = form.formState;
  useRecheck(form);
  const set = useMutation({
    mutationFn: ({ paymentPassword }: PaymentValues) =>
      withFreshProof(async () => {
        notify.loading(t("shell.in_please_wait"), LOADING_TOAST, TOAST_MS.securityLoadingMax);
        try {
          return await api.call("POST /api/v1/member/payment-password", {
            body: { paymentPassword },
          });
        } finally {
          notify.dismiss(LOADING_TOAST);
        }
      }),
    onSuccess: () => {
      notify.success(t("security.saved"));
      reread();
      close();
    },
    onError: (error) => {
      if (!(error instanceof ApiRefusal)) return;
      showProblem(form, error.problem, (field) =>
        field === "paymentPassword" ? field : undefined,
      );
    },
  });
  const field = {
    showLabel: t("auth.show_password"),
    hideLabel: t("auth.hide_password"),
    inputMode: "numeric",
    autoComplete: "off",
    maxLength: 6,
  } as const;
  return (
    <form
      className={styles.form}
      noValidate
      onSubmit={form.handleSubmit((values) => set.mutate(values))}
    >
      <p className={styles.lead}>
        {t(state.hasPaymentPassword ? "security.payment_change_text" : "security.payment_text")}
      </p>
      <PasswordField
        label={t("auth.paymentPassword")}
        hint={t("auth.paymentPassword_format")}
        {...field}
        errors={errors.paymentPassword?.message}
        {...digitsOnly(form.register("paymentPassword"))}
      />
      <PasswordField
        label={t("security.payment_again")}
        {...field}
        errors={errors.again?.message}
        {...digitsOnly(form.register("again"))}
      />
      <FaultLine text={set.isError ? faultText(set.error) : undefined} />
      <Button type="submit" size="lg" block glow loading={set.isPending}>
        {t("security.save")}
      </Button>
    </form>
  );
}
