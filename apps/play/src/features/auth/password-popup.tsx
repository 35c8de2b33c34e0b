import type { Reply } from "@perya/client/api";
import { ApiRefusal } from "@perya/client/refused";
import { SubmitButton } from "@perya/ui/button";
import { TextField } from "@perya/ui/field";
import { notify } from "@perya/ui/notify";
import { ConfirmDialog } from "@perya/ui/sheet";
import { TOAST_MS } from "@perya/ui/toast-times";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { type UseFormReturn, useForm } from "react-hook-form";
import { registerSettings } from "../../parts/account/register-settings.ts";
import { AwaitedLists, isAllHere } from "../../parts/forms/awaited-lists.tsx";
import { digitsOnly } from "../../parts/forms/digits-only.ts";
import type { FieldRule } from "../../parts/forms/field-rule.ts";
import { useRecheck, verdict } from "../../parts/forms/form-faults.ts";
import { SecretField } from "../../parts/forms/secret-field.tsx";
import { SIX_DIGITS } from "../../parts/forms/six-digits.ts";
import { type PopupProps, usePopups } from "../../shell/popups.ts";
import { screenQueries } from "../../shell/screen-queries.ts";
import { api } from "../../shell/server.ts";
import { useSession } from "../../shell/session.ts";
import { Popup } from "../../shell/sheet.tsx";
import { useText } from "../../shell/text.ts";
import { AFTER_SUCCESS_MS } from "../../shell/timing.ts";
import styles from "./auth.module.css";
import { dropPassword, heldPassword } from "./held-password.ts";
import { NewPasswordFields } from "./new-password-fields.tsx";
import {
  type Asked,
  isSamePassword,
  type PasswordValues,
  passwordBody,
  passwordFaults,
} from "./password-change.ts";
import { rememberedLogins } from "./remembered-login.ts";
import { useLater } from "./use-later.ts";
import { UsernameHint } from "./username-hint.tsx";

const LOADING_TOAST = "password";
/** The field that gets the focus after a failure. */
const FIRST_FIELD = {
  old: "oldPassword",
  code: "code",
  payment: "code",
  nothing: "newPassword",
} as const;

export default function PasswordPopup({ open, close }: PopupProps) {
  const { t } = useText();
  const userName = useSession(({ session }) => session?.userName ?? "");
  const settings = useQuery(registerSettings);
  const rule = settings.data?.fields.password;
  const canJudge = isAllHere([settings]);
  const { form, asks, submit, loading, same, setSame } = useChange(userName, rule);
  return (
    <Popup open={open} close={close} title={t("auth.change_password")}>
      <form className={styles.form} noValidate onSubmit={form.handleSubmit(submit)}>
        <UsernameHint name={userName} />
        <ProofField asks={asks} form={form} />
        {canJudge ? (
          <NewPasswordFields rule={rule} againLabel="auth.confirm_new_password" form={form} />
        ) : (
          <AwaitedLists lists={[settings]} rows={2} />
        )}
        <SubmitButton disabled={!canJudge} loading={loading}>
          {t("auth.change_password")}
        </SubmitButton>
      </form>
      <ConfirmDialog
        open={same}
        onOpenChange={setSame}
        title={t("auth.same_password_title")}
        confirmLabel={t("auth.confirm")}
        onConfirm={() => setSame(false)}
      >
        {t("auth.same_password")}
      </ConfirmDialog>
    </Popup>
  );
}

function ProofField({ asks, form }: { asks: Asked; form: UseFormReturn<PasswordValues> }) {
  const { t } = useText();
  const { errors } = form.formState;
  switch (asks) {
    case "code":
      return (
        <TextField
          label={t("auth.authenticator_code")}
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={6}
          errors={errors.code?.message}
          {...digitsOnly(form.register("code"))}
        />
      );
    case "payment":
      return (
        <SecretField
          label={t("auth.paymentPassword")}
          {...SIX_DIGITS}
          errors={errors.code?.message}
          {...digitsOnly(form.register("code"))}
        />
      );
    case "old":
      return (
        <SecretField
          label={t("auth.old_password")}
          autoComplete="current-password"
          maxLength={128}
          errors={errors.oldPassword?.message}
          {...form.register("oldPassword")}
        />
      );
    case "nothing":
      return null;
  }
}

function useChange(userName: string, rule: FieldRule | undefined) {
  const { t } = useText();
  const popups = usePopups();
  const client = useQueryClient();
  const later = useLater();
  const [held, setHeld] = useState(heldPassword);
  const { data: security } = useQuery(screenQueries.security());
  const asks = askedOf(held, security);
  const [same, setSame] = useState(false);
  /** The held password was out of date, and its field is now shown. */
  const [asksAnew, setAsksAnew] = useState(false);
  const form = useForm<PasswordValues>({
    defaultValues: { oldPassword: "", code: "", newPassword: "", confirmNewPassword: "" },
    mode: "onTouched",
    resolver: (values) => verdict(values, passwordFaults(values, { asks, rule })),
  });
  useRecheck(form);
  useEffect(() => {
    if (asksAnew) form.setFocus("oldPassword");
  }, [asksAnew, form]);
  const change = useMutation({
    mutationFn: async (values: PasswordValues) => {
      // This proves the session, which a first password requires.
      if (asks === "payment") {
        await api.call("POST /api/v1/auth/fresh", { body: { paymentPassword: values.code } });
      }
      return api.call("POST /api/v1/auth/password", { body: passwordBody(values, { asks, held }) });
    },
    onMutate: () =>
      notify.loading(t("shell.in_please_wait"), LOADING_TOAST, TOAST_MS.passwordLoadingMax),
    onSettled: () => notify.dismiss(LOADING_TOAST),
    onSuccess: (_, { newPassword }) => {
      notify.success(t("auth.change_pass_success"));
      dropPassword();
      void rememberedLogins.changePassword(userName, newPassword);
      void client.invalidateQueries(screenQueries.security());
      later(() => popups.leaveTo("/m/home"), AFTER_SUCCESS_MS);
    },
    // A failed change shows no message (specification, accounts §8), only the focused field.
    onError: (error) => {
      // The required proof may have changed.
      void client.invalidateQueries(screenQueries.security());
      const code = error instanceof ApiRefusal ? error.problem.code : null;
      if (code === "modify.new.old.same") {
        setSame(true);
      } else if (held !== null && code === "password_wrong") {
        // Another tab changed it, or a change whose answer was lost.
        dropPassword();
        setHeld(null);
        setAsksAnew(true);
      } else {
        form.setFocus(FIRST_FIELD[asks], { shouldSelect: true });
      }
    },
  });
  const submit = (values: PasswordValues) => {
    if (held !== null && heldPassword() === null) {
      // The page was open too long: the field appears with its fault.
      setHeld(null);
      form.setError("oldPassword", { message: t("auth.password_required") });
    } else if (isSamePassword(values, held)) setSame(true);
    else change.mutate(values);
  };
  const loading = change.isPending || change.isSuccess;
  return { form, asks, submit, loading, same, setSame };
}

/** A player with an outside account has no password yet, and perhaps nothing but the log-in. */
function askedOf(
  held: string | null,
  security: Reply<"GET /api/v1/member/security"> | undefined,
): Asked {
  if (held !== null) return "nothing";
  if (security?.hasPassword !== false) return "old";
  if (security.totp.enabled) return "code";
  return security.hasPaymentPassword ? "payment" : "nothing";
}
