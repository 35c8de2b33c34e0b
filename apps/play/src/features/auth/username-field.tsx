import { TextField, type TextFieldProps } from "@perya/ui/field";
import { useText } from "../../shell/text.ts";

/** As long as any name has ever been; a brand's own limit for new ones is shorter. */
const USERNAME_INPUT_MAX = 32;

/** A username as it is typed everywhere: no keyboard mends it, and password managers know it. */
export function UsernameField({
  label,
  passkeys = false,
  ...input
}: {
  /** Where it is not just the username. */
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
      autoCapitalize="none"
      autoCorrect="off"
      spellCheck={false}
    />
  );
}
