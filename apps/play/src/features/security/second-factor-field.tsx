import { AS_TYPED, TextField } from "@perya/ui/field";
import type { UseFormRegisterReturn } from "react-hook-form";
import { useText } from "../../shell/text.ts";

/** A code of the authenticator, or one of the recovery codes instead. */
export function SecondFactorField(props: UseFormRegisterReturn & { errors: string | undefined }) {
  const { t } = useText();
  return (
    <TextField
      label={t("auth.authenticator_code")}
      hint={t("security.proof_recovery_hint")}
      autoComplete="one-time-code"
      {...AS_TYPED}
      maxLength={9}
      {...props}
    />
  );
}
