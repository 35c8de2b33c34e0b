import { ApiRefusal } from "@perya/client/refused";
import { SubmitButton } from "@perya/ui/button";
import { TextField } from "@perya/ui/field";
import { notify } from "@perya/ui/notify";
import { useMutation } from "@tanstack/react-query";
import { useForm } from "react-hook-form";
import { accountRules } from "../../parts/account/account-rules.ts";
import { FaultLine } from "../../parts/forms/fault-line.tsx";
import { fieldIn } from "../../parts/forms/field-in.ts";
import {
  isReady,
  lineOf,
  showProblem,
  useRecheck,
  verdict,
} from "../../parts/forms/form-faults.ts";
import { sendBy } from "../../parts/forms/send-by.ts";
import { api } from "../../shell/server.ts";
import { useText } from "../../shell/text.ts";
import { AFTER_SUCCESS_MS } from "../../shell/timing.ts";
import styles from "./auth.module.css";
import { recoveryBody } from "./recovery-body.ts";
import { useLater } from "./use-later.ts";
import { UsernameField } from "./username-field.tsx";

interface Values {
  username: string;
  email: string;
}

const LOADING_TOAST = "recovery";

/** The answer never says whether name and address match, so it is the same for both. */
export function RecoveryByMail({ onDone }: { onDone: () => void }) {
  const { t } = useText();
  const later = useLater();
  const form = useForm<Values>({
    defaultValues: { username: "", email: "" },
    mode: "onTouched",
    resolver: (values) =>
      verdict(values, {
        username: accountRules.loginUsername(values.username),
        email: accountRules.email(values.email),
      }),
  });
  const { errors } = form.formState;
  useRecheck(form);
  const send = useMutation({
    mutationFn: (values: Values) =>
      api.call("POST /api/v1/auth/forgot-password", { body: recoveryBody(values) }),
    onMutate: () => notify.loading(t("shell.in_please_wait"), LOADING_TOAST),
    onSettled: () => notify.dismiss(LOADING_TOAST),
    onSuccess: () => {
      // One second, like any success, even though something was sent (accounts §2.5).
      notify.success(t("auth.mail_sent"));
      later(onDone, AFTER_SUCCESS_MS);
    },
    onError: (error) => {
      if (error instanceof ApiRefusal) showProblem(form, error.problem, fieldOf);
    },
  });
  return (
    <form className={styles.form} noValidate onSubmit={sendBy(form, send)}>
      <p className={styles.lead}>{t("auth.forgot_mail_text")}</p>
      <UsernameField errors={errors.username?.message} {...form.register("username")} />
      <TextField
        label={t("auth.email")}
        type="email"
        inputMode="email"
        autoComplete="email"
        autoCapitalize="none"
        maxLength={254}
        errors={errors.email?.message}
        {...form.register("email")}
      />
      <FaultLine text={lineOf(send.error, fieldOf)} />
      <SubmitButton disabled={!isReady(form.formState)} loading={send.isPending || send.isSuccess}>
        {t("auth.retrieve")}
      </SubmitButton>
    </form>
  );
}

const fieldOf = fieldIn("username", "email");
