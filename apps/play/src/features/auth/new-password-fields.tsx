import type { FieldError, UseFormRegisterReturn } from "react-hook-form";
import type { FieldRule } from "../../parts/forms/field-rule.ts";
import { SecretField } from "../../parts/forms/secret-field.tsx";
import { type MessageId, useText } from "../../shell/text.ts";

type Name = "newPassword" | "confirmNewPassword";

/** A new password, typed twice so that a slip shows. */
export function NewPasswordFields(props: {
  rule: FieldRule | undefined;
  againLabel: MessageId;
  form: {
    readonly register: (
      name: Name,
      options?: { readonly deps?: "confirmNewPassword" | [] },
    ) => UseFormRegisterReturn;
    readonly formState: {
      readonly errors: { readonly [N in Name]?: FieldError | undefined };
      readonly touchedFields: { readonly confirmNewPassword?: boolean | undefined };
    };
  };
}) {
  const { rule, againLabel, form } = props;
  const { t } = useText();
  const { errors, touchedFields } = form.formState;
  const field = {
    autoComplete: "new-password",
    maxLength: rule?.maxLength ?? 128,
  } as const;
  return (
    <>
      <SecretField
        {...form.register("newPassword", {
          deps: touchedFields.confirmNewPassword ? "confirmNewPassword" : [],
        })}
        {...field}
        label={t("auth.new_password")}
        errors={errors.newPassword?.message}
      />
      <SecretField
        {...form.register("confirmNewPassword")}
        {...field}
        label={t(againLabel)}
        errors={errors.confirmNewPassword?.message}
      />
    </>
  );
}
