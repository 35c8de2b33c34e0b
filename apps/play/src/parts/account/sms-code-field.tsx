import { Button } from "@perya/ui/button";
import { TextField, type TextFieldProps } from "@perya/ui/field";
import { useText } from "../../shell/text.ts";
import { CODE_INPUT_MAX } from "./account-rules.ts";
import type { SmsCode } from "./use-sms-code.ts";

/** The code, and the button that has it sent: a countdown after that, then a resend. */
export function SmsCodeField({
  code,
  onSend,
  ...input
}: { code: SmsCode; onSend: () => void } & Omit<TextFieldProps, "label" | "trailing" | "type">) {
  const { t } = useText();
  const { leftS, sending, sent } = code;
  return (
    <TextField
      {...input}
      label={t("auth.sms_code")}
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
