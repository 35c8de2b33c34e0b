import { PasswordField, type PasswordFieldProps } from "@perya/ui/field";
import type { FieldRule } from "../../parts/forms/field-rule.ts";
import { type MessageId, useText } from "../../shell/text.ts";

type Registered = Omit<PasswordFieldProps, "label" | "showLabel" | "hideLabel" | "autoComplete">;

/** A new password, typed twice so that a slip shows. */
export function NewPasswordFields(props: {
  rule: FieldRule | undefined;
  againLabel: MessageId;
  first: Registered;
  again: Registered;
}) {
  const { rule, againLabel, first, again } = props;
  const { t } = useText();
  const field = {
    showLabel: t("auth.show_password"),
    hideLabel: t("auth.hide_password"),
    autoComplete: "new-password",
    maxLength: rule?.maxLength ?? 128,
  } as const;
  return (
    <>
      <PasswordField {...first} {...field} label={t("auth.new_password")} />
      <PasswordField {...again} {...field} label={t(againLabel)} />
    </>
  );
}
