import { ApiRefusal } from "@perya/client/refused";
import { notify } from "@perya/ui/notify";
import { type UseFormReturn, useForm } from "react-hook-form";
import { useCountry } from "../../parts/account/use-country.ts";
import { useSmsCode } from "../../parts/account/use-sms-code.ts";
import { AwaitedLists, isAllHere } from "../../parts/forms/awaited-lists.tsx";
import { useRecheck, verdict } from "../../parts/forms/form-faults.ts";
import { runMode } from "../../shell/run-mode.ts";
import { textOf } from "../../shell/text.ts";
import styles from "./auth.module.css";
import type { RegisterDraft } from "./register-draft.ts";
import { invitationFault, registerFaults } from "./register-faults.ts";
import { RegisterField } from "./register-field.tsx";
import {
  EMPTY_REGISTRATION,
  type Outside,
  type RegisterName,
  type RegisterPage,
  type RegisterValues,
  type Settings,
} from "./register-fields.ts";

/** The form of a registration and its drawn fields; the caller draws what surrounds them. */
export function useRegisterFields(props: {
  settings: Settings;
  shown: readonly RegisterName[];
  captchaShown: boolean;
  outside: Outside | null;
  draft: Pick<RegisterDraft, "country" | "values" | "linked">;
}) {
  const { settings, shown, captchaShown, outside, draft } = props;
  const choice = useCountry(draft.country);
  const code = useSmsCode("register");
  const form: UseFormReturn<RegisterValues> = useForm<RegisterValues>({
    defaultValues: { ...EMPTY_REGISTRATION, ...draft.values },
    mode: "onTouched",
    resolver: (values) =>
      verdict(
        values,
        registerFaults(values, {
          settings,
          shown,
          captchaShown,
          outside,
          minDigits: choice.minDigits,
          today: today(),
          linked: draft.linked,
        }),
      ),
  });
  useRecheck(form);
  const asksNumber = shown.includes("mobileNum1") || shown.includes("mobileNum2");
  const canJudge = !asksNumber || isAllHere([choice.list]);
  const sendCode = () =>
    code.send(async () => {
      const name = shown.includes("mobileNum2") ? "mobileNum2" : "mobileNum1";
      const valid = await form.trigger(name, { shouldFocus: true });
      const number = choice.numberOf(form.getValues(name));
      return valid && number?.mobileNum !== "" ? number : null;
    });
  return {
    form,
    code,
    canJudge,
    /** The code names nobody: shown under its field, by a toast, and by the focus (accounts §8). */
    refuseInvitation: () => {
      const text = invitationFault(form.getValues("affiliateCode").trim(), draft.linked);
      form.setError("affiliateCode", { message: textOf(text) });
      notify.error(() => textOf(text), "invitation");
      form.setFocus("affiliateCode");
    },
    country: choice.country?.code ?? null,
    page: (): RegisterPage => ({
      dialingCode: choice.country?.dialingCode,
      registerMethod: runMode(),
      registerUrl: location.href,
      domain: location.hostname,
    }),
    fields: !canJudge ? (
      <AwaitedLists lists={[choice.list]} rows={shown.length} />
    ) : (
      <div className={styles.form}>
        {shown.map((name) => (
          <RegisterField
            key={name}
            name={name}
            form={form}
            settings={settings}
            outside={outside}
            choice={choice}
            code={code}
            onSendCode={sendCode}
          />
        ))}
      </div>
    ),
  };
}

/** An unknown code shows under its field and in a toast, so no line repeats it. */
export function isInvitationWrong(error: Error | null): boolean {
  return error instanceof ApiRefusal && error.problem.code === "invitation_wrong";
}

function today(): string {
  const now = new Date();
  const month = String(now.getMonth() + 1).padStart(2, "0");
  return `${now.getFullYear()}-${month}-${String(now.getDate()).padStart(2, "0")}`;
}
