import { ApiRefusal } from "@perya/client/refused";
import { Button, SubmitButton } from "@perya/ui/button";
import { CheckboxField } from "@perya/ui/field";
import { Tabs } from "@perya/ui/tabs";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useForm } from "react-hook-form";
import { accountRules } from "../../parts/account/account-rules.ts";
import { CaptchaField, useCaptcha } from "../../parts/account/captcha-field.tsx";
import { MobileCodeFields } from "../../parts/account/mobile-code-fields.tsx";
import { useCountry } from "../../parts/account/use-country.ts";
import { useSmsCode } from "../../parts/account/use-sms-code.ts";
import { AwaitedLists, isAllHere } from "../../parts/forms/awaited-lists.tsx";
import { digitsOnly } from "../../parts/forms/digits-only.ts";
import { FaultLine } from "../../parts/forms/fault-line.tsx";
import { useRecheck, verdict } from "../../parts/forms/form-faults.ts";
import { SecretField } from "../../parts/forms/secret-field.tsx";
import { useCountdown } from "../../parts/time/use-countdown.ts";
import { faultText } from "../../shell/fault.ts";
import { usePopups } from "../../shell/popups.ts";
import { api, queries } from "../../shell/server.ts";
import type { SessionInfo } from "../../shell/session.ts";
import { useText } from "../../shell/text.ts";
import styles from "./auth.module.css";
import { type GivenLogin, givenLogin, loginBody } from "./login-body.ts";
import { type LoginMethod, type LoginValues, loginFaults } from "./login-faults.ts";
import { rememberedLogins } from "./remembered-login.ts";
import { UsernameField } from "./username-field.tsx";

interface LoginFormProps {
  /** The username that a registration left. */
  name: string | undefined;
  /** A log-in from outside is being finished. */
  busy: boolean;
  /** Shown until another fault replaces it. */
  fault: string | undefined;
  onSession: (session: SessionInfo, login: GivenLogin) => void;
  onPending: (pending: string, login: GivenLogin) => void;
}

/** Username and password, or mobile number and a code by SMS where the brand allows that. */
export function LoginForm(props: LoginFormProps) {
  const { name, busy, fault } = props;
  const { t } = useText();
  const popups = usePopups();
  const entry = useLoginValues(name);
  const { form, captcha, choice, method, setMethod, bySms } = entry;
  const { login, send, waitS } = useLogin(entry, props);
  const canJudge = method === "username" || isAllHere([choice.list]);
  const fields = <LoginFields entry={entry} canJudge={canJudge} />;
  return (
    <form className={styles.form} noValidate onSubmit={form.handleSubmit(send)}>
      {bySms ? (
        <Tabs
          label={t("auth.method")}
          tabs={[
            { value: "username", label: t("auth.username") },
            { value: "sms", label: t("auth.mobileNum") },
          ]}
          value={method}
          onValueChange={(next) => {
            setMethod(next);
            form.clearErrors();
            login.reset();
          }}
        >
          <div className={styles.form}>{fields}</div>
        </Tabs>
      ) : (
        fields
      )}
      {captcha.shown && (
        <CaptchaField
          captcha={captcha}
          errors={form.formState.errors.captcha?.message}
          {...digitsOnly(form.register("captcha"))}
        />
      )}
      <div className={styles.options}>
        <CheckboxField label={t("auth.remember")} {...form.register("remember")} />
        <Button variant="ghost" onClick={() => popups.open("forget")}>
          {t("auth.forgot")}
        </Button>
      </div>
      <FaultLine text={login.isError ? faultText(login.error) : login.isIdle ? fault : undefined} />
      <SubmitButton loading={busy || login.isPending} disabled={!canJudge || waitS > 0}>
        {waitS > 0 ? t("auth.wait", { seconds: waitS }) : t("auth.login")}
      </SubmitButton>
    </form>
  );
}

type Entry = ReturnType<typeof useLoginValues>;

/** The form and its values; it begins with the remembered log-in. */
function useLoginValues(name: string | undefined) {
  const { data: status } = useQuery(queries.status());
  const bySms = status?.info.whitelabel.MOBILEVERCODELOGIN3 === true;
  const [chosen, setMethod] = useState<LoginMethod>("username");
  const method = bySms ? chosen : "username";
  const captcha = useCaptcha("digits", false);
  const choice = useCountry();
  const code = useSmsCode("login");
  const form = useForm<LoginValues>({
    defaultValues: {
      username: name ?? "",
      password: "",
      mobileNum: "",
      verificationCode: "",
      captcha: "",
      remember: false,
    },
    resolver: (values) =>
      verdict(
        values,
        loginFaults(values, {
          method,
          minDigits: choice.minDigits,
          captchaShown: captcha.shown,
        }),
      ),
  });
  useRecheck(form);
  const filledIn = useRef("");
  useRemembered(name, (login) => {
    const typed = form.getValues();
    // A player who began to type before the browser answered goes on.
    if (typed.username !== (name ?? "") || typed.password + typed.mobileNum !== "") return;
    form.setValue("remember", true);
    if (login.type === "sms") {
      setMethod("sms");
      form.setValue("mobileNum", login.username);
      choice.chooseDialingCode(login.countryDialingCode);
      return;
    }
    form.setValue("username", login.username);
    form.setValue("password", login.password);
    filledIn.current = login.password;
  });
  return { form, captcha, choice, code, method, setMethod, bySms, filledIn };
}

function useLogin(entry: Entry, { onPending, onSession }: LoginFormProps) {
  const { form, captcha, choice, code, method, filledIn } = entry;
  const [retryAt, setRetryAt] = useState<number | null>(null);
  const waitS = useCountdown(retryAt, api.serverNow);
  const login = useMutation({
    mutationFn: async ({ login, typed }: { login: GivenLogin; typed: string }) => {
      const { type, countryDialingCode, username: mobileNum, password } = login;
      const proof =
        type === "sms" ? await code.prove({ countryDialingCode, mobileNum }, password) : undefined;
      return api.call("POST /api/v1/auth/login", {
        body: { ...loginBody(login, proof), ...captcha.answer(typed) },
      });
    },
    onSuccess: (reply, { login }) => {
      if ("secondFactor" in reply) onPending(reply.pending, login);
      else onSession(reply, login);
    },
    onError: (error) => {
      const problem = error instanceof ApiRefusal ? error.problem : null;
      // A picture counts once, even where the answer was lost.
      if (problem?.captchaRequired || captcha.shown) {
        form.resetField("captcha");
        captcha.refresh();
      }
      if (problem !== null) setRetryAt(problem.retryAt ?? null);
    },
  });
  const send = (values: LoginValues) => {
    const dialingCode = choice.country?.dialingCode ?? "";
    const given = givenLogin(values, method, dialingCode, filledIn.current);
    login.mutate({ login: given, typed: values.captcha });
  };
  return { login, send, waitS };
}

function LoginFields({ entry, canJudge }: { entry: Entry; canJudge: boolean }) {
  const { form, choice, code, method } = entry;
  const { t } = useText();
  const { errors } = form.formState;
  const sendCode = () =>
    code.send(async () => {
      const valid = await form.trigger("mobileNum", { shouldFocus: true });
      const typed = form.getValues("mobileNum");
      // With the texts of the code request, which differ from those of the log-in (accounts §4).
      const [fault] = accountRules.mobileNum(typed, choice.minDigits);
      if (fault !== undefined) form.setError("mobileNum", { message: t(fault.id) });
      return valid ? choice.numberOf(typed) : null;
    });
  if (method === "username") {
    return (
      <>
        <UsernameField passkeys errors={errors.username?.message} {...form.register("username")} />
        <SecretField
          label={t("auth.password")}
          autoComplete="current-password"
          maxLength={128}
          errors={errors.password?.message}
          {...form.register("password")}
        />
      </>
    );
  }
  if (!canJudge) return <AwaitedLists lists={[choice.list]} rows={2} />;
  return <MobileCodeFields choice={choice} code={code} onSend={sendCode} form={form} />;
}

/** Fills in the remembered log-in; a name left by a registration takes precedence. */
function useRemembered(
  name: string | undefined,
  fill: (login: Awaited<ReturnType<typeof rememberedLogins.read>> & object) => void,
): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, as the form opens.
  useEffect(() => {
    let gone = false;
    if (name === undefined) {
      void rememberedLogins.read().then((login) => {
        if (login !== null && !gone) fill(login);
      });
    }
    return () => {
      gone = true;
    };
  }, []);
}
