import { DayPicker } from "@perya/ui/day-picker";
import { TextField, type TextFieldProps } from "@perya/ui/field";
import { useText } from "../../shell/text.ts";
import { typedDay } from "./birthday.ts";
import { FIRST_BIRTHDAY } from "./register-faults.ts";

/** A day as text, `YYYY-MM-DD`, with the phone's own picker beside it. */
export function BirthdayField(
  props: Omit<TextFieldProps, "type" | "value" | "onChange" | "trailing"> & {
    value: string;
    onValueChange: (day: string) => void;
  },
) {
  const { value, onValueChange, ...input } = props;
  const { t } = useText();
  return (
    <TextField
      {...input}
      inputMode="numeric"
      autoComplete="bday"
      placeholder="YYYY-MM-DD"
      maxLength={10}
      value={value}
      onChange={(event) => onValueChange(typedDay(value, event.target.value))}
      trailing={
        <DayPicker
          label={t("auth.birthday_pick")}
          min={FIRST_BIRTHDAY}
          max={`${new Date().getFullYear()}-12-31`}
          value={value}
          onValueChange={onValueChange}
        />
      }
    />
  );
}
