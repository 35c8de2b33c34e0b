import { AS_TYPED, TextField, type TextFieldProps } from "@perya/ui/field";
import { useText } from "../../shell/text.ts";

/** The longest username that ever existed; a brand's own limit for new ones is shorter. */
const USERNAME_INPUT_MAX = 32;

/** A username field: no keyboard corrects it, and password managers know it. */
export function UsernameField({
  label,
  passkeys = false,
  ...input
}: {
  /** Where the field takes more than a username. */
  label?: string;
  /** The browser offers its passkeys beside the names that it knows. */
  passkeys?: boolean;
} & Omit<TextFieldProps, "label" | "autoComplete">) {
  const { t } = useText();
  return (
    <TextField
      maxLength={USERNAME_INPUT_MAX}
      {...input}
      label={label ?? t("auth.username")}
      autoComplete={passkeys ? "username webauthn" : "username"}
      {...AS_TYPED}
    />
  );
}
