import { isNameOfNumber } from "@perya/contract/number-names";
import { TextField } from "@perya/ui/field";
import { Controller, type UseFormReturn, useWatch } from "react-hook-form";
import { MobileField } from "../../parts/account/mobile-field.tsx";
import { SmsCodeField } from "../../parts/account/sms-code-field.tsx";
import type { CountryChoice } from "../../parts/account/use-country.ts";
import type { SmsCode } from "../../parts/account/use-sms-code.ts";
import { SecretField } from "../../parts/forms/secret-field.tsx";
import { useText } from "../../shell/text.ts";
import { BirthdayField } from "./birthday-field.tsx";
import {
  fieldLook,
  isRequired,
  type Outside,
  type RegisterName,
  type RegisterValues,
  ruleOf,
  type Settings,
} from "./register-fields.ts";
import { useUsernameFree } from "./use-username-free.ts";
import { UsernameField } from "./username-field.tsx";

interface RegisterFieldProps {
  readonly name: RegisterName;
  readonly form: UseFormReturn<RegisterValues>;
  readonly settings: Settings;
  /** The provider's data on the player. */
  readonly outside: Outside | null;
  readonly choice: CountryChoice;
  readonly code: SmsCode;
  readonly onSendCode: () => void;
}

/** One field of the registration, drawn by its kind. */
export function RegisterField(props: RegisterFieldProps) {
  const { name, form, settings, outside, choice, code, onSendCode } = props;
  const { t } = useText();
  const look = fieldLook(name);
  const rule = ruleOf(settings, name);
  const errors = form.formState.errors[name]?.message;
  const label = isRequired(settings, name, form.getValues(), outside)
    ? t(look.label)
    : t("auth.optional", { field: t(look.label) });
  switch (name) {
    case "username":
      return <NewUsername {...props} label={label} />;
    case "password":
    case "confimpsw":
    case "paymentPassword":
      return (
        <SecretField
          label={label}
          hint={name === "password" ? lengthHint(t, "password", settings) : undefined}
          autoComplete={look.autoComplete}
          inputMode={look.inputMode}
          maxLength={rule?.maxLength ?? 128}
          errors={errors}
          {...form.register(name, {
            deps: name === "password" && form.formState.touchedFields.confimpsw ? "confimpsw" : [],
          })}
        />
      );
    case "mobileNum1":
    case "mobileNum2":
      return <MobileField label={label} choice={choice} errors={errors} {...form.register(name)} />;
    case "messageCode1":
    case "messageCode2":
      return (
        <SmsCodeField code={code} onSend={onSendCode} errors={errors} field={form.register(name)} />
      );
    case "birthday":
      return (
        <Controller
          control={form.control}
          name={name}
          render={({ field: { onChange, ...field } }) => (
            <BirthdayField {...field} label={label} errors={errors} onValueChange={onChange} />
          )}
        />
      );
    default:
      return (
        <TextField
          label={label}
          type={look.type ?? "text"}
          inputMode={look.inputMode}
          autoComplete={look.autoComplete ?? "off"}
          autoCapitalize="none"
          maxLength={rule?.maxLength ?? 100}
          errors={errors}
          {...form.register(name)}
        />
      );
  }
}

function NewUsername({ label, form, settings }: RegisterFieldProps & { label: string }) {
  const { t } = useText();
  const username = useWatch({ control: form.control, name: "username" });
  const error = form.formState.errors.username?.message;
  const asked = error === undefined && !isNameOfNumber(username.trim());
  const free = useUsernameFree(asked ? username : "");
  return (
    <UsernameField
      label={label}
      hint={free === true ? t("auth.username_free") : lengthHint(t, "username", settings)}
      maxLength={settings.fields.username?.maxLength ?? 32}
      errors={[error ?? "", free === false ? t("auth.username_taken") : ""]}
      {...form.register("username")}
    />
  );
}

/** A value's length, where the pattern ends in `{4,16}`; the pattern itself is not shown. */
function lengthHint(
  t: ReturnType<typeof useText>["t"],
  name: "username" | "password",
  settings: Settings,
): string | undefined {
  const match = /\{(\d+),(\d+)\}$/.exec(settings.fields[name]?.pattern ?? "");
  return match === null
    ? undefined
    : t(`auth.${name}_hint`, { min: Number(match[1]), max: Number(match[2]) });
}
