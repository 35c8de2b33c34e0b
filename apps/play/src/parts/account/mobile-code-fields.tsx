import type { FieldError, UseFormRegisterReturn } from "react-hook-form";
import { useText } from "../../shell/text.ts";
import { MobileField } from "./mobile-field.tsx";
import { SmsCodeField } from "./sms-code-field.tsx";
import type { CountryChoice } from "./use-country.ts";
import type { SmsCode } from "./use-sms-code.ts";

type Name = "mobileNum" | "verificationCode";

export function MobileCodeFields(props: {
  choice: CountryChoice;
  code: SmsCode;
  onSend: () => void;
  form: {
    readonly register: (name: Name) => UseFormRegisterReturn;
    readonly formState: { readonly errors: { readonly [N in Name]?: FieldError | undefined } };
  };
}) {
  const { choice, code, onSend, form } = props;
  const { t } = useText();
  return (
    <>
      <MobileField
        label={t("auth.mobileNum")}
        choice={choice}
        errors={form.formState.errors.mobileNum?.message}
        {...form.register("mobileNum")}
      />
      <SmsCodeField
        code={code}
        onSend={onSend}
        errors={form.formState.errors.verificationCode?.message}
        field={form.register("verificationCode")}
      />
    </>
  );
}
