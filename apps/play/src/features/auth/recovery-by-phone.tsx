import { ApiRefusal } from "@perya/client/refused";
import type { Problem } from "@perya/contract/refusal";
import { Button } from "@perya/ui/button";
import { PasswordField } from "@perya/ui/field";
import { Steps } from "@perya/ui/steps";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { accountRules, digitsOf } from "../../parts/account/account-rules.ts";
import { MobileField } from "../../parts/account/mobile-field.tsx";
import { registerSettings } from "../../parts/account/register-settings.ts";
import { SmsCodeField } from "../../parts/account/sms-code-field.tsx";
import { useCountry } from "../../parts/account/use-country.ts";
import { useSmsCode, withProof } from "../../parts/account/use-sms-code.ts";
import { AwaitedLists, isAllHere } from "../../parts/forms/awaited-lists.tsx";
import { FaultLine } from "../../parts/forms/fault-line.tsx";
import {
  isReady,
  lineOf,
  showProblem,
  useRecheck,
  verdict,
} from "../../parts/forms/form-faults.ts";
import { usePopups } from "../../shell/popups.ts";
import { api } from "../../shell/server.ts";
import { useText } from "../../shell/text.ts";
import styles from "./auth.module.css";
import { finishLogin } from "./finish-login.ts";
import {
  afterRecovery,
  RECOVERY_STEPS,
  type RecoveryEvent,
  type RecoveryStep,
} from "./recovery-steps.ts";
import { UsernameField } from "./username-field.tsx";

interface Values {
  username: string;
  mobileNum: string;
  verificationCode: string;
  newPassword: string;
}

/** Name, then code and new password, then done; one form, so that going back loses nothing. */
export function RecoveryByPhone() {
  const { t } = useText();
  const popups = usePopups();
  const [step, setStep] = useState<RecoveryStep>("verification");
  /** What the server found in a step that is not on the screen now. */
  const [found, setFound] = useState<Problem | null>(null);
  const [numberMissing, setNumberMissing] = useState(false);
  const choice = useCountry();
  const code = useSmsCode("reset");
  const settings = useQuery(registerSettings);
  const rule = settings.data?.fields.password;
  const lists = [settings, choice.list];
  const form = useForm<Values>({
    defaultValues: { username: "", mobileNum: "", verificationCode: "", newPassword: "" },
    mode: "onTouched",
    resolver: (values) =>
      verdict(
        values,
        step === "verification"
          ? { username: accountRules.loginUsername(values.username) }
          : {
              mobileNum: accountRules.mobileNum(values.mobileNum, choice.minDigits),
              verificationCode: accountRules.verificationCode(values.verificationCode),
              newPassword: accountRules.password(values.newPassword, rule),
            },
      ),
  });
  const { errors } = form.formState;
  useRecheck(form);
  const happened = (event: RecoveryEvent) => {
    const move = afterRecovery(step, event);
    if (move.empties !== null) form.resetField(move.empties, { defaultValue: "" });
    setStep(move.step);
    return move.step;
  };

  const name = useMutation({
    mutationFn: ({ username }: Values) =>
      api.call("POST /api/v1/auth/recovery-name", { body: { username: username.trim() } }),
    onMutate: () => setNumberMissing(false),
    onSuccess: (_, { username }) => {
      // The name changed meanwhile, and is checked when it is sent.
      if (form.getValues("username") !== username) return;
      happened({ kind: "named" });
      if (found !== null) showProblem(form, found, fieldOf);
      setFound(null);
    },
    onError: (error) => {
      if (error instanceof ApiRefusal) showProblem(form, error.problem, nameFieldOf);
    },
  });
  const reset = useMutation({
    mutationFn: async (values: Values) => {
      const given = {
        username: values.username.trim(),
        newPassword: values.newPassword,
        mobileNum: digitsOf(values.mobileNum),
        countryDialingCode: choice.country?.dialingCode ?? "",
        verificationCode: values.verificationCode,
      };
      const body = await withProof(given, code);
      return api.call("POST /api/v1/auth/password-by-phone", { body });
    },
    onSuccess: () => happened({ kind: "changed" }),
    onError: (error) => {
      const problem = error instanceof ApiRefusal ? error.problem : null;
      const isHere = happened({ kind: "failed", code: problem?.code ?? null }) === "reset";
      if (isHere && problem !== null) showProblem(form, problem, fieldOf);
      setFound(isHere ? null : problem);
    },
  });
  const login = useMutation({
    mutationFn: ({ username, newPassword }: Values) =>
      api.call("POST /api/v1/auth/login", {
        body: { type: "username", username: username.trim(), password: newPassword },
      }),
    onSuccess: (reply, { username, newPassword }) => {
      // A second factor is asked for in its usual place.
      if ("secondFactor" in reply) return popups.open("login", { name: username.trim() });
      finishLogin(reply, {
        type: "username",
        username: username.trim(),
        password: newPassword,
        countryDialingCode: choice.country?.dialingCode ?? "",
        remember: false,
        typed: true,
      });
      popups.leaveTo("/m/home");
    },
    onError: () => popups.open("login", { name: form.getValues("username").trim() }),
  });
  const sendCode = () =>
    code.send(async () => {
      if (!(await form.trigger("mobileNum", { shouldFocus: true }))) return null;
      if (choice.country === null) return null;
      const mobileNum = digitsOf(form.getValues("mobileNum"));
      return { countryDialingCode: choice.country.dialingCode, mobileNum };
    });
  const submit = (values: Values) => {
    if (step === "verification") return name.mutate(values);
    reset.mutate(values);
  };
  /** Without a number no code can be checked: the recovery begins again (accounts §2.5). */
  const refuse = () => {
    const { mobileNum } = form.getValues();
    if (step !== "reset" || happened({ kind: "sent", mobileNum: mobileNum.trim() }) === "reset") {
      return;
    }
    // Faults of fields that are not on the screen must not close the step.
    form.clearErrors();
    setNumberMissing(true);
  };

  const canJudge = step === "verification" || isAllHere(lists);
  const nameLine = lineOf(name.error ?? reset.error, nameFieldOf);
  const line = step === "verification" ? nameLine : lineOf(reset.error, () => undefined);
  return (
    <div className={styles.form}>
      <Steps
        label={t("auth.recovery_steps")}
        steps={RECOVERY_STEPS.map((one) => t(`auth.recovery_${one}`))}
        current={RECOVERY_STEPS.indexOf(step)}
      />
      {step === "done" ? (
        <>
          <p className={styles.lead} role="status">
            {t("auth.reset_done")}
          </p>
          <Button
            size="lg"
            block
            glow
            loading={login.isPending}
            onClick={() => login.mutate(form.getValues())}
          >
            {t("auth.confirm")}
          </Button>
        </>
      ) : (
        <form className={styles.form} noValidate onSubmit={form.handleSubmit(submit, refuse)}>
          {step === "verification" ? (
            <UsernameField
              key="username"
              errors={errors.username?.message}
              {...form.register("username")}
            />
          ) : !canJudge ? (
            <AwaitedLists lists={lists} rows={3} />
          ) : (
            <>
              <MobileField
                label={t("auth.mobileNum")}
                choice={choice}
                errors={errors.mobileNum?.message}
                {...form.register("mobileNum")}
              />
              <SmsCodeField
                code={code}
                onSend={sendCode}
                errors={errors.verificationCode?.message}
                field={form.register("verificationCode")}
              />
              <PasswordField
                label={t("auth.new_password")}
                showLabel={t("auth.show_password")}
                hideLabel={t("auth.hide_password")}
                autoComplete="new-password"
                maxLength={rule?.maxLength ?? 128}
                errors={errors.newPassword?.message}
                {...form.register("newPassword")}
              />
            </>
          )}
          <FaultLine text={numberMissing ? t("auth.mobile_required") : line} />
          <Button
            type="submit"
            size="lg"
            block
            glow
            disabled={!canJudge || !isReady(form.formState)}
            loading={name.isPending || reset.isPending}
          >
            {t(step === "verification" ? "auth.next" : "auth.retrieve")}
          </Button>
        </form>
      )}
    </div>
  );
}

const FIELDS = ["mobileNum", "verificationCode", "newPassword"] as const;

function fieldOf(field: string): (typeof FIELDS)[number] | undefined {
  return FIELDS.find((one) => one === field);
}

function nameFieldOf(field: string): "username" | undefined {
  return field === "username" ? field : undefined;
}
