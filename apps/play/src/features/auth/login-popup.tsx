import { ApiRefusal } from "@perya/client/refused";
import { Button } from "@perya/ui/button";
import { CheckboxField, PasswordField, TextField } from "@perya/ui/field";
import { Popup } from "@perya/ui/sheet";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useForm } from "react-hook-form";
import { useFreeTrial } from "../../parts/free-trial.ts";
import { faultText } from "../../shell/fault.ts";
import { notify } from "../../shell/notify.ts";
import type { PopupDoor } from "../../shell/popup-host.tsx";
import { useOpenPopup, usePopups } from "../../shell/popups.ts";
import { api, queries } from "../../shell/server.ts";
import { startSession, useSession } from "../../shell/session.ts";
import { useText } from "../../shell/text.ts";
import styles from "./auth.module.css";
import { CaptchaField, useCaptcha } from "./captcha-field.tsx";
import { forgetUsername, rememberedUsername, rememberUsername } from "./remembered-login.ts";
import { useCountdown } from "./use-countdown.ts";

interface LoginForm {
  username: string;
  password: string;
  captcha: string;
  remember: boolean;
}

export default function LoginPopup({ open, close }: PopupDoor) {
  const { t } = useText();
  const popups = usePopups();
  const { next, name } = useOpenPopup();
  const [afterLogin] = useState(next);
  const [given] = useState(name ?? rememberedUsername() ?? "");
  const { data: status } = useQuery(queries.status());
  const captcha = useCaptcha();
  const [retryAt, setRetryAt] = useState<number | null>(null);
  const waitS = useCountdown(retryAt, api.serverNow);
  const form = useForm<LoginForm>({
    defaultValues: {
      username: given,
      password: "",
      captcha: "",
      remember: rememberedUsername() !== null,
    },
  });
  const { errors } = form.formState;

  const leave = () => {
    if (afterLogin === undefined) close();
    else popups.leaveTo(afterLogin);
  };
  const login = useMutation({
    mutationFn: ({ username, password, captcha: answer }: LoginForm) =>
      api.call("POST /api/v1/auth/login", {
        body: { type: "username", username: username.trim(), password, ...captcha.answer(answer) },
      }),
    onSuccess: (session, { remember }) => {
      // Only a member who switched two-factor login on by the API alone gets here.
      if ("secondFactor" in session) return void notify.error(() => t("error.unknown"), "fault");
      if (remember) rememberUsername(session.userName);
      else forgetUsername();
      startSession(session);
      notify.success(t("auth.welcome", { name: session.userName }));
      leave();
    },
    onError: (error) => {
      if (!(error instanceof ApiRefusal)) return;
      const { captchaRequired, retryAt: until } = error.problem;
      setRetryAt(until ?? null);
      if (captchaRequired || captcha.shown) {
        form.resetField("captcha");
        captcha.refresh();
      }
    },
  });
  const { startTrial, starting } = useFreeTrial();
  const elsewhere = useLoggedInElsewhere();
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a log-in of another tab closes.
  useEffect(() => {
    if (open && elsewhere && login.isIdle && !starting) close();
  }, [elsewhere]);

  return (
    <Popup
      open={open}
      onOpenChange={close}
      title={t("auth.login_title")}
      closeLabel={t("shell.close")}
    >
      <form
        className={styles.form}
        noValidate
        onSubmit={form.handleSubmit((values) => login.mutate(values))}
      >
        <TextField
          label={t("auth.username")}
          autoComplete="username"
          autoCapitalize="none"
          autoCorrect="off"
          spellCheck={false}
          maxLength={32}
          errors={errors.username?.message}
          {...form.register("username", { required: t("auth.username_required") })}
        />
        <PasswordField
          label={t("auth.password")}
          showLabel={t("auth.show_password")}
          hideLabel={t("auth.hide_password")}
          autoComplete="current-password"
          maxLength={128}
          errors={errors.password?.message}
          {...form.register("password", { required: t("auth.password_required") })}
        />
        {captcha.shown && (
          <CaptchaField
            captcha={captcha}
            errors={errors.captcha?.message}
            {...form.register("captcha", {
              required: t("auth.captcha_required"),
              pattern: { value: /^\d{1,6}$/, message: t("auth.captcha_numeric") },
            })}
          />
        )}
        <CheckboxField label={t("auth.remember")} {...form.register("remember")} />
        <p role="alert" className={styles.fault} hidden={!login.isError}>
          {login.isError && faultText(login.error)}
        </p>
        <Button type="submit" size="lg" block glow loading={login.isPending} disabled={waitS > 0}>
          {waitS > 0 ? t("auth.wait", { seconds: waitS }) : t("auth.login")}
        </Button>
      </form>
      <p className={styles.or}>{t("auth.or")}</p>
      <div className={styles.others}>
        {status?.info.whitelabel.FREEPLAY3 === true && (
          <Button variant="secondary" loading={starting} onClick={() => startTrial(leave)}>
            {t("auth.trial")}
          </Button>
        )}
        <Button
          variant="secondary"
          onClick={() =>
            popups.open("register", afterLogin === undefined ? {} : { next: afterLogin })
          }
        >
          {t("auth.create_account")}
        </Button>
      </div>
    </Popup>
  );
}

/** Another tab logged in while this popup stood open. */
function useLoggedInElsewhere(): boolean {
  const token = useSession(({ session }) => session?.token ?? null);
  const [before] = useState(token);
  return token !== null && token !== before;
}
