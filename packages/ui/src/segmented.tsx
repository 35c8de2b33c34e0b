import { useId } from "react";
import type { ChipRowProps } from "./chip-row.tsx";
import styles from "./segmented.module.css";
import { useChoice } from "./use-choice.tsx";

/** A choice of one out of two to four, all in sight at equal width. */
export function Segmented<V extends string>(props: ChipRowProps<V>) {
  const { label, choices, value, onValueChange } = props;
  const name = useId();
  const [shown, pick] = useChoice(value, onValueChange);
  return (
    <div className={styles.group} role="radiogroup" aria-label={label}>
      {choices.map((choice) => (
        <label key={choice.value} className={styles.segment}>
          <input
            type="radio"
            className="tap-area"
            name={name}
            value={choice.value}
            checked={choice.value === shown}
            onChange={() => pick(choice.value)}
          />
          {choice.icon}
          {choice.label}
        </label>
      ))}
    </div>
  );
}
