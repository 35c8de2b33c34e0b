import type { Body, Reply } from "@perya/client/api";
import { ApiRefusal } from "@perya/client/refused";
import { Button } from "@perya/ui/button";
import { CheckboxField, PasswordField, TextField } from "@perya/ui/field";
import { Popup } from "@perya/ui/sheet";
import { ListSkeleton } from "@perya/ui/skeleton";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useForm, useWatch } from "react-hook-form";
import { faultText } from "../../shell/fault.ts";
import { notify } from "../../shell/notify.ts";
import type { PopupDoor } from "../../shell/popup-host.tsx";
import { useOpenPopup, usePopups } from "../../shell/popups.ts";
import { QueryFailed } from "../../shell/screen-states.tsx";
import { api, queries, registerMethod } from "../../shell/server.ts";
import { useText } from "../../shell/text.ts";
import styles from "./auth.module.css";
import { CaptchaField, useCaptcha } from "./captcha-field.tsx";
import { registerFaults, SHOWN_FIELDS } from "./register-faults.ts";
import { useUsernameFree } from "./use-username-free.ts";

type Settings = Reply<"GET /api/v1/auth/register-settings">;

export interface RegisterForm {
  username: string;
  password: string;
  confirmPassword: string;
  nickname: string;
  email: string;
  birthday: string;
  affiliateCode: string;
  captcha: string;
  agreed: boolean;
}
const EMPTY: RegisterForm = {
  username: "",
  password: "",
  confirmPassword: "",
  nickname: "",
  email: "",
  birthday: "",
  affiliateCode: "",
  captcha: "",
  agreed: false,
};

export default function RegisterPopup({ open, close }: PopupDoor) {
  const { t } = useText();
  const settings = useQuery(queries.registerSettings());
  return (
    <Popup
      open={open}
      onOpenChange={close}
      title={t("auth.register")}
      closeLabel={t("shell.close")}
    >
      {settings.data !== undefined && <Form settings={settings.data} />}
      {settings.isPending && <ListSkeleton count={5} label={t("shell.loading")} />}
      {settings.isError && (
        <QueryFailed
          error={settings.error}
          onRetry={() => void settings.refetch()}
          retrying={settings.isFetching}
        />
      )}
    </Popup>
  );
}

function Form({ settings }: { settings: Settings }) {
  const { t, language } = useText();
  const popups = usePopups();
  const { next } = useOpenPopup();
  const [afterLogin] = useState(next);
  const later = afterLogin === undefined ? {} : { next: afterLogin };
  const captcha = useCaptcha();
  const asksCaptcha = settings.fields.captcha?.enabled === true;
  const form = useForm<RegisterForm>({
    defaultValues: EMPTY,
    mode: "onTouched",
    resolver: (values) => registerFaults(settings, values, captcha.shown),
  });
  const { errors, touchedFields } = form.formState;
  const [username, agreed] = useWatch({ control: form.control, name: ["username", "agreed"] });
  const usernameFree = useUsernameFree(errors.username === undefined ? username : "");

  // biome-ignore lint/correctness/useExhaustiveDependencies: the first picture, once.
  useEffect(() => {
    if (asksCaptcha) captcha.refresh();
  }, [asksCaptcha]);
  // What is shown as wrong is said in the language of the page.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it follows the language alone.
  useEffect(() => {
    const shown = SHOWN_FIELDS.filter((name) => form.formState.touchedFields[name] === true);
    const timer = setTimeout(() => void form.trigger(shown), 200);
    return () => clearTimeout(timer);
  }, [language]);

  const register = useMutation({
    mutationFn: (values: RegisterForm) =>
      api.call("PUT /api/v1/auth/register", {
        body: { ...bodyOf(values), ...captcha.answer(values.captcha) },
      }),
    onSuccess: ({ userName }) => {
      notify.success(t("auth.registered"), 3_000);
      popups.open("login", { ...later, name: userName });
    },
    onError: (error) => {
      if (captcha.shown) {
        form.resetField("captcha");
        captcha.refresh();
      }
      if (!(error instanceof ApiRefusal)) return;
      if (error.problem.captchaRequired && !captcha.shown) captcha.refresh();
      for (const fault of error.problem.fields ?? []) {
        const name = SHOWN_FIELDS.find((one) => one === fault.field);
        if (name !== undefined) form.setError(name, { message: fault.message });
      }
    },
  });
  const textOfField = (name: "nickname" | "email" | "affiliateCode") =>
    settings.fields[name]?.required === true
      ? t(`auth.${name}`)
      : t("auth.optional", { field: t(`auth.${name}`) });

  const lengthHint = (name: "username" | "password") => {
    const bounds = lengthBounds(settings.fields[name]?.pattern ?? "");
    return bounds === null ? undefined : t(`auth.${name}_hint`, bounds);
  };

  return (
    <>
      <form
        className={styles.form}
        noValidate
        onSubmit={form.handleSubmit((values) => register.mutate(values))}
      >
        <TextField
          label={t("auth.username")}
          hint={usernameFree === true ? t("auth.username_free") : lengthHint("username")}
          autoComplete="username"
          autoCapitalize="none"
          autoCorrect="off"
          spellCheck={false}
          maxLength={settings.fields.username?.maxLength ?? 32}
          errors={[
            errors.username?.message ?? "",
            usernameFree === false ? t("auth.username_taken") : "",
          ]}
          {...form.register("username")}
        />
        <PasswordField
          label={t("auth.password")}
          hint={lengthHint("password")}
          showLabel={t("auth.show_password")}
          hideLabel={t("auth.hide_password")}
          autoComplete="new-password"
          maxLength={settings.fields.password?.maxLength ?? 128}
          errors={errors.password?.message}
          {...form.register("password", {
            deps: touchedFields.confirmPassword ? "confirmPassword" : [],
          })}
        />
        <PasswordField
          label={t("auth.confirm_password")}
          showLabel={t("auth.show_password")}
          hideLabel={t("auth.hide_password")}
          autoComplete="new-password"
          maxLength={settings.fields.password?.maxLength ?? 128}
          errors={errors.confirmPassword?.message}
          {...form.register("confirmPassword")}
        />
        {settings.fields.nickname?.enabled && (
          <TextField
            label={textOfField("nickname")}
            autoComplete="nickname"
            maxLength={settings.fields.nickname.maxLength}
            errors={errors.nickname?.message}
            {...form.register("nickname")}
          />
        )}
        {settings.fields.email?.enabled && (
          <TextField
            label={textOfField("email")}
            type="email"
            inputMode="email"
            autoComplete="email"
            autoCapitalize="none"
            maxLength={settings.fields.email.maxLength}
            errors={errors.email?.message}
            {...form.register("email")}
          />
        )}
        {settings.fields.birthday?.enabled && (
          <TextField
            label={
              settings.fields.birthday.required
                ? t("auth.birthday")
                : t("auth.optional", { field: t("auth.birthday") })
            }
            type="date"
            min="1900-01-01"
            max={`${new Date().getFullYear()}-12-31`}
            autoComplete="bday"
            errors={errors.birthday?.message}
            {...form.register("birthday")}
          />
        )}
        {settings.fields.affiliateCode?.enabled && (
          <TextField
            label={textOfField("affiliateCode")}
            autoComplete="off"
            maxLength={settings.fields.affiliateCode.maxLength}
            errors={errors.affiliateCode?.message}
            {...form.register("affiliateCode")}
          />
        )}
        {captcha.shown && (
          <CaptchaField
            captcha={captcha}
            errors={errors.captcha?.message}
            {...form.register("captcha")}
          />
        )}
        <CheckboxField
          label={t("auth.agree", { age: settings.minimumAge })}
          {...form.register("agreed")}
        />
        <p role="alert" className={styles.fault} hidden={!register.isError}>
          {register.isError && faultText(register.error)}
        </p>
        <Button type="submit" size="lg" block glow disabled={!agreed} loading={register.isPending}>
          {t("auth.register")}
        </Button>
      </form>
      <p className={styles.or}>{t("auth.have_account")}</p>
      <Button variant="secondary" block onClick={() => popups.open("login", later)}>
        {t("auth.login")}
      </Button>
    </>
  );
}

/** How long a value may be, where the pattern ends in `{4,16}`; the pattern itself is no text. */
function lengthBounds(pattern: string): { min: number; max: number } | null {
  const match = /\{(\d+),(\d+)\}$/.exec(pattern);
  return match === null ? null : { min: Number(match[1]), max: Number(match[2]) };
}

/** Optional fields that were left empty do not travel. */
function bodyOf(values: RegisterForm): Body<"PUT /api/v1/auth/register"> {
  const { username, password, confirmPassword } = values;
  const optional = (name: "nickname" | "email" | "birthday" | "affiliateCode") => {
    const value = values[name].trim();
    return value === "" ? {} : { [name]: value };
  };
  return {
    username: username.trim(),
    password,
    confirmPassword,
    ...optional("nickname"),
    ...optional("email"),
    ...optional("birthday"),
    ...optional("affiliateCode"),
    registerMethod: registerMethod(),
    registerUrl: location.href.slice(0, 500),
    domain: location.hostname,
    type: 0,
    agreed: true,
  };
}
