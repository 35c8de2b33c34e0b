import type { Reply } from "@perya/client/api";
import { ApiRefusal } from "@perya/client/refused";
import { Button, SubmitButton } from "@perya/ui/button";
import { AS_TYPED, TextField } from "@perya/ui/field";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { accountRules } from "../../parts/account/account-rules.ts";
import { FaultLine } from "../../parts/forms/fault-line.tsx";
import { useRecheck, verdict } from "../../parts/forms/form-faults.ts";
import { sendBy } from "../../parts/forms/send-by.ts";
import { faultText } from "../../shell/fault.ts";
import { api } from "../../shell/server.ts";
import { useText } from "../../shell/text.ts";
import styles from "./auth.module.css";

type Session = Reply<"POST /api/v1/auth/second-factor">;

/** The second half of a log-in: six digits of the authenticator app, or a recovery code. */
export function SecondFactorStep(props: {
  pending: string;
  onDone: (session: Session) => void;
  /** The first half has expired: the log-in begins again. */
  onExpired: () => void;
}) {
  const { pending, onDone, onExpired } = props;
  const { t } = useText();
  const [recovery, setRecovery] = useState(false);
  const form = useForm<{ code: string }>({
    defaultValues: { code: "" },
    resolver: (values) =>
      verdict(values, {
        code: recovery
          ? accountRules.recoveryCode(values.code)
          : accountRules.authenticatorCode(values.code),
      }),
  });
  useRecheck(form);
  const finish = useMutation({
    mutationFn: ({ code }: { code: string }) =>
      api.call("POST /api/v1/auth/second-factor", { body: { pending, code: code.trim() } }),
    onSuccess: onDone,
    onError: (error) => {
      if (error instanceof ApiRefusal && error.problem.code === "link_spent") return onExpired();
      form.resetField("code");
      form.setFocus("code");
    },
  });
  return (
    <form className={styles.form} noValidate onSubmit={sendBy(form, finish)}>
      <p className={styles.lead}>
        {t(recovery ? "auth.second_factor_recovery_text" : "auth.second_factor_text")}
      </p>
      <TextField
        key={String(recovery)}
        label={t(recovery ? "auth.recovery_code" : "auth.authenticator_code")}
        inputMode={recovery ? "text" : "numeric"}
        autoComplete="one-time-code"
        {...AS_TYPED}
        maxLength={recovery ? 9 : 6}
        errors={form.formState.errors.code?.message}
        {...form.register("code")}
      />
      <FaultLine text={finish.isError ? faultText(finish.error) : undefined} />
      <SubmitButton loading={finish.isPending}>{t("auth.confirm")}</SubmitButton>
      <Button
        variant="ghost"
        block
        onClick={() => {
          setRecovery(!recovery);
          form.reset();
          finish.reset();
        }}
      >
        {t(recovery ? "auth.use_authenticator" : "auth.use_recovery_code")}
      </Button>
    </form>
  );
}
