import { ApiRefusal } from "@perya/client/refused";
import { Button, SubmitButton } from "@perya/ui/button";
import { AS_TYPED, TextField } from "@perya/ui/field";
import { notify } from "@perya/ui/notify";
import { TOAST_MS } from "@perya/ui/toast-times";
import { useMutation } from "@tanstack/react-query";
import { useForm } from "react-hook-form";
import { accountRules } from "../../parts/account/account-rules.ts";
import { FaultLine } from "../../parts/forms/fault-line.tsx";
import { fieldIn } from "../../parts/forms/field-in.ts";
import { lineOf, showProblem, useRecheck, verdict } from "../../parts/forms/form-faults.ts";
import { useKeptOnLapse, useLapsedInput } from "../../parts/forms/lapsed-input.ts";
import { sendBy } from "../../parts/forms/send-by.ts";
import { api } from "../../shell/server.ts";
import { useText } from "../../shell/text.ts";
import { withFreshProof } from "./fresh-proof.ts";
import type { SecuritySheet } from "./safety.ts";
import styles from "./security.module.css";
import { useRereadSecurity } from "./use-reread.ts";

/** An address belongs to the account once the link sent to it was opened. */
export default function EmailSheet({ state, close }: SecuritySheet) {
  const { t } = useText();
  const reread = useRereadSecurity();
  const before = useLapsedInput("email");
  const form = useForm<{ email: string }>({
    defaultValues: { email: before.email ?? "" },
    resolver: (values) => verdict(values, { email: accountRules.email(values.email) }),
  });
  useRecheck(form);
  useKeptOnLapse("email", () => ({ email: form.getValues("email") }));
  const send = useMutation({
    mutationFn: ({ email }: { email: string }) =>
      withFreshProof(() =>
        api.call("POST /api/v1/member/email", { body: { email: email.trim() } }),
      ),
    onSuccess: () => {
      notify.success(t("auth.mail_sent"), TOAST_MS.sent);
      reread();
    },
    onError: (error) => {
      if (!(error instanceof ApiRefusal)) return;
      showProblem(form, error.problem, fieldOf);
    },
  });
  if (send.isSuccess) {
    return (
      <div className={styles.form}>
        <p className={styles.lead} role="status">
          {t("security.email_sent", { email: send.variables.email.trim() })}
        </p>
        <Button size="lg" block onClick={close}>
          {t("security.done")}
        </Button>
      </div>
    );
  }
  return (
    <form className={styles.form} noValidate onSubmit={sendBy(form, send)}>
      <p className={styles.lead}>{t("security.email_text")}</p>
      {state.pendingEmail !== null && (
        <p className={styles.note}>{t("security.email_pending", { email: state.pendingEmail })}</p>
      )}
      <TextField
        label={t("auth.email")}
        type="email"
        inputMode="email"
        autoComplete="email"
        {...AS_TYPED}
        maxLength={254}
        errors={form.formState.errors.email?.message}
        {...form.register("email")}
      />
      <FaultLine text={lineOf(send.error, fieldOf)} />
      <SubmitButton loading={send.isPending}>{t("security.email_send")}</SubmitButton>
    </form>
  );
}

const fieldOf = fieldIn("email");
