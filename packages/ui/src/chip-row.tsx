import { type ReactNode, useEffect, useId, useRef } from "react";
import styles from "./chip-row.module.css";
import { dragScroll } from "./drag-scroll.tsx";
import { useChoice } from "./use-choice.tsx";

interface Choice<V extends string> {
  value: V;
  label: ReactNode;
  icon?: ReactNode;
}

export interface ChipRowProps<V extends string> {
  label: string;
  choices: readonly Choice<V>[];
  value: V;
  /** May return a promise, where the choice navigates. */
  onValueChange: (value: V) => unknown;
  /** A tap on the chosen one counts too, and is reported like any other. */
  tapsAgain?: boolean;
}

/**
 * A sideways scrolling choice of one, such as the game categories. Native radios, so arrow keys and
 * screen readers work as usual. `--chip-bleed` on an ancestor lets the row run to the screen's
 * edges.
 */
export function ChipRow<V extends string>({
  label,
  choices,
  value,
  onValueChange,
  tapsAgain = false,
}: ChipRowProps<V>) {
  const name = useId();
  const [shown, pick] = useChoice(value, onValueChange);
  const row = useRef<HTMLDivElement>(null);
  useEffect(() => dragScroll(row.current), []);

  // A category chosen elsewhere (from an address) may be out of sight. A row begins at its first
  // choice, and measuring that one would lay out a page that has not fully loaded.
  const inSight = useRef(choices[0]?.value);
  useEffect(() => {
    if (inSight.current === value) return;
    inSight.current = value;
    const line = row.current;
    // Under a finger it keeps its place, or the tap under way would end on another.
    if (line === null || line.matches(":active")) return;
    const chosen = [...line.querySelectorAll("input")].find((input) => input.value === value);
    const chip = chosen?.parentElement;
    if (chip) line.scrollLeft = chip.offsetLeft - line.offsetLeft - 48;
  }, [value]);

  return (
    <div ref={row} className={styles.row} role="radiogroup" aria-label={label}>
      {choices.map((choice) => (
        <label key={choice.value} className={styles.chip}>
          <input
            type="radio"
            className="tap-area"
            name={name}
            value={choice.value}
            checked={choice.value === shown}
            onChange={() => pick(choice.value)}
            onClick={() => {
              if (tapsAgain && choice.value === shown) pick(choice.value);
            }}
          />
          {choice.icon}
          {choice.label}
        </label>
      ))}
    </div>
  );
}
