import type { ReactNode } from "react";
import { CheckIcon } from "./icon.tsx";
import styles from "./steps.module.css";

export interface StepsProps {
  label: string;
  steps: readonly ReactNode[];
  /** Index of the step that is open now; those before it are done. */
  current: number;
}

/** The place in a flow of a few steps, for display only. */
export function Steps({ label, steps, current }: StepsProps) {
  return (
    <ol className={styles.steps} aria-label={label}>
      {steps.map((step, index) => (
        <li
          // biome-ignore lint/suspicious/noArrayIndexKey: the steps of a flow do not move.
          key={index}
          className={styles.step}
          data-done={index < current}
          aria-current={index === current ? "step" : undefined}
        >
          <span className={styles.mark} aria-hidden="true">
            {index < current ? <CheckIcon size={16} /> : index + 1}
          </span>
          {step}
        </li>
      ))}
    </ol>
  );
}
