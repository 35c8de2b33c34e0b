import { ApiRefusal } from "@perya/client/refused";
import type { Problem } from "@perya/contract/refusal";
import { Button, SubmitButton } from "@perya/ui/button";
import { Steps } from "@perya/ui/steps";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { accountRules, digitsOf } from "../../parts/account/account-rules.ts";
import { MobileCodeFields } from "../../parts/account/mobile-code-fields.tsx";
import { registerSettings } from "../../parts/account/register-settings.ts";
import { useCountry } from "../../parts/account/use-country.ts";
import { useSmsCode, withProof } from "../../parts/account/use-sms-code.ts";
import { AwaitedLists, isAllHere } from "../../parts/forms/awaited-lists.tsx";
import { FaultLine } from "../../parts/forms/fault-line.tsx";
import { fieldIn } from "../../parts/forms/field-in.ts";
import type { FieldRule } from "../../parts/forms/field-rule.ts";
import {
  isReady,
  lineOf,
  showProblem,
  useRecheck,
  verdict,
} from "../../parts/forms/form-faults.ts";
import { SecretField } from "../../parts/forms/secret-field.tsx";
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
  const settings = useQuery(registerSettings);
  const rule = settings.data?.fields.password;
  const recovery = useRecovery(rule);
  const { step, form, choice } = recovery;
  const { name, reset, submit, refuse, numberMissing } = useSteps(recovery);
  const lists = [settings, choice.list];
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
        <Done recovery={recovery} />
      ) : (
        <form className={styles.form} noValidate onSubmit={form.handleSubmit(submit, refuse)}>
          {step === "verification" ? (
            <UsernameField
              key="username"
              errors={form.formState.errors.username?.message}
              {...form.register("username")}
            />
          ) : !canJudge ? (
            <AwaitedLists lists={lists} rows={3} />
          ) : (
            <ResetFields recovery={recovery} rule={rule} />
          )}
          <FaultLine text={numberMissing ? t("auth.mobile_required") : line} />
          <SubmitButton
            disabled={!canJudge || !isReady(form.formState)}
            loading={name.isPending || reset.isPending}
          >
            {t(step === "verification" ? "auth.next" : "auth.retrieve")}
          </SubmitButton>
        </form>
      )}
    </div>
  );
}

type Recovery = ReturnType<typeof useRecovery>;

function useRecovery(rule: FieldRule | undefined) {
  const [step, setStep] = useState<RecoveryStep>("verification");
  const choice = useCountry();
  const code = useSmsCode("reset");
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
  useRecheck(form);
  const happened = (event: RecoveryEvent) => {
    const move = afterRecovery(step, event);
    if (move.empties !== null) form.resetField(move.empties, { defaultValue: "" });
    setStep(move.step);
    return move.step;
  };
  return { step, happened, form, choice, code };
}

function useSteps({ step, happened, form, choice, code }: Recovery) {
  /** What the server found in a step that is not on the screen now. */
  const [found, setFound] = useState<Problem | null>(null);
  const [numberMissing, setNumberMissing] = useState(false);
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
  return { name, reset, submit, refuse, numberMissing };
}

function ResetFields({ recovery, rule }: { recovery: Recovery; rule: FieldRule | undefined }) {
  const { form, choice, code } = recovery;
  const { t } = useText();
  const sendCode = () =>
    code.send(async () => {
      if (!(await form.trigger("mobileNum", { shouldFocus: true }))) return null;
      return choice.numberOf(form.getValues("mobileNum"));
    });
  return (
    <>
      <MobileCodeFields choice={choice} code={code} onSend={sendCode} form={form} />
      <SecretField
        label={t("auth.new_password")}
        autoComplete="new-password"
        maxLength={rule?.maxLength ?? 128}
        errors={form.formState.errors.newPassword?.message}
        {...form.register("newPassword")}
      />
    </>
  );
}

/** Logs the player in with the new password. */
function Done({ recovery }: { recovery: Recovery }) {
  const { form, choice } = recovery;
  const { t } = useText();
  const popups = usePopups();
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
  return (
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
  );
}

const fieldOf = fieldIn("mobileNum", "verificationCode", "newPassword");
const nameFieldOf = fieldIn("username");
