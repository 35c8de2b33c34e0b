import { ApiRefusal } from "@perya/client/refused";
import { SubmitButton } from "@perya/ui/button";
import { notify } from "@perya/ui/notify";
import { useMutation } from "@tanstack/react-query";
import { useForm } from "react-hook-form";
import { accountRules } from "../../parts/account/account-rules.ts";
import type { GivenNumber } from "../../parts/account/code-request.ts";
import { MobileCodeFields } from "../../parts/account/mobile-code-fields.tsx";
import { useCountry } from "../../parts/account/use-country.ts";
import { useCodeBySms } from "../../parts/account/use-sms-code.ts";
import { AwaitedLists, isAllHere } from "../../parts/forms/awaited-lists.tsx";
import { FaultLine } from "../../parts/forms/fault-line.tsx";
import { fieldIn } from "../../parts/forms/field-in.ts";
import { lineOf, showProblem, useRecheck, verdict } from "../../parts/forms/form-faults.ts";
import { useKeptOnLapse, useLapsedInput } from "../../parts/forms/lapsed-input.ts";
import { api } from "../../shell/server.ts";
import { useText } from "../../shell/text.ts";
import { withFreshProof } from "./fresh-proof.ts";
import type { SecuritySheet } from "./safety.ts";
import styles from "./security.module.css";
import { useRereadSecurity } from "./use-reread.ts";

interface Values {
  mobileNum: string;
  verificationCode: string;
}

/** A number belongs to the account once the player returns the code sent to it. */
export default function MobileSheet({ state, close }: SecuritySheet) {
  const { t } = useText();
  const reread = useRereadSecurity();
  const before = useLapsedInput("mobile");
  const choice = useCountry(before.country ?? null);
  const code = useCodeBySms(
    (body) => api.call("POST /api/v1/member/mobile-code", { body }),
    withFreshProof,
  );
  const form = useForm<Values>({
    defaultValues: { mobileNum: before.mobileNum ?? "", verificationCode: "" },
    resolver: (values) =>
      verdict(values, {
        mobileNum: accountRules.mobileNum(values.mobileNum, choice.minDigits),
        verificationCode: accountRules.verificationCode(values.verificationCode),
      }),
  });
  useRecheck(form);
  useKeptOnLapse("mobile", () => ({
    mobileNum: form.getValues("mobileNum"),
    country: choice.country?.code ?? "",
  }));
  const verify = useMutation({
    mutationFn: (body: GivenNumber & { verificationCode: string }) =>
      withFreshProof(() => api.call("POST /api/v1/member/mobile", { body })),
    onSuccess: () => {
      notify.success(t("security.saved"));
      reread();
      close();
    },
    onError: (error) => {
      if (!(error instanceof ApiRefusal)) return;
      if (error.problem.code === "code_wrong") {
        form.resetField("verificationCode");
        form.setFocus("verificationCode");
      }
      showProblem(form, error.problem, fieldOf);
    },
  });
  const sendCode = () =>
    code.send(async () => {
      const valid = await form.trigger("mobileNum", { shouldFocus: true });
      return valid ? choice.numberOf(form.getValues("mobileNum")) : null;
    });
  const canJudge = isAllHere([choice.list]);
  return (
    <form
      className={styles.form}
      noValidate
      onSubmit={form.handleSubmit(({ mobileNum, verificationCode }) => {
        const number = choice.numberOf(mobileNum);
        if (number !== null) verify.mutate({ ...number, verificationCode });
      })}
    >
      <p className={styles.lead}>{t("security.mobile_text")}</p>
      {state.mobile !== null && (
        <p className={styles.note}>{t("security.mobile_now", { mobile: state.mobile.masked })}</p>
      )}
      {canJudge ? (
        <MobileCodeFields choice={choice} code={code} onSend={sendCode} form={form} />
      ) : (
        <AwaitedLists lists={[choice.list]} rows={2} />
      )}
      <FaultLine text={lineOf(verify.error, fieldOf)} />
      <SubmitButton disabled={!canJudge} loading={verify.isPending}>
        {t("security.mobile_verify")}
      </SubmitButton>
    </form>
  );
}

const fieldOf = fieldIn("mobileNum", "verificationCode");
