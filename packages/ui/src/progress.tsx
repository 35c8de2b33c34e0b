import { type ReactNode, useId } from "react";
import styles from "./progress.module.css";

export interface ProgressProps {
  label: ReactNode;
  /** 0 to 1; values outside are clamped. */
  fraction: number;
  /** The figure as text, such as a percentage. */
  valueText: string;
}

export function Progress({ label, fraction, valueText }: ProgressProps) {
  const labelId = useId();
  const share = Math.min(1, Math.max(0, fraction));
  return (
    <div className={styles.progress}>
      <div className={styles.texts}>
        <span id={labelId}>{label}</span>
        <span className="tabular">{valueText}</span>
      </div>
      <div
        className={styles.track}
        role="progressbar"
        aria-labelledby={labelId}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.floor(share * 100)}
        aria-valuetext={valueText}
      >
        <div className={styles.bar} style={{ transform: `scaleX(${share})` }} />
      </div>
    </div>
  );
}
