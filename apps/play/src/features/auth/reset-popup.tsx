import { ApiRefusal } from "@perya/client/refused";
import { Button, SubmitButton } from "@perya/ui/button";
import { ListSkeleton } from "@perya/ui/skeleton";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { accountRules } from "../../parts/account/account-rules.ts";
import { isWholeToken } from "../../parts/account/mail-token.ts";
import { registerSettings } from "../../parts/account/register-settings.ts";
import { AwaitedLists, isAllHere } from "../../parts/forms/awaited-lists.tsx";
import { FaultLine } from "../../parts/forms/fault-line.tsx";
import { fieldIn } from "../../parts/forms/field-in.ts";
import { lineOf, showProblem, useRecheck, verdict } from "../../parts/forms/form-faults.ts";
import { sendBy } from "../../parts/forms/send-by.ts";
import { QueryFailed } from "../../parts/page/screen-states.tsx";
import { type PopupProps, useOpenPopup, usePopups } from "../../shell/popups.ts";
import { api } from "../../shell/server.ts";
import { Popup } from "../../shell/sheet.tsx";
import { useText } from "../../shell/text.ts";
import styles from "./auth.module.css";
import { NewPasswordFields } from "./new-password-fields.tsx";
import { UsernameHint } from "./username-hint.tsx";

interface Values {
  newPassword: string;
  confirmNewPassword: string;
}

/** Opened by the link in the mail: a new password, without the old one. */
export default function ResetPopup({ open, close }: PopupProps) {
  const { t } = useText();
  const popups = usePopups();
  const [token] = useState(useOpenPopup().token ?? "");
  const whole = isWholeToken(token);
  const link = useQuery({
    queryKey: ["reset-link", token],
    queryFn: () => api.call("POST /api/v1/auth/reset-link", { body: { token } }),
    enabled: whole,
    gcTime: 0,
  });
  const [spent, setSpent] = useState(false);
  const [done, setDone] = useState(false);
  const isSpent = spent || !whole || (link.isError && isLinkSpent(link.error));

  const body = () => {
    if (done && link.data !== undefined) {
      const { userName } = link.data;
      return (
        <>
          <p className={styles.lead} role="status">
            {t("auth.reset_done")}
          </p>
          <Button size="lg" block glow onClick={() => popups.open("login", { name: userName })}>
            {t("auth.login")}
          </Button>
        </>
      );
    }
    if (isSpent) {
      return (
        <>
          <p className={styles.lead} role="alert">
            {t("auth.reset_spent")}
          </p>
          <Button size="lg" block onClick={() => popups.open("forget")}>
            {t("auth.reset_again")}
          </Button>
        </>
      );
    }
    if (link.isError) {
      return <QueryFailed query={link} />;
    }
    if (link.data === undefined) {
      return <ListSkeleton count={2} label={t("auth.reset_checking")} />;
    }
    return (
      <ResetForm
        token={token}
        userName={link.data.userName}
        onDone={() => setDone(true)}
        onSpent={() => setSpent(true)}
      />
    );
  };
  return (
    <Popup open={open} close={close} title={t("auth.reset_title")}>
      <div className={styles.form}>{body()}</div>
    </Popup>
  );
}

function ResetForm(props: {
  token: string;
  userName: string;
  onDone: () => void;
  onSpent: () => void;
}) {
  const { token, userName, onDone, onSpent } = props;
  const { t } = useText();
  const settings = useQuery(registerSettings);
  const rule = settings.data?.fields.password;
  const canJudge = isAllHere([settings]);
  const form = useForm<Values>({
    defaultValues: { newPassword: "", confirmNewPassword: "" },
    mode: "onTouched",
    resolver: (values) =>
      verdict(values, {
        newPassword: accountRules.password(values.newPassword, rule),
        confirmNewPassword: accountRules.confirmation(
          values.confirmNewPassword,
          values.newPassword,
          "auth.confirm_mismatch",
        ),
      }),
  });
  useRecheck(form);
  const set = useMutation({
    mutationFn: (values: Values) =>
      api.call("POST /api/v1/auth/password-by-link", { body: { token, ...values } }),
    onSuccess: onDone,
    onError: (error) => {
      if (isLinkSpent(error)) return onSpent();
      if (error instanceof ApiRefusal) {
        showProblem(form, error.problem, fieldOf);
      }
    },
  });
  return (
    <form className={styles.form} noValidate onSubmit={sendBy(form, set)}>
      <p className={styles.lead}>{t("auth.reset_text", { name: userName })}</p>
      <UsernameHint name={userName} />
      {canJudge ? (
        <NewPasswordFields rule={rule} againLabel="auth.confirm_password" form={form} />
      ) : (
        <AwaitedLists lists={[settings]} rows={2} />
      )}
      <FaultLine text={lineOf(set.error, fieldOf)} />
      <SubmitButton disabled={!canJudge} loading={set.isPending}>
        {t("auth.reset_save")}
      </SubmitButton>
    </form>
  );
}

const fieldOf = fieldIn("newPassword", "confirmNewPassword");

function isLinkSpent(error: Error): boolean {
  return error instanceof ApiRefusal && error.problem.code === "link_spent";
}
