import { Button } from "@perya/ui/button";
import { TextField } from "@perya/ui/field";
import type { UseFormRegisterReturn } from "react-hook-form";
import { useText } from "../../shell/text.ts";
import { digitsOnly } from "../forms/digits-only.ts";
import { CODE_INPUT_MAX } from "./account-rules.ts";
import type { SmsCode } from "./use-sms-code.ts";

interface SmsCodeFieldProps {
  readonly code: SmsCode;
  /** The form's own, as it registers it. */
  readonly field: UseFormRegisterReturn;
  readonly errors: string | undefined;
  readonly onSend: () => void;
}

/** The code, and the button that sends it: a countdown after that, then a resend. */
export function SmsCodeField({ code, field, errors, onSend }: SmsCodeFieldProps) {
  const { t } = useText();
  const { leftS, sending, sent } = code;
  return (
    <TextField
      {...digitsOnly(field)}
      label={t("auth.sms_code")}
      errors={errors}
      inputMode="numeric"
      autoComplete="one-time-code"
      maxLength={CODE_INPUT_MAX}
      trailing={
        <Button variant="ghost" loading={sending} disabled={leftS > 0} onClick={onSend}>
          {leftS > 0
            ? t("auth.sms_wait", { seconds: leftS })
            : t(sent ? "auth.sms_resend" : "auth.sms_send")}
        </Button>
      }
    />
  );
}
