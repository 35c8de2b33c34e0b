import styles from "./day-picker.module.css";
import { CalendarIcon } from "./icon.tsx";

/** The default range (specification, games §9). */
const FIRST_DAY = "2000-01-01";
const LAST_DAY = "2030-12-31";

export interface DayPickerProps {
  label: string;
  /** `YYYY-MM-DD`; an incomplete day shows as none. */
  value: string;
  onValueChange: (day: string) => void;
  min?: string;
  max?: string;
}

/** A calendar icon that opens the phone's own picker of days. */
export function DayPicker(props: DayPickerProps) {
  const { label, value, onValueChange, min = FIRST_DAY, max = LAST_DAY } = props;
  return (
    <span className={styles.picker}>
      <CalendarIcon size={20} />
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

/** Some browsers open it only from their own icon, which is not drawn here. */
function openPicker(input: HTMLInputElement): void {
  try {
    input.showPicker();
  } catch {
    // Unavailable, or not allowed now: the player types the day.
  }
}
