import { PasswordField, type PasswordFieldProps } from "@perya/ui/field";
import { useText } from "../../shell/text.ts";

export function SecretField(props: Omit<PasswordFieldProps, "showLabel" | "hideLabel">) {
  const { t } = useText();
  return (
    <PasswordField
      showLabel={t("auth.show_password")}
      hideLabel={t("auth.hide_password")}
      {...props}
    />
  );
}
