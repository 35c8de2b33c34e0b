import { TextField, type TextFieldProps } from "@perya/ui/field";
import { CalendarIcon } from "@perya/ui/icon";
import { useText } from "../../shell/text.ts";
import { typedDay } from "./birthday.ts";
import styles from "./birthday-field.module.css";
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
        <span className={styles.picker}>
          <CalendarIcon size={20} aria-hidden="true" />
          <input
            type="date"
            className={styles.native}
            aria-label={t("auth.birthday_pick")}
            min={FIRST_BIRTHDAY}
            max={`${new Date().getFullYear()}-12-31`}
            value={/^\d{4}-\d{2}-\d{2}$/.test(value) ? value : ""}
            onChange={(event) => onValueChange(event.target.value)}
            onClick={(event) => openPicker(event.currentTarget)}
          />
        </span>
      }
    />
  );
}

/** Some browsers open it only on the little picture, which is not drawn here. */
function openPicker(input: HTMLInputElement): void {
  try {
    input.showPicker();
  } catch {
    // Not there, or not allowed now: the day is typed.
  }
}
