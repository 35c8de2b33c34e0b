import styles from "./day-picker.module.css";
import { CalendarIcon } from "./icon.tsx";

/** What is offered where nothing else is said (specification, games §9). */
const FIRST_DAY = "2000-01-01";
const LAST_DAY = "2030-12-31";

export interface DayPickerProps {
  label: string;
  /** `YYYY-MM-DD`; whatever is no such day yet shows as none. */
  value: string;
  onValueChange: (day: string) => void;
  min?: string;
  max?: string;
}

/** A calendar's picture that opens the phone's own picker of days. */
export function DayPicker(props: DayPickerProps) {
  const { label, value, onValueChange, min = FIRST_DAY, max = LAST_DAY } = props;
  return (
    <span className={styles.picker}>
      <CalendarIcon size={20} aria-hidden="true" />
      <input
        type="date"
        className={styles.native}
        aria-label={label}
        min={min}
        max={max}
        value={/^\d{4}-\d{2}-\d{2}$/.test(value) ? value : ""}
        onChange={(event) => onValueChange(event.target.value)}
        onClick={(event) => openPicker(event.currentTarget)}
      />
    </span>
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
